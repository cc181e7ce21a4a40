/* SPDX-License-Identifier: MIT */
/*
 * dlsym() finds the hook for a hooked function, by handle, RTLD_DEFAULT, RTLD_NEXT and
 * dlopen(NULL) alike, and for all else what it finds without the shim; dlerror() and
 * errno are as without it too.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "drv.h"

static const char *const hooked[] = {
#define HOOK(name, params) #name,
#define CALL_NEEDED(name, params)
#define CALL(name, params)
#include "../shim/symbols.def"
#undef HOOK
#undef CALL_NEEDED
#undef CALL
};

static const char *const called[] = {
    "cuInit",
    "cuMemAlloc_v2",
    "cuMemsetD8_v2",
    "cuGraphLaunch",
#define HOOK(name, params)
#define CALL_NEEDED(name, params) #name,
#define CALL(name, params) #name,
#include "../shim/symbols.def"
#undef HOOK
#undef CALL_NEEDED
#undef CALL
};

/* The version under which libc has had its functions from the start. */
#if defined(__x86_64__)
#define LIBC_BASE "GLIBC_2.2.5"
#else
#define LIBC_BASE "GLIBC_2.17"
#endif

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void *libcuda;

static int in_shim(void *address)
{
	Dl_info info;

	return address && dladdr(address, &info) && info.dli_fname &&
	       strstr(info.dli_fname, "libmemsetshim");
}

static void by_dlsym(void)
{
	void *self = dlopen(NULL, RTLD_LAZY);
	size_t i;

	for (i = 0; i < COUNT(hooked); i++) {
		void *by_handle = dlsym(libcuda, hooked[i]);

		if (!drv_own(hooked[i])) {
			ok(!by_handle, "%s: this driver has none", hooked[i]);
			continue;
		}
		ok(in_shim(by_handle), "%s by handle is a hook", hooked[i]);
		ok(dlsym(RTLD_DEFAULT, hooked[i]) == by_handle &&
		       dlsym(RTLD_NEXT, hooked[i]) == by_handle &&
		       dlsym(self, hooked[i]) == by_handle,
		   "%s by RTLD_DEFAULT, RTLD_NEXT and dlopen(NULL): the same",
		   hooked[i]);
	}
	for (i = 0; i < COUNT(called); i++) {
		void *own = drv_own(called[i]);

		ok(own && dlsym(libcuda, called[i]) == own &&
		       dlsym(RTLD_DEFAULT, called[i]) == own &&
		       dlsym(RTLD_NEXT, called[i]) == own &&
		       dlsym(self, called[i]) == own,
		   "%s is the driver's own, every way", called[i]);
	}
	dlclose(self);
}

static void missing(void *handle, const char *how, const char *name)
{
	const char *error;
	void *found;

	dlerror();
	errno = 77;
	found = dlsym(handle, name);
	ok(!found && errno == 77, "%s by %s: not found, errno kept", name, how);
	error = dlerror();
	ok(error && strstr(error, name), "and dlerror() says its name");
	ok(!dlerror(), "once");
}

static void messages(void)
{
	static const char *const names[] = {"cuNoSuchFunction", "cudnnCreate",
	                                    "cublasCreate_v2",  "curl_easy_init",
	                                    "cudaMalloc",       "no_such_function"};
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	size_t i;

	for (i = 0; i < COUNT(names); i++) {
		missing(libcuda, "handle", names[i]);
		missing(RTLD_DEFAULT, "RTLD_DEFAULT", names[i]);
		missing(RTLD_NEXT, "RTLD_NEXT", names[i]);
	}
	missing(libc, "libc's handle", "cuMemsetD8Async");
	for (i = 0; i < COUNT(hooked); i++) {
		(void)dlsym(libcuda, "cuNoSuchFunction");
		errno = 77;
		if (!dlsym(libcuda, hooked[i]))
			continue;
		ok(!dlerror() && errno == 77,
		   "%s found: no dlerror(), not even an old one, errno kept",
		   hooked[i]);
	}
	ok(dlsym(libc, "cuserid") &&
	       dlsym(libc, "cuserid") == dlvsym(libc, "cuserid", LIBC_BASE),
	   "cuserid is libc's");
	dlclose(libc);
}

/* --- over and over ---------------------------------------------------------------- */

static void *look_often(void *arg)
{
	void *hook = dlsym(libcuda, "cuMemsetD8Async"), *own = drv_own("cuMemAlloc_v2");
	int *wrong = arg, i;

	for (i = 0; i < 10000; i++) {
		*wrong += dlsym(libcuda, "cuMemsetD8Async") != hook;
		*wrong += dlsym(RTLD_DEFAULT, "cuMemsetD8Async") != hook;
		*wrong += dlsym(RTLD_NEXT, "cuMemsetD8Async") != hook;
		*wrong += dlsym(libcuda, "cuMemAlloc_v2") != own;
		*wrong += dlsym(RTLD_NEXT, "malloc") == NULL;
		*wrong += dlsym(RTLD_NEXT, "cuNoSuchFunction") != NULL;
	}
	return NULL;
}

static void often(void)
{
	pthread_t threads[8];
	int wrong[8] = {0}, i, sum = 0;

	for (i = 0; i < 8; i++)
		if (pthread_create(&threads[i], NULL, look_often, &wrong[i]))
			bail("no thread");
	for (i = 0; i < 8; i++) {
		pthread_join(threads[i], NULL);
		sum += wrong[i];
	}
	is(sum, 0, "8 threads look up 10000 times the same and find the same");
}

/* What the shim does at its first lookup must not cost the program its dlerror(). */
static int first_lookup(void *arg)
{
	const char *error;

	(void)arg;
	if (!holds(dlsym(libcuda, "cuNoSuchFunction") == NULL))
		return 1;
	error = dlerror();
	return !holds(error && strstr(error, "cuNoSuchFunction"));
}

int main(void)
{
	libcuda = dlopen("libcuda.so.1", RTLD_NOW);
	if (!libcuda)
		bail("no libcuda.so.1");
	is(drv_child(first_lookup, NULL), 0, "the first lookup of all fails properly");
	by_dlsym();
	messages();
	often();
	drv_start();
	by_dlsym();
	return done();
}
