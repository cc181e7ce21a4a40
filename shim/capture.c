/* SPDX-License-Identifier: MIT */
/*
 * capture.c - hooks on the begin and the end of capture, which keep the count.
 */
#include "capture.h"

#include <pthread.h>
#include <stdlib.h>

#include "graph_memory.h"
#include "guard.h"
#include "stats.h"

atomic_int capture_count;

/*
 * The ids of the captures that are counted, where the driver tells ids: an end seen
 * here may be that of a capture whose begin was not (RTLD_DEEPBIND), and must not take
 * away from the count what another, still open, has added.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cuuint64_t *ids;
static size_t id_count, id_room;

/* Without memory for it the id is not known, and the count stays too high. */
static void remember(cuuint64_t id)
{
	cuuint64_t *larger;

	pthread_mutex_lock(&lock);
	if (id_count == id_room) {
		larger = realloc(ids, (id_room ? 2 * id_room : 16) * sizeof *ids);
		if (larger) {
			ids = larger;
			id_room = id_room ? 2 * id_room : 16;
		}
	}
	if (id_count < id_room)
		ids[id_count++] = id;
	pthread_mutex_unlock(&lock);
}

/* 1 when it was remembered.  Those of invalidated captures, which have none, stay. */
static int forget(cuuint64_t id)
{
	size_t i;
	int found = 0;

	pthread_mutex_lock(&lock);
	for (i = 0; i < id_count && !found; i++)
		if (ids[i] == id) {
			ids[i] = ids[--id_count];
			found = 1;
		}
	/* Nothing is open any more but this one: what is left is of no capture. */
	if (atomic_load_explicit(&capture_count, memory_order_relaxed) <= 1)
		id_count = 0;
	pthread_mutex_unlock(&lock);
	return found;
}

void capture_after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
}

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

static CUresult begun(CUstream stream, CUresult result)
{
	struct capture_now now;
	struct guard g;

	if (result != CUDA_SUCCESS) {
		leave();
		return result;
	}
	stats_capture();
	if (guard_enter(&g)) {
		if (capture_query(stream, &now) && now.id)
			remember(now.id);
		guard_leave(&g);
	}
	return result;
}

#define HOOK_BEGIN(name, handle, params, args)           \
	MSS_EXPORT CUresult name params                  \
	{                                                \
		if (!DRV(name))                          \
			return driver_missing();         \
		enter();                                 \
		return begun(handle(s), DRV(name) args); \
	}

HOOK_BEGIN(cuStreamBeginCapture, stream_legacy, (CUstream s), (s))
HOOK_BEGIN(cuStreamBeginCapture_ptsz, stream_ptsz, (CUstream s), (s))
HOOK_BEGIN(cuStreamBeginCapture_v2, stream_legacy,
           (CUstream s, CUstreamCaptureMode mode), (s, mode))
HOOK_BEGIN(cuStreamBeginCapture_v2_ptsz, stream_ptsz,
           (CUstream s, CUstreamCaptureMode mode), (s, mode))
HOOK_BEGIN(cuStreamBeginCaptureToGraph, stream_legacy,
           (CUstream s, CUgraph graph, const CUgraphNode *nodes,
            const CUgraphEdgeData *edges, size_t count, CUstreamCaptureMode mode),
           (s, graph, nodes, edges, count, mode))
HOOK_BEGIN(cuStreamBeginCaptureToGraph_ptsz, stream_ptsz,
           (CUstream s, CUgraph graph, const CUgraphNode *nodes,
            const CUgraphEdgeData *edges, size_t count, CUstreamCaptureMode mode),
           (s, graph, nodes, edges, count, mode))

/* What there was to end. */
struct ending {
	int capturing;
	cuuint64_t id; /* 0: the driver does not tell */
};

static struct ending before_end(CUstream stream)
{
	struct ending e = {.capturing =
	                       status_of(stream) > CU_STREAM_CAPTURE_STATUS_NONE};
	struct capture_now now;

	if (e.capturing && capture_query(stream, &now))
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
	struct guard g;

	/* ILLEGAL_STATE: it was not capturing any more; who ended it has counted. */
	if (!e.capturing || result == CUDA_ERROR_ILLEGAL_STATE ||
	    status_of(stream) != CU_STREAM_CAPTURE_STATUS_NONE || !guard_enter(&g))
		return result;
	/* A capture of no id may be a counted one; of another, it is not. */
	if (!e.id || forget(e.id))
		leave();
	graph_memory_forget(e.id);
	guard_leave(&g);
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
