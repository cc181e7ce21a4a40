/* SPDX-License-Identifier: MIT */
/*
 * selftest_driver.h - the little of the driver that memsetshim selftest needs.
 *
 * Declared here, not by cuda.h, so that the command is built without a toolkit: handles
 * are pointers, results, devices and enumerations ints, as in cuda.h's ABI, which
 * NVIDIA keeps for exported names.
 */
#ifndef SELFTEST_DRIVER_H
#define SELFTEST_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t device_ptr; /* CUdeviceptr */

/* Of CUgraphNodeType, CUstream_flags, CUstreamCaptureMode, CUdriverProcAddress_flags.
 */
enum {
	NODE_KERNEL = 0,
	NODE_MEMSET = 2,
	STREAM_NON_BLOCKING = 1,
	CAPTURE_THREAD_LOCAL = 1,
	PER_THREAD_DEFAULT_STREAM = 2,
};

/* CUgraphExecUpdateResultInfo */
struct update_result {
	int result;
	void *node, *from_node;
};

/* CUDA_KERNEL_NODE_PARAMS_v2 */
struct kernel_params {
	void *function;
	unsigned int sizes[7];
	void **params, **extra;
	void *kernel, *context;
};

/* F(what we call it, the exported name, parameters); all of them return a CUresult. */
#define DRIVER_FUNCTIONS(F)                                                   \
	F(cuInit, cuInit, (unsigned int))                                     \
	F(cuGetErrorName, cuGetErrorName, (int, const char **))               \
	F(cuDeviceGet, cuDeviceGet, (int *, int))                             \
	F(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (void **, int)) \
	F(cuCtxSetCurrent, cuCtxSetCurrent, (void *))                         \
	F(cuMemAlloc, cuMemAlloc_v2, (device_ptr *, size_t))                  \
	F(cuMemAllocHost, cuMemAllocHost_v2, (void **, size_t))               \
	F(cuMemFreeHost, cuMemFreeHost, (void *))                             \
	F(cuMemcpyDtoH, cuMemcpyDtoH_v2, (void *, device_ptr, size_t))        \
	F(cuMemsetD8, cuMemsetD8_v2, (device_ptr, unsigned char, size_t))     \
	F(cuMemsetD8Async, cuMemsetD8Async,                                   \
	  (device_ptr, unsigned char, size_t, void *))                        \
	F(cuMemsetD16Async, cuMemsetD16Async,                                 \
	  (device_ptr, unsigned short, size_t, void *))                       \
	F(cuMemsetD32Async, cuMemsetD32Async,                                 \
	  (device_ptr, unsigned int, size_t, void *))                         \
	F(cuMemsetD2D8Async, cuMemsetD2D8Async,                               \
	  (device_ptr, size_t, unsigned char, size_t, size_t, void *))        \
	F(cuMemsetD2D16Async, cuMemsetD2D16Async,                             \
	  (device_ptr, size_t, unsigned short, size_t, size_t, void *))       \
	F(cuMemsetD2D32Async, cuMemsetD2D32Async,                             \
	  (device_ptr, size_t, unsigned int, size_t, size_t, void *))         \
	F(cuStreamCreate, cuStreamCreate, (void **, unsigned int))            \
	F(cuStreamSynchronize, cuStreamSynchronize, (void *))                 \
	F(cuStreamBeginCapture, cuStreamBeginCapture_v2, (void *, int))       \
	F(cuStreamEndCapture, cuStreamEndCapture, (void *, void **))          \
	F(cuGraphGetNodes, cuGraphGetNodes, (void *, void **, size_t *))      \
	F(cuGraphNodeGetType, cuGraphNodeGetType, (void *, int *))            \
	F(cuGraphInstantiate, cuGraphInstantiateWithFlags,                    \
	  (void **, void *, unsigned long long))                              \
	F(cuGraphLaunch, cuGraphLaunch, (void *, void *))                     \
	F(cuGraphExecDestroy, cuGraphExecDestroy, (void *))                   \
	F(cuGraphDestroy, cuGraphDestroy, (void *))                           \
	F(cuEventCreate, cuEventCreate, (void **, unsigned int))              \
	F(cuEventRecord, cuEventRecord, (void *, void *))                     \
	F(cuEventSynchronize, cuEventSynchronize, (void *))                   \
	F(cuEventElapsedTime, cuEventElapsedTime, (float *, void *, void *))

/* NULL in drivers that do not have them. */
#define DRIVER_MAY_HAVE(F)                                                            \
	F(cuGraphExecUpdate_v1, cuGraphExecUpdate, (void *, void *, void **, int *))  \
	F(cuGraphExecUpdate, cuGraphExecUpdate_v2,                                    \
	  (void *, void *, struct update_result *))                                   \
	F(cuGraphKernelNodeGetParams, cuGraphKernelNodeGetParams_v2,                  \
	  (void *, struct kernel_params *))                                           \
	F(cuGetProcAddress, cuGetProcAddress, (const char *, void **, int, uint64_t)) \
	F(cuGetProcAddress_v2, cuGetProcAddress_v2,                                   \
	  (const char *, void **, int, uint64_t, int *))

#endif
