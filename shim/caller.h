/* SPDX-License-Identifier: MIT */
/*
 * caller.h - which library did a call come from?
 */
#ifndef MSS_CALLER_H
#define MSS_CALLER_H

/*
 * The file name, without folders, of the library (or program) that the code at `caller`
 * belongs to.  Where that is a shared libcudart, which calls the driver for everybody:
 * of the library that called libcudart.  Never NULL.  Walks the stack of the calling
 * thread in that case; allocates at its first call.
 * The name is the loader's own string: good until that library is unloaded.
 */
const char *caller_name(const void *caller);

#endif
