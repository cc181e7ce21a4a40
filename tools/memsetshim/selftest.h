/* SPDX-License-Identifier: MIT */
/*
 * selftest.h - the parts of memsetshim selftest, and the little of the driver that it
 * needs.
 *
 * Handles are pointers and results ints, as in cuda.h's ABI, so that the command is
 * built without a toolkit.  The functions are looked up in a process that has the
 * library preloaded, so what is called is what any program would get.
 */
#ifndef SELFTEST_H
#define SELFTEST_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t device_ptr;

enum { NODE_KERNEL = 0, NODE_MEMSET = 2, CAPTURE_THREAD_LOCAL = 1 };

#define DRIVER_FUNCTIONS(F)                                                   \
	F(cuInit, cuInit, (unsigned int))                                     \
	F(cuDeviceGet, cuDeviceGet, (int *, int))                             \
	F(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (void **, int)) \
	F(cuCtxSetCurrent, cuCtxSetCurrent, (void *))                         \
	F(cuMemAlloc, cuMemAlloc_v2, (device_ptr *, size_t))                  \
	F(cuMemFree, cuMemFree_v2, (device_ptr))                              \
	F(cuMemAllocHost, cuMemAllocHost_v2, (void **, size_t))               \
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
	F(cuGraphExecUpdate, cuGraphExecUpdate_v2, (void *, void *, void *))  \
	F(cuGraphLaunch, cuGraphLaunch, (void *, void *))                     \
	F(cuGraphExecDestroy, cuGraphExecDestroy, (void *))                   \
	F(cuGraphDestroy, cuGraphDestroy, (void *))                           \
	F(cuEventCreate, cuEventCreate, (void **, unsigned int))              \
	F(cuEventRecord, cuEventRecord, (void *, void *))                     \
	F(cuEventSynchronize, cuEventSynchronize, (void *))                   \
	F(cuEventElapsedTime, cuEventElapsedTime, (float *, void *, void *))

struct selftest {
	void *lib; /* libcuda */
#define DRIVER_POINTER(name, symbol, params) int(*name) params;
	DRIVER_FUNCTIONS(DRIVER_POINTER)
#undef DRIVER_POINTER
	int (*set_enabled)(int on); /* the library's own */
	void *stream;
	device_ptr memory;
	unsigned char *native, *shimmed; /* host copies of memory */
	unsigned passed, failed, skipped;
};

enum { SELFTEST_MEMORY = 2 << 20 };

/* One line each, on stdout; NULL for what is no detail. */
__attribute__((format(printf, 2, 3))) void selftest_pass(struct selftest *t,
                                                         const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void selftest_fail(struct selftest *t,
                                                         const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void selftest_skip(struct selftest *t,
                                                         const char *fmt, ...);

/* 1 when a call succeeded; else a FAIL line that names it. */
#define SELFTEST_TRY(t, call) selftest_try(t, call, #call)
int selftest_try(struct selftest *t, int result, const char *call);

/* A memset of any of the six kinds; elem is 1, 2 or 4; height 0 is one-dimensional. */
struct selftest_memset {
	size_t offset, width, height, pitch; /* width in elements, pitch in bytes */
	unsigned value, elem;
};

/* Captures n of them, with the library at work or not: a graph, or NULL after a FAIL.
 */
void *selftest_capture(struct selftest *t, const struct selftest_memset *m, unsigned n,
                       int shim);

/* The calls of selftest_checks.c and selftest_speed.c. */
void selftest_ways(struct selftest *t);
void selftest_nodes(struct selftest *t);
void selftest_bytes(struct selftest *t);
void selftest_left_alone(struct selftest *t);
void selftest_update(struct selftest *t);
void selftest_speed(struct selftest *t);

#endif
