/* SPDX-License-Identifier: MIT */
/*
 * capture.h - is any stream of this process being captured, and is this one?
 */
#ifndef MSS_CAPTURE_H
#define MSS_CAPTURE_H

#include <stdatomic.h>

#include "driver.h"

/*
 * Captures begun and not yet ended, process-wide.  Never lower than the truth for
 * captures begun through our hooks, so that 0 means: no memset can be a captured one.
 * It may stay too high (a stream destroyed in mid-capture), which costs a query per
 * memset and nothing else.
 */
extern atomic_int capture_count;

static inline int capture_any(void)
{
	return atomic_load_explicit(&capture_count, memory_order_relaxed) != 0;
}

/* 1 when `stream`, a handle that no longer needs translation, is being captured. */
int capture_active(CUstream stream);

/* What the legacy and the _ptsz functions mean by a stream of NULL, as a handle. */
static inline CUstream stream_legacy(CUstream stream)
{
	return stream ? stream : CU_STREAM_LEGACY;
}

static inline CUstream stream_ptsz(CUstream stream)
{
	return stream ? stream : CU_STREAM_PER_THREAD;
}

#endif
