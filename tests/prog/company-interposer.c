/* SPDX-License-Identifier: MIT */
/*
 * A dlsym interposer as GPU-sharing tools preload one: it answers two names of the
 * driver with functions of its own, finds the next dlsym by glibc's versions of it, or
 * with -DCHAIN by asking for the next one whoever has it, and calls that for the rest.
 */
#include <dlfcn.h>
#include <string.h>

typedef void *(*dlsym_fn)(void *, const char *);

static void *libcuda;

static dlsym_fn next(void)
{
	static dlsym_fn found;

	if (!found)
		*(void **)&found = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
	if (!found)
		*(void **)&found = dlvsym(RTLD_NEXT, "dlsym", BASELINE);
#ifdef CHAIN
	static dlsym_fn chained;

	if (!chained)
		*(void **)&chained = found(RTLD_NEXT, "dlsym");
	return chained;
#else
	return found;
#endif
}

static int allocate(unsigned long long *p, size_t bytes)
{
	int (*real)(unsigned long long *, size_t);

	*(void **)&real = next()(libcuda, "cuMemAlloc_v2");
	return real(p, bytes);
}

static int release(unsigned long long p)
{
	int (*real)(unsigned long long);

	*(void **)&real = next()(libcuda, "cuMemFree_v2");
	return real(p);
}

void *dlsym(void *handle, const char *name)
{
	int allocates = !strcmp(name, "cuMemAlloc_v2");

	if (!allocates && strcmp(name, "cuMemFree_v2") != 0)
		return next()(handle, name);
	libcuda = handle;
	return allocates ? (void *)allocate : (void *)release;
}
