/* SPDX-License-Identifier: MIT */
/*
 * kernels.cu - the test programs' own kernels, as the simulated driver has them too
 * (sim/kernel.c).  One block of any size.
 */
#include <stdint.h>

extern "C" __global__ void sim_copy_bytes(uint64_t to, uint64_t from, uint64_t n)
{
	for (uint64_t i = threadIdx.x; i < n; i += blockDim.x)
		((volatile uint8_t *)to)[i] = ((volatile uint8_t *)from)[i];
}

extern "C" __global__ void sim_add_bytes(uint64_t at, uint64_t n, uint32_t addend)
{
	for (uint64_t i = threadIdx.x; i < n; i += blockDim.x)
		((uint8_t *)at)[i] = (uint8_t)(((uint8_t *)at)[i] + addend);
}
