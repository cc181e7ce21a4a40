/* SPDX-License-Identifier: MIT */
/*
 * stats.h - the program of stats.sh and its libraries.
 */
#ifndef STATS_H
#define STATS_H

#include <cuda.h>
#include <stddef.h>

CUresult alpha_memset(CUdeviceptr at, size_t bytes, CUstream stream);
CUresult beta_memset(CUdeviceptr at, size_t bytes, CUstream stream);

/* As in the runtime, but for the types. */
int cudaMemsetAsync(CUdeviceptr at, int value, size_t bytes, CUstream stream);

#endif
