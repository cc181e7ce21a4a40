/* SPDX-License-Identifier: MIT */
/*
 * pool.c - stream-ordered allocation: one pool per device; in a capture, memory nodes.
 */
#include "sim.h"

struct CUmemPoolHandle_st {
	CUdevice device;
};

static struct CUmemPoolHandle_st pools[SIM_MAX_DEVICES];

CUmemoryPool sim_pool(CUdevice device)
{
	pools[device].device = device;
	return &pools[device];
}

static CUresult get_pool(CUmemoryPool *pool, CUdevice device)
{
	if (!sim_initialized())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!pool)
		return CUDA_ERROR_INVALID_VALUE;
	if (device < 0 || device >= sim_devices())
		return CUDA_ERROR_INVALID_DEVICE;
	*pool = sim_pool(device);
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
	SIM_CALL(cuDeviceGetDefaultMemPool);
	return get_pool(pool, device);
}

SIM_EXPORT CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
	SIM_CALL(cuDeviceGetMemPool);
	return get_pool(pool, device);
}

/*
 * Inside a capture the address is that of a memory node.  The real driver knows nothing
 * of it then; its memory is there from the capture on, which no program can tell.
 */
static CUresult allocate(CUdeviceptr *at, size_t bytes, CUstream s)
{
	CUgraphNode node;
	int active;
	CUresult result = sim_capturing(s, &active);

	if (result != CUDA_SUCCESS)
		return result;
	result = sim_allocate(at, bytes, active ? REGION_GRAPH : REGION_POOL, s->ctx);
	if (result == CUDA_SUCCESS && active) {
		node = sim_capture_node(s, CU_GRAPH_NODE_TYPE_MEM_ALLOC);
		node->memory = *at;
		node->alloc = (CUDA_MEM_ALLOC_NODE_PARAMS){
		    .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
		                  .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE,
		                               .id = s->ctx->device}},
		    .bytesize = bytes,
		    .dptr = *at};
	}
	return result;
}

SIM_STREAM(cuMemAllocAsync, (CUdeviceptr * at, size_t bytes, CUstream s),
           allocate(at, bytes, s))

SIM_STREAM(cuMemAllocFromPoolAsync,
           (CUdeviceptr * at, size_t bytes, CUmemoryPool pool, CUstream s),
           pool ? allocate(at, bytes, s) : CUDA_ERROR_INVALID_VALUE)

static CUresult free_async(CUdeviceptr at, CUstream s)
{
	struct region *r = sim_region(at);
	int active;
	CUresult result = sim_capturing(s, &active);

	if (result != CUDA_SUCCESS)
		return result;
	if (!r || r->base != at)
		return CUDA_ERROR_INVALID_VALUE;
	if (active) {
		if (!sim_freeable(s->capture->graph, at))
			return CUDA_ERROR_INVALID_VALUE;
		sim_capture_node(s, CU_GRAPH_NODE_TYPE_MEM_FREE)->memory = at;
		return CUDA_SUCCESS;
	}
	/* What a launch has allocated; the graph's next launch does it again. */
	if (r->kind == REGION_GRAPH)
		return CUDA_SUCCESS;
	if (r->kind != REGION_POOL && r->kind != REGION_DEVICE)
		return CUDA_ERROR_INVALID_VALUE;
	sim_region_remove(r);
	return CUDA_SUCCESS;
}

SIM_STREAM(cuMemFreeAsync, (CUdeviceptr at, CUstream s), free_async(at, s))
