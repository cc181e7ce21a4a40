/* SPDX-License-Identifier: MIT */
/*
 * Somebody else's dlsym wrapper, written as they usually are: it answers one name
 * itself and calls the next dlsym for all others.
 */
#include <dlfcn.h>
#include <string.h>

static const char *interposed(void)
{
	return "interposed";
}

void *dlsym(void *handle, const char *name)
{
	static void *(*next)(void *, const char *);

	if (!strcmp(name, "interposed_name"))
		return (void *)interposed;
	if (!next)
		*(void **)&next = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
	if (!next)
		*(void **)&next = dlvsym(RTLD_NEXT, "dlsym", BASELINE);
	return next(handle, name);
}
