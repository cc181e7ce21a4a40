/* SPDX-License-Identifier: MIT */
/*
 * lookup.h - the ways a program looks driver functions up: dlsym, cuGetProcAddress.
 */
#ifndef MSS_LOOKUP_H
#define MSS_LOOKUP_H

/*
 * The dlsym behind ours.  Thread-safe, lock-free; never NULL: where none can be found
 * it is a function that finds nothing.
 */
void *real_dlsym(void *handle, const char *name);

#endif
