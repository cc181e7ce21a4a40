/* SPDX-License-Identifier: MIT */
/*
 * capture.c - hooks on the begin and the end of capture, which keep the count.
 */
#include "capture.h"

#include "graph_memory.h"
#include "stats.h"

atomic_int capture_count;

static void leave(void)
{
	int n = atomic_load_explicit(&capture_count, memory_order_relaxed);

	/* Not below 0: a capture may have begun where no hook saw it. */
	while (n > 0 && !atomic_compare_exchange_weak(&capture_count, &n, n - 1))
		;
}

/* Entered before the driver's call: no moment of a capture goes uncounted. */
static void enter(void)
{
	atomic_fetch_add(&capture_count, 1);
}

static CUresult begun(CUresult result)
{
	if (result == CUDA_SUCCESS)
		stats_capture();
	else
		leave();
	return result;
}

/* The stream's CUstreamCaptureStatus, or -1 when the driver does not tell. */
static int status_of(CUstream stream)
{
	CUstreamCaptureStatus status;

	if (!DRV(cuStreamIsCapturing) ||
	    DRV(cuStreamIsCapturing)(stream, &status) != CUDA_SUCCESS)
		return -1;
	return (int)status;
}

int capture_query(CUstream stream, struct capture_now *now)
{
	CUstreamCaptureStatus status;

	*now = (struct capture_now){0};
	if (!DRV(cuStreamGetCaptureInfo_v3))
		return status_of(stream) == CU_STREAM_CAPTURE_STATUS_ACTIVE;
	return DRV(cuStreamGetCaptureInfo_v3)(stream, &status, &now->id, &now->graph,
	                                      &now->nodes, &now->edges,
	                                      &now->count) == CUDA_SUCCESS &&
	       status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

int capture_edges_full(const struct capture_now *now)
{
	size_t i;

	for (i = 0; now->edges && i < now->count; i++)
		if (now->edges[i].type || now->edges[i].from_port)
			return 0;
	return 1;
}

#define HOOK_BEGIN(name, params, args)           \
	MSS_EXPORT CUresult name params          \
	{                                        \
		if (!DRV(name))                  \
			return driver_missing(); \
		enter();                         \
		return begun(DRV(name) args);    \
	}

HOOK_BEGIN(cuStreamBeginCapture, (CUstream s), (s))
HOOK_BEGIN(cuStreamBeginCapture_ptsz, (CUstream s), (s))
HOOK_BEGIN(cuStreamBeginCapture_v2, (CUstream s, CUstreamCaptureMode mode), (s, mode))
HOOK_BEGIN(cuStreamBeginCapture_v2_ptsz, (CUstream s, CUstreamCaptureMode mode),
           (s, mode))
HOOK_BEGIN(cuStreamBeginCaptureToGraph,
           (CUstream s, CUgraph graph, const CUgraphNode *nodes,
            const CUgraphEdgeData *edges, size_t count, CUstreamCaptureMode mode),
           (s, graph, nodes, edges, count, mode))
HOOK_BEGIN(cuStreamBeginCaptureToGraph_ptsz,
           (CUstream s, CUgraph graph, const CUgraphNode *nodes,
            const CUgraphEdgeData *edges, size_t count, CUstreamCaptureMode mode),
           (s, graph, nodes, edges, count, mode))

/* What there was to end. */
struct ending {
	int capturing;
	cuuint64_t id; /* 0: nothing is remembered of any capture */
};

static struct ending before_end(CUstream stream)
{
	struct ending e = {.capturing =
	                       status_of(stream) > CU_STREAM_CAPTURE_STATUS_NONE};
	struct capture_now now;

	if (graph_memory_any() && capture_query(stream, &now))
		e.id = now.id;
	return e;
}

/*
 * In doubt the count stays: too high costs a query, too low loses a capture's memsets.
 * An end that fails may have ended the capture (invalidated, unjoined, in the wrong
 * thread) or not (a stream that joined it).
 */
static CUresult ended(CUstream stream, struct ending e, CUresult result)
{
	/* ILLEGAL_STATE: it was not capturing any more; who ended it has counted. */
	if (e.capturing && result != CUDA_ERROR_ILLEGAL_STATE &&
	    status_of(stream) == CU_STREAM_CAPTURE_STATUS_NONE) {
		leave();
		graph_memory_forget(e.id);
	}
	return result;
}

#define HOOK_END(name, handle)                                   \
	MSS_EXPORT CUresult name(CUstream s, CUgraph *graph)     \
	{                                                        \
		struct ending e;                                 \
                                                                 \
		if (!DRV(name))                                  \
			return driver_missing();                 \
		e = before_end(handle(s));                       \
		return ended(handle(s), e, DRV(name)(s, graph)); \
	}

HOOK_END(cuStreamEndCapture, stream_legacy)
HOOK_END(cuStreamEndCapture_ptsz, stream_ptsz)
