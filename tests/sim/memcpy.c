/* SPDX-License-Identifier: MIT */
/*
 * memcpy.c - copies: at once, or as nodes.  No arrays.
 */
#include <string.h>

#include "sim.h"

/* The host's view of one side, or NULL where it is neither host nor device memory. */
static char *view(CUmemorytype type, uintptr_t host, CUdeviceptr at, size_t bytes,
                  CUdevice device, unsigned int access)
{
	if (type == CU_MEMORYTYPE_HOST)
		return (char *)host;
	if (type == CU_MEMORYTYPE_UNIFIED && !sim_region(at))
		return (char *)(uintptr_t)at;
	if (type != CU_MEMORYTYPE_DEVICE && type != CU_MEMORYTYPE_UNIFIED)
		return NULL;
	if (sim_region(at)) /* copies reach every device's memory */
		device = sim_region(at)->device;
	return sim_access(at, bytes, device, access);
}

/* One row of the shape; 0, or -1 when it leaves memory. */
static int copy_row(const CUDA_MEMCPY3D *c, size_t y, size_t z, CUdevice device)
{
	size_t n = c->WidthInBytes;
	size_t from =
	    ((c->srcZ + z) * c->srcHeight + c->srcY + y) * c->srcPitch + c->srcXInBytes;
	size_t to =
	    ((c->dstZ + z) * c->dstHeight + c->dstY + y) * c->dstPitch + c->dstXInBytes;
	const char *src = view(c->srcMemoryType, (uintptr_t)c->srcHost + from,
	                       c->srcDevice + from, n, device, SIM_READ);
	char *dst = view(c->dstMemoryType, (uintptr_t)c->dstHost + to,
	                 c->dstDevice + to, n, device, SIM_WRITE);

	if (!src || !dst)
		return -1;
	memmove(dst, src, n);
	return 0;
}

CUresult sim_copy_run(const CUDA_MEMCPY3D *copy, CUdevice device)
{
	size_t y, z;

	if (!copy->WidthInBytes)
		return CUDA_SUCCESS;
	for (z = 0; z < copy->Depth; z++)
		for (y = 0; y < copy->Height; y++)
			if (copy_row(copy, y, z, device))
				return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

static CUresult copy_in(CUstream s, CUDA_MEMCPY3D copy, size_t bytes)
{
	int active;
	CUresult result = sim_capturing(s, &active);

	copy.WidthInBytes = bytes;
	copy.Height = copy.Depth = 1;
	if (result != CUDA_SUCCESS || !bytes)
		return result;
	if (!active)
		return sim_copy_run(&copy, s->ctx->device);
	sim_capture_node(s, CU_GRAPH_NODE_TYPE_MEMCPY)->copy = copy;
	return CUDA_SUCCESS;
}

static CUresult copy_now(int per_thread, CUDA_MEMCPY3D copy, size_t bytes)
{
	CUstream s = NULL;
	CUresult result = sim_stream(&s, per_thread);

	if (result == CUDA_SUCCESS && s->capture) {
		s->capture->invalidated = 1;
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	}
	return result == CUDA_SUCCESS ? copy_in(s, copy, bytes) : result;
}

#define FROM_HOST .srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = src
#define FROM_DEVICE .srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = src
#define FROM_ANY .srcMemoryType = CU_MEMORYTYPE_UNIFIED, .srcDevice = src
#define TO_HOST .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = dst
#define TO_DEVICE .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = dst
#define TO_ANY .dstMemoryType = CU_MEMORYTYPE_UNIFIED, .dstDevice = dst
#define COPY(from, to) ((CUDA_MEMCPY3D){from, to})

#define NOW_ONE(name, per_thread, params, copy)           \
	SIM_EXPORT CUresult name params                   \
	{                                                 \
		SIM_CALL(name);                           \
		return copy_now(per_thread, copy, bytes); \
	}
#define NOW(name, params, copy)        \
	NOW_ONE(name, 0, params, copy) \
	NOW_ONE(name##_ptds, 1, params, copy)

NOW(cuMemcpy, (CUdeviceptr dst, CUdeviceptr src, size_t bytes), COPY(FROM_ANY, TO_ANY))
NOW(cuMemcpyHtoD_v2, (CUdeviceptr dst, const void *src, size_t bytes),
    COPY(FROM_HOST, TO_DEVICE))
NOW(cuMemcpyDtoH_v2, (void *dst, CUdeviceptr src, size_t bytes),
    COPY(FROM_DEVICE, TO_HOST))
NOW(cuMemcpyDtoD_v2, (CUdeviceptr dst, CUdeviceptr src, size_t bytes),
    COPY(FROM_DEVICE, TO_DEVICE))

SIM_STREAM(cuMemcpyAsync, (CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream s),
           copy_in(s, COPY(FROM_ANY, TO_ANY), bytes))
SIM_STREAM(cuMemcpyHtoDAsync_v2,
           (CUdeviceptr dst, const void *src, size_t bytes, CUstream s),
           copy_in(s, COPY(FROM_HOST, TO_DEVICE), bytes))
SIM_STREAM(cuMemcpyDtoHAsync_v2, (void *dst, CUdeviceptr src, size_t bytes, CUstream s),
           copy_in(s, COPY(FROM_DEVICE, TO_HOST), bytes))
SIM_STREAM(cuMemcpyDtoDAsync_v2,
           (CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream s),
           copy_in(s, COPY(FROM_DEVICE, TO_DEVICE), bytes))
