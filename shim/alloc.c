/* SPDX-License-Identifier: MIT */
/*
 * alloc.c - hooks on stream-ordered allocation: what a capture allocates is remembered.
 */
#include "capture.h"
#include "graph_memory.h"
#include "guard.h"

/* What the stream's last node, a memory node, has allocated. */
static void learn(CUstream stream, CUdeviceptr at)
{
	struct capture_now now;
	CUDA_MEM_ALLOC_NODE_PARAMS params = {0};

	if (!DRV(cuGraphMemAllocNodeGetParams) || !capture_query(stream, &now) ||
	    now.count != 1 ||
	    DRV(cuGraphMemAllocNodeGetParams)(now.nodes[0], &params) != CUDA_SUCCESS ||
	    params.dptr != at ||
	    params.poolProps.location.type != CU_MEM_LOCATION_TYPE_DEVICE)
		return;
	graph_memory_add(now.id, at, params.bytesize, params.poolProps.location.id);
}

static void allocated(CUresult result, const CUdeviceptr *at, CUstream stream)
{
	struct guard g;

	if (result != CUDA_SUCCESS || !at || !capture_any() || !guard_enter(&g))
		return;
	learn(stream, *at);
	guard_leave(&g);
}

static void freed(CUresult result, CUdeviceptr at, CUstream stream)
{
	struct capture_now now;
	struct guard g;

	if (result != CUDA_SUCCESS || !graph_memory_any() || !guard_enter(&g))
		return;
	if (capture_query(stream, &now))
		graph_memory_drop(now.id, at);
	guard_leave(&g);
}

/*
 * Each hook is two functions, as in memset.c: outside captures the driver's own call.
 * Then nothing is to be forgotten either, as what is known is of open captures.
 */
#define HOOK_BOTH(name, params, args, afterwards)       \
	MSS_NOINLINE static CUresult name##_slow params \
	{                                               \
		CUresult result;                        \
                                                        \
		if (!DRV(name))                         \
			return driver_missing();        \
		result = DRV(name) args;                \
		afterwards;                             \
		return result;                          \
	}                                               \
	MSS_EXPORT CUresult name params                 \
	{                                               \
		name##_fn real = DRV_IF_KNOWN(name);    \
                                                        \
		if (MSS_LIKELY(real && !capture_any())) \
			return real args;               \
		return name##_slow args;                \
	}

#define HOOK_ALLOC(name, params, args, handle) \
	HOOK_BOTH(name, params, args, allocated(result, at, handle(stream)))

#define HOOK_FREE(name, handle)                                          \
	HOOK_BOTH(name, (CUdeviceptr at, CUstream stream), (at, stream), \
	          freed(result, at, handle(stream)))

HOOK_ALLOC(cuMemAllocAsync, (CUdeviceptr * at, size_t bytes, CUstream stream),
           (at, bytes, stream), stream_legacy)
HOOK_ALLOC(cuMemAllocAsync_ptsz, (CUdeviceptr * at, size_t bytes, CUstream stream),
           (at, bytes, stream), stream_ptsz)
HOOK_ALLOC(cuMemAllocFromPoolAsync,
           (CUdeviceptr * at, size_t bytes, CUmemoryPool pool, CUstream stream),
           (at, bytes, pool, stream), stream_legacy)
HOOK_ALLOC(cuMemAllocFromPoolAsync_ptsz,
           (CUdeviceptr * at, size_t bytes, CUmemoryPool pool, CUstream stream),
           (at, bytes, pool, stream), stream_ptsz)

HOOK_FREE(cuMemFreeAsync, stream_legacy)
HOOK_FREE(cuMemFreeAsync_ptsz, stream_ptsz)
