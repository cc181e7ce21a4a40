/* SPDX-License-Identifier: MIT */
/*
 * A library to preload that does nothing; with -DWRAP it has a dlsym of its own.
 */
#include <dlfcn.h>

#ifdef WRAP
void *dlsym(void *restrict handle, const char *restrict name)
{
	return dlvsym(handle, name, "GLIBC_2.2.5");
}
#endif

int launch_lib;
