/* SPDX-License-Identifier: MIT */
/*
 * memset.c - memsets: at once, or as nodes.
 */
#include <string.h>

#include "sim.h"

/* What the call itself refuses, captured or not; the memory is looked at later. */
CUresult sim_memset_check(const CUDA_MEMSET_NODE_PARAMS *set)
{
	unsigned int size = set->elementSize;

	if (set->dst % size || set->pitch % size)
		return CUDA_ERROR_INVALID_VALUE;
	if (set->height > 1 && set->width > set->pitch / size)
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

/* From the first to the last byte written, gaps included; 0 when nothing fits that. */
static size_t span(const CUDA_MEMSET_NODE_PARAMS *set)
{
	size_t row, rows = 0;

	if (__builtin_mul_overflow(set->width, (size_t)set->elementSize, &row) ||
	    (set->height > 1 &&
	     __builtin_mul_overflow(set->height - 1, set->pitch, &rows)) ||
	    __builtin_add_overflow(row, rows, &row))
		return 0;
	return row;
}

CUresult sim_memset_memory(const CUDA_MEMSET_NODE_PARAMS *set, CUdevice device)
{
	size_t bytes = span(set);

	return bytes && sim_access(set->dst, bytes, device, SIM_WRITE)
	           ? CUDA_SUCCESS
	           : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_memset_run(const CUDA_MEMSET_NODE_PARAMS *set, CUdevice device)
{
	size_t bytes = span(set), x, y;
	char *host = bytes ? sim_access(set->dst, bytes, device, SIM_WRITE) : NULL;

	if (!host)
		return CUDA_ERROR_INVALID_VALUE;
	for (y = 0; y < set->height; y++) {
		char *row = host + (set->height > 1 ? y * set->pitch : 0);

		if (set->elementSize == 1) {
			memset(row, (int)(set->value & 0xff), set->width);
			continue;
		}
		for (x = 0; x < set->width; x++)
			memcpy(row + x * set->elementSize, &set->value,
			       set->elementSize);
	}
	return CUDA_SUCCESS;
}

static CUresult set_memory(CUstream s, const CUDA_MEMSET_NODE_PARAMS *set)
{
	int active;
	CUresult result = sim_capturing(s, &active);

	if (result != CUDA_SUCCESS || !set->width || !set->height)
		return result;
	result = sim_memset_check(set);
	if (result != CUDA_SUCCESS)
		return result;
	if (!active)
		return sim_memset_run(set, s->ctx->device);
	sim_capture_node(s, CU_GRAPH_NODE_TYPE_MEMSET)->set = *set;
	return CUDA_SUCCESS;
}

/* The synchronous ones run in the default stream: legacy, or with _ptds the thread's.
 */
static CUresult set_now(int per_thread, const CUDA_MEMSET_NODE_PARAMS *set)
{
	CUstream s = NULL;
	CUresult result = sim_stream(&s, per_thread);

	return result == CUDA_SUCCESS ? set_memory(s, set) : result;
}

#define LINE(size)                                         \
	(&(CUDA_MEMSET_NODE_PARAMS){.dst = dst,            \
	                            .value = value,        \
	                            .width = n,            \
	                            .elementSize = (size), \
	                            .height = 1})
#define SHAPE(size)                                        \
	(&(CUDA_MEMSET_NODE_PARAMS){.dst = dst,            \
	                            .pitch = pitch,        \
	                            .value = value,        \
	                            .elementSize = (size), \
	                            .width = width,        \
	                            .height = height})

#define NOW_ONE(name, per_thread, params, set)   \
	SIM_EXPORT CUresult name params          \
	{                                        \
		SIM_CALL(name);                  \
		return set_now(per_thread, set); \
	}
#define NOW(name, params, set)        \
	NOW_ONE(name, 0, params, set) \
	NOW_ONE(name##_ptds, 1, params, set)

NOW(cuMemsetD8_v2, (CUdeviceptr dst, unsigned char value, size_t n), LINE(1))
NOW(cuMemsetD16_v2, (CUdeviceptr dst, unsigned short value, size_t n), LINE(2))
NOW(cuMemsetD32_v2, (CUdeviceptr dst, unsigned int value, size_t n), LINE(4))
NOW(cuMemsetD2D8_v2,
    (CUdeviceptr dst, size_t pitch, unsigned char value, size_t width, size_t height),
    SHAPE(1))
NOW(cuMemsetD2D16_v2,
    (CUdeviceptr dst, size_t pitch, unsigned short value, size_t width, size_t height),
    SHAPE(2))
NOW(cuMemsetD2D32_v2,
    (CUdeviceptr dst, size_t pitch, unsigned int value, size_t width, size_t height),
    SHAPE(4))

SIM_STREAM(cuMemsetD8Async,
           (CUdeviceptr dst, unsigned char value, size_t n, CUstream s),
           set_memory(s, LINE(1)))
SIM_STREAM(cuMemsetD16Async,
           (CUdeviceptr dst, unsigned short value, size_t n, CUstream s),
           set_memory(s, LINE(2)))
SIM_STREAM(cuMemsetD32Async,
           (CUdeviceptr dst, unsigned int value, size_t n, CUstream s),
           set_memory(s, LINE(4)))
SIM_STREAM(cuMemsetD2D8Async,
           (CUdeviceptr dst, size_t pitch, unsigned char value, size_t width,
            size_t height, CUstream s),
           set_memory(s, SHAPE(1)))
SIM_STREAM(cuMemsetD2D16Async,
           (CUdeviceptr dst, size_t pitch, unsigned short value, size_t width,
            size_t height, CUstream s),
           set_memory(s, SHAPE(2)))
SIM_STREAM(cuMemsetD2D32Async,
           (CUdeviceptr dst, size_t pitch, unsigned int value, size_t width,
            size_t height, CUstream s),
           set_memory(s, SHAPE(4)))
