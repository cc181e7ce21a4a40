/* SPDX-License-Identifier: MIT */
/*
 * driver.h - the real CUDA driver, behind the shim.
 *
 * One slot per line of symbols.def.  A slot is NULL until driver_resolve() has found
 * libcuda, and never changes afterwards.  Threads that resolve at the same time store
 * the same addresses, so there is no lock.  Nothing here allocates or calls a hook.
 */
#ifndef MSS_DRIVER_H
#define MSS_DRIVER_H

/* Makes cuda.h declare every exported name as it is, _v2 and _ptsz included. */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <stdatomic.h>

#if CUDA_VERSION < 12030
#error "memsetshim needs the headers of CUDA Toolkit 12.3 or newer"
#endif

#include "compiler.h"

/* Repeats cuda.h's prototypes: a wrong line in symbols.def does not compile. */
#define HOOK(name, params)                   \
	typedef CUresult(*name##_fn) params; \
	MSS_EXPORT CUresult name params;
#define CALL_NEEDED(name, params)            \
	typedef CUresult(*name##_fn) params; \
	CUresult name params;
#define CALL(name, params) CALL_NEEDED(name, params)
#include "symbols.def"
#undef HOOK
#undef CALL_NEEDED
#undef CALL

enum driver_symbol {
#define HOOK(name, params) SYM_##name,
#define CALL_NEEDED(name, params) SYM_##name,
#define CALL(name, params) SYM_##name,
#include "symbols.def"
#undef HOOK
#undef CALL_NEEDED
#undef CALL
	SYM_COUNT
};

extern _Atomic(void *) driver_slots[SYM_COUNT];

/* 0 when this process has libcuda loaded and the slots are filled, else -1. */
int driver_resolve(void);

/* Resolves and loads a slot that was found empty; NULL where the driver lacks it. */
void *driver_slot_slow(enum driver_symbol symbol);

static inline void *driver_slot(enum driver_symbol symbol)
{
	void *p = atomic_load_explicit(&driver_slots[symbol], memory_order_relaxed);

	return MSS_LIKELY(p != NULL) ? p : driver_slot_slow(symbol);
}

/* DRV(cuMemsetD8Async)(dst, v, n, s): the driver's function, fully typed, or NULL. */
#define DRV(name) ((name##_fn)driver_slot(SYM_##name))

/* The same without looking for a driver: NULL before the first resolve. */
#define DRV_IF_KNOWN(name)                                          \
	((name##_fn)atomic_load_explicit(&driver_slots[SYM_##name], \
	                                 memory_order_relaxed))

/* What to give a program that looked up `found`: our hook for it, or `found` itself. */
void *driver_replace(void *found);

/* The hook that lives at this address, or -1. */
int driver_hook_index(const void *address);

/* The hook of this name, or -1. */
int driver_hook_name(const char *name);

/*
 * 1 when the driver is there, is 12.0 or newer and has all that a fill needs; else 0,
 * and the reason is logged once.
 */
int driver_usable(void);

/* What a hook answers when the driver has no such function; logged once. */
CUresult driver_missing(void);

#endif
