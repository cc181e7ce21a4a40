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

/*
 * What a stream's capture has come to.  The arrays are the driver's, good until the
 * next driver call on the stream.  Drivers before CUDA 12.3 tell nothing: zeros.
 */
struct capture_now {
	CUgraph graph;
	cuuint64_t id;            /* of the capture, never used again in this process */
	const CUgraphNode *nodes; /* what the stream's next node will depend on */
	const CUgraphEdgeData *edges; /* how; NULL: by full edges only */
	size_t count;
};

/* 1 when `stream`, a handle that no longer needs translation, is being captured. */
int capture_query(CUstream stream, struct capture_now *now);

/* 1 when all of these dependencies are full ones. */
int capture_edges_full(const struct capture_now *now);

/* The child of a fork has no other thread that could hold the lock. */
void capture_after_fork(void);

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
