/* SPDX-License-Identifier: MIT */
/*
 * gpu.h - the driver, looked up with dlsym as an ordinary program would, and the GPU.
 *
 * Linking libcuda would turn "no driver here" into a loader error; and dlsym is one of
 * the ways in that the shim has to catch.  Single-threaded.  Errors end the program
 * through try(): a benchmark has no use for half a result.
 */
#ifndef BENCH_GPU_H
#define BENCH_GPU_H

#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <stddef.h>

#define GPU_FUNCTIONS(F)                 \
	F(cuInit)                        \
	F(cuDriverGetVersion)            \
	F(cuDeviceGet)                   \
	F(cuDeviceGetName)               \
	F(cuDeviceGetPCIBusId)           \
	F(cuDeviceGetAttribute)          \
	F(cuDevicePrimaryCtxRetain)      \
	F(cuCtxSetCurrent)               \
	F(cuMemAlloc_v2)                 \
	F(cuMemFree_v2)                  \
	F(cuMemcpyHtoD_v2)               \
	F(cuMemcpyDtoH_v2)               \
	F(cuStreamCreate)                \
	F(cuStreamSynchronize)           \
	F(cuStreamBeginCapture_v2)       \
	F(cuStreamEndCapture)            \
	F(cuStreamWaitEvent)             \
	F(cuEventCreate)                 \
	F(cuEventRecord)                 \
	F(cuEventElapsedTime)            \
	F(cuGraphGetNodes)               \
	F(cuGraphNodeGetType)            \
	F(cuGraphKernelNodeGetParams_v2) \
	F(cuGraphInstantiateWithFlags)   \
	F(cuGraphUpload)                 \
	F(cuGraphLaunch)                 \
	F(cuGraphExecDestroy)            \
	F(cuGraphDestroy)                \
	F(cuLibraryLoadData)             \
	F(cuLibraryGetKernel)            \
	F(cuLaunchKernel)                \
	F(cuMemsetD8Async)               \
	F(cuGetErrorName)

struct gpu {
#define FIELD(name) __typeof__(name) *name;
	GPU_FUNCTIONS(FIELD)
#undef FIELD
	CUdevice device;
	CUkernel compute, word;
	int sms, driver; /* driver: 13000 is CUDA 13.0 */
	char name[128];
};

extern struct gpu gpu;

/* NULL, or why there is nothing to measure on: a sentence. */
const char *gpu_open(void);

#define try(call) gpu_check((call), #call, __FILE__, __LINE__)
void gpu_check(CUresult result, const char *call, const char *file, int line);

/* This GPU's clocks and the driver's version as NVML tells them; "" and not known where
 * it does not. */
struct clocks {
	int known, throttle_known;
	unsigned int sm, memory;     /* MHz */
	unsigned long long throttle; /* NVML's bits: why the clocks are lower */
	char driver[80];
};

void gpu_clocks(struct clocks *c);

#endif
