/* SPDX-License-Identifier: MIT */
/*
 * lookup.c - dlsym and cuGetProcAddress: ask first, replace what came back by address.
 *
 * The path of a name that is not a driver function (all but a few) touches no lock, no
 * allocation and no other library: sanitizer runtimes and allocators call dlsym before
 * anything else works.
 */
#include "driver.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

#include "compiler.h"
#include "lookup.h"

typedef void *(*dlsym_fn)(void *handle, const char *name);

/*
 * The versions under which glibc has exported dlsym, newest first.  The baseline of
 * each architecture is part of glibc's ABI for ever (newer releases keep it as an
 * alias), so there is nothing to guess: one of the two is in every glibc.  dlvsym
 * rather than a private glibc function (removed in 2.34), rather than public dlsym
 * (that is us) and rather than reading ELF tables by hand.
 */
static const char *const dlsym_versions[] = {
    "GLIBC_2.34",
#if defined(__x86_64__)
    "GLIBC_2.2.5",
#elif defined(__aarch64__)
    "GLIBC_2.17",
#endif
};

static _Atomic(void *) next_dlsym;

static void *dlsym_missing(void *handle, const char *name)
{
	(void)handle;
	(void)name;
	return NULL;
}

/*
 * dlvsym answers with a symbol of that very version, so with glibc's own; another
 * interposer's dlsym has none.  glibc's dlsym, asked for the next one after us, finds
 * that interposer where there is one, and it stays in the chain as without us.
 */
MSS_NO_SANITIZE static MSS_NOINLINE void *find_dlsym(void)
{
	void *found = NULL, *next = NULL;
	size_t i;

	for (i = 0; i < ARRAY_LEN(dlsym_versions) && !found; i++)
		found = dlvsym(RTLD_NEXT, "dlsym", dlsym_versions[i]);
	if (found)
		next = ((dlsym_fn)found)(RTLD_NEXT, "dlsym");
	else
		found = (void *)dlsym_missing;
	if (next)
		found = next;
	/* Threads that race here find the same address. */
	atomic_store_explicit(&next_dlsym, found, memory_order_relaxed);
	return found;
}

MSS_NO_SANITIZE static inline void *dlsym_address(void)
{
	void *found = atomic_load_explicit(&next_dlsym, memory_order_relaxed);

	return MSS_LIKELY(found != NULL) ? found : find_dlsym();
}

void *real_dlsym(void *handle, const char *name)
{
	return ((dlsym_fn)dlsym_address())(handle, name);
}

/* dlsym of a hooked name that no driver here has: NULL, and dlerror() says so. */
static void *lookup_absent(void *handle, const char *name)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);

	(void)handle;
	/* libc has no such symbol either, and asking it leaves a true dlerror(). */
	return libc ? real_dlsym(libc, name) : NULL;
}

/* dlsym of a driver name in a given library. */
static void *lookup_replaced(void *handle, const char *name)
{
	int hook;
	void *found;

	/*
	 * Only for a name of ours: resolving keeps the driver that is loaded, and a
	 * program that asks a library for its version may go on to another one.  It
	 * comes first: every dl call resets dlerror(), and what the program reads
	 * afterwards has to be its own lookup's.
	 */
	if (driver_hook_name(name) >= 0)
		(void)driver_resolve();
	found = real_dlsym(handle, name);
	hook = driver_hook_index(found);
	if (hook >= 0 && !driver_slot((enum driver_symbol)hook))
		return lookup_absent(handle, name);
	return driver_replace(found);
}

/* A driver function's name: cu and a capital (so not cublas, cudnn, cuda, curl). */
MSS_NO_SANITIZE static inline int driver_name(const char *name)
{
	return name && name[0] == 'c' && name[1] == 'u' && name[2] >= 'A' &&
	       name[2] <= 'Z';
}

/*
 * Where dlsym(handle, name) has to go.  RTLD_NEXT and RTLD_DEFAULT always go to the
 * real one: they are relative to the caller, and a global lookup finds our exported
 * hooks by itself - which it must not where there is no such function to hook.
 */
MSS_NO_SANITIZE void *lookup_route(void *handle, const char *name);
MSS_NO_SANITIZE void *lookup_route(void *handle, const char *name)
{
	int hook;

	if (MSS_LIKELY(!driver_name(name)))
		return dlsym_address();
	if (handle != RTLD_NEXT && handle != RTLD_DEFAULT)
		return (void *)lookup_replaced;
	hook = driver_hook_name(name);
	if (hook >= 0 && !driver_slot((enum driver_symbol)hook))
		return (void *)lookup_absent;
	return dlsym_address();
}

static void replace(CUresult result, void **function)
{
	/* Another thread may still be filling the slots. */
	if (result == CUDA_SUCCESS && function && *function && driver_resolve() == 0)
		*function = driver_replace(*function);
}

MSS_EXPORT CUresult cuGetProcAddress(const char *symbol, void **function, int version,
                                     cuuint64_t flags)
{
	CUresult result;

	if (!DRV(cuGetProcAddress))
		return driver_missing();
	result = DRV(cuGetProcAddress)(symbol, function, version, flags);
	replace(result, function);
	return result;
}

MSS_EXPORT CUresult cuGetProcAddress_v2(const char *symbol, void **function,
                                        int version, cuuint64_t flags,
                                        CUdriverProcAddressQueryResult *status)
{
	CUresult result;

	if (!DRV(cuGetProcAddress_v2))
		return driver_missing();
	result = DRV(cuGetProcAddress_v2)(symbol, function, version, flags, status);
	replace(result, function);
	return result;
}
