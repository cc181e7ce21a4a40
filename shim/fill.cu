/* SPDX-License-Identifier: MIT */
/*
 * fill.cu - the fill kernels as the GPU sees them: names and parameters as in
 * kernels.def, bodies in fill_kernels.h.  Nothing here loops over the range: one
 * 16-byte store per thread was faster than a grid-stride loop at every size.  The
 * unnamed parameters are the record of what was asked for (plan_read).
 */
#define FILL_FN static __device__ __forceinline__
#define FILL_STORE1(a, v) (*(uint8_t *)(a) = (v))
#define FILL_STORE4(a, v) (*(uint32_t *)(a) = (v))
#define FILL_STORE16(a, v) (*(uint4 *)(a) = make_uint4((v), (v), (v), (v)))
#include "fill_kernels.h"

extern "C" __global__ void memsetshim_fill_bytes(uint64_t dst, uint32_t pattern,
                                                 uint32_t)
{
	fill_bytes_thread(threadIdx.x, dst, pattern);
}

extern "C" __global__ void memsetshim_fill_words(uint64_t dst, uint32_t pattern,
                                                 uint32_t)
{
	fill_words_thread(threadIdx.x, dst, pattern);
}

extern "C" __global__ void memsetshim_fill_quads(uint64_t dst, uint32_t pattern,
                                                 uint32_t)
{
	fill_quads_thread(threadIdx.x, dst, pattern);
}

extern "C" __global__ void memsetshim_fill_range(uint64_t dst, uint32_t pattern,
                                                 uint32_t, uint64_t width, uint64_t,
                                                 uint64_t)
{
	fill_range_thread(blockIdx.x, blockDim.x, threadIdx.x, dst, pattern, width);
}

extern "C" __global__ void memsetshim_fill_rows(uint64_t dst, uint32_t pattern,
                                                uint32_t, uint64_t width,
                                                uint64_t pitch, uint64_t height,
                                                uint32_t columns)
{
	fill_rows_thread(blockIdx.x, blockDim.x, blockDim.y, threadIdx.x, threadIdx.y,
	                 dst, pattern, width, pitch, height, columns);
}
