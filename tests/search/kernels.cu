/* SPDX-License-Identifier: MIT */
/*
 * kernels.cu - what the simulated driver has as tests/sim/kernel.c, for a real one.
 *
 * A launch with programmatic stream serialization may begin before what it follows has
 * ended, so each waits for that first.
 */
#include <stdint.h>

static __device__ void wait_for_what_is_before(void)
{
#if __CUDA_ARCH__ >= 900
	asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

extern "C" __global__ void sim_add_bytes(uint8_t *at, uint64_t n, uint32_t addend)
{
	wait_for_what_is_before();
	for (uint64_t i = threadIdx.x; i < n; i += blockDim.x)
		at[i] = (uint8_t)(at[i] + addend);
}

extern "C" __global__ void sim_copy_bytes(uint8_t *to, const uint8_t *from, uint64_t n)
{
	wait_for_what_is_before();
	for (uint64_t i = threadIdx.x; i < n; i += blockDim.x)
		to[i] = from[i];
}
