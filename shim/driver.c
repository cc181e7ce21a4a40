/* SPDX-License-Identifier: MIT */
#include "driver.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "log.h"
#include "lookup.h"

#define OLDEST_DRIVER 12000 /* CUDA 12.0: cuLibrary*, kernels without a context */

_Atomic(void *) driver_slots[SYM_COUNT];

static atomic_int resolved;

static const struct symbol {
	const char *name;
	void *hook; /* NULL for what is only called */
	int needed; /* without it there are no fills at all */
} symbols[SYM_COUNT] = {
#define HOOK(name, params) [SYM_##name] = {#name, (void *)name, 0},
#define CALL_NEEDED(name, params) [SYM_##name] = {#name, NULL, 1},
#define CALL(name, params) [SYM_##name] = {#name, NULL, 0},
#include "symbols.def"
#undef HOOK
#undef CALL_NEEDED
#undef CALL
};

int driver_resolve(void)
{
	int saved_errno = errno;
	void *libcuda;
	size_t i;

	if (atomic_load_explicit(&resolved, memory_order_acquire))
		return 0;
	/*
	 * Only a driver that the program has loaded: the shim brings none in.  The
	 * reference is kept, so the addresses stay good for the life of the process.
	 */
	libcuda = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
	if (!libcuda) {
		errno = saved_errno;
		return -1;
	}
	for (i = 0; i < SYM_COUNT; i++) {
		void *p = real_dlsym(libcuda, symbols[i].name);

		/* Never ourselves: that would be a call without end. */
		if (p && driver_hook_index(p) < 0)
			atomic_store_explicit(&driver_slots[i], p,
			                      memory_order_relaxed);
	}
	atomic_store_explicit(&resolved, 1, memory_order_release);
	errno = saved_errno;
	return 0;
}

void *driver_slot_slow(enum driver_symbol symbol)
{
	if (driver_resolve() != 0)
		return NULL;
	return atomic_load_explicit(&driver_slots[symbol], memory_order_relaxed);
}

void *driver_replace(void *found)
{
	size_t i;

	if (!found)
		return NULL;
	for (i = 0; i < SYM_COUNT; i++)
		if (symbols[i].hook &&
		    atomic_load_explicit(&driver_slots[i], memory_order_relaxed) ==
		        found)
			return symbols[i].hook;
	return found;
}

int driver_hook_index(const void *address)
{
	int i;

	for (i = 0; i < SYM_COUNT; i++)
		if (address && symbols[i].hook == address)
			return i;
	return -1;
}

int driver_hook_name(const char *name)
{
	int i;

	for (i = 0; i < SYM_COUNT; i++)
		if (symbols[i].hook && !strcmp(symbols[i].name, name))
			return i;
	return -1;
}

static int check_driver(void)
{
	int version = 0;
	size_t i;

	for (i = 0; i < SYM_COUNT; i++) {
		if (!symbols[i].needed || driver_slot((enum driver_symbol)i))
			continue;
		log_once(LOG_WARN,
		         "the driver has no %s: every memset stays a memset node",
		         symbols[i].name);
		return 0;
	}
	if (DRV(cuDriverGetVersion)(&version) != CUDA_SUCCESS) {
		log_once(LOG_WARN, "the driver does not tell its version: every memset "
		                   "stays a memset node");
		return 0;
	}
	if (version < OLDEST_DRIVER) {
		log_once(LOG_WARN,
		         "the driver is of CUDA %d.%d, older than %d.%d: every memset "
		         "stays a memset node",
		         version / 1000, version % 1000 / 10, OLDEST_DRIVER / 1000,
		         OLDEST_DRIVER % 1000 / 10);
		return 0;
	}
	return 1;
}

int driver_usable(void)
{
	enum { UNKNOWN, USABLE, UNUSABLE };
	static atomic_int answer;
	int now = atomic_load_explicit(&answer, memory_order_relaxed);

	if (MSS_LIKELY(now == USABLE))
		return 1;
	if (now == UNUSABLE || driver_resolve() != 0)
		return 0;
	/* Threads that race here find the same answer; the log keeps to one line. */
	now = check_driver() ? USABLE : UNUSABLE;
	atomic_store_explicit(&answer, now, memory_order_relaxed);
	return now == USABLE;
}

CUresult driver_missing(void)
{
	if (driver_resolve() != 0) {
		log_once(LOG_WARN, "a driver function was called, but this process has "
		                   "no libcuda.so.1 loaded");
		return CUDA_ERROR_NOT_INITIALIZED;
	}
	log_once(LOG_WARN, "a driver function was called that this driver lacks");
	return CUDA_ERROR_NOT_SUPPORTED;
}
