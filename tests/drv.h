/* SPDX-License-Identifier: MIT */
/*
 * drv.h - what every behaviour test needs of a driver, real or simulated.
 *
 * A test links libcuda and runs with the shim preloaded; which libcuda it meets is
 * decided by LD_LIBRARY_PATH (tests/run).  Single-threaded unless it says otherwise.
 */
#ifndef DRV_H
#define DRV_H

#include <cuda.h>
#include <stddef.h>

#include "sim/sim_control.h"
#include "tap.h"

/* Absent, that is NULL, where libcuda is the real one: ask drv_is_sim() first. */
#pragma weak sim_reset
#pragma weak sim_fail
#pragma weak sim_calls
#pragma weak sim_on_call
#pragma weak sim_log_start
#pragma weak sim_log_stop
#pragma weak sim_log_entry
#pragma weak sim_driver_version
#pragma weak sim_live
#pragma weak sim_kernel_launches

/* cuInit, the primary context of device 0, made current; skip_all() where no GPU. */
CUcontext drv_start(void);

/* skip_all() where no GPU; this process stays without cuInit. */
void drv_need_gpu(void);

/* 1 when libcuda is the simulated one. */
int drv_is_sim(void);

/*
 * Ends the test, as failed, when a call that has to work does not.  Any thread; in a
 * child of drv_child() or drv_rerun() it ends the child.
 */
#define must(call) drv_must((call), #call, __FILE__, __LINE__)
void drv_must(CUresult result, const char *call, const char *file, int line);

/* Says what is not so, as a TAP comment; the condition's truth.  For children. */
#define holds(cond)                                                              \
	((cond) ? 1                                                              \
	        : (printf("# not so at %s:%d: %s\n", __FILE__, __LINE__, #cond), \
	           fflush(stdout), 0))

/*
 * What the driver itself says of a node.  A fill node is a kernel to it, while the
 * program's cuGraphNodeGetType, which the shim hooks, says that it is a memset.
 */
CUgraphNodeType drv_type(CUgraphNode node);

/* Nodes of `graph` that drv_type() says are of `type`, child graphs not entered. */
size_t drv_count(CUgraph graph, CUgraphNodeType type);
size_t drv_nodes(CUgraph graph);

/* Turns the shim's substitution on or off; -1 when no shim is loaded. */
int drv_shim(int on);

/* Instantiates and launches `times` times on `stream`; the first error, if any. */
CUresult drv_replay(CUgraph graph, CUstream stream, int times);

/* Copies device bytes to the host. */
void drv_read(void *host, CUdeviceptr from, size_t bytes);

/* Sets device bytes from the host, without any memset. */
void drv_write(CUdeviceptr to, const void *host, size_t bytes);

CUdeviceptr drv_alloc(size_t bytes);
CUstream drv_stream(void); /* non-blocking */

/* A kernel of kernels.cu, for launches in any context. */
CUfunction drv_kernel(const char *name);

/*
 * Launches sim_copy_bytes(to, from, n) in one block, by cuLaunchKernelEx; `overlap`
 * asks for programmatic stream serialization.
 */
CUresult drv_launch_copy(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream stream,
                         int overlap);

/* A new context of device 0, current now; cuCtxCreate changed its shape too often. */
CUcontext drv_context(void);

/* What dlsym finds in libcuda: the shim's hook, where there is one.  Any thread. */
void *drv_entry(const char *name);

/* The driver's own function, read from its symbol table; nobody can have hooked that.
 */
void *drv_own(const char *name);

/* One asynchronous memset of any of the twelve kinds. */
struct drv_set {
	unsigned int elem; /* 1, 2 or 4 bytes */
	int rows;          /* 1: a D2D kind */
	int twin;          /* 1: a _ptsz kind */
	CUdeviceptr dst;
	unsigned int value;
	size_t width; /* elements */
	size_t height, pitch;
};

/* "cuMemsetD2D16Async_ptsz"; the string is good until the thread's next call. */
const char *drv_set_name(const struct drv_set *m);

/* The call: plain kinds as linked, twins as dlsym finds them.  Any thread. */
CUresult drv_memset(const struct drv_set *m, CUstream stream);

/* Bytes from the first to the last one that *m writes. */
size_t drv_span(const struct drv_set *m);

/* Does to the host's picture of memory, whose start is `base`, what *m is to do. */
void drv_apply(const struct drv_set *m, unsigned char *picture, CUdeviceptr base);

/* Bytes that are no memset's doing, others for each seed. */
void drv_dirty(unsigned char *bytes, size_t n, unsigned int seed);

/* What came of a captured memset. */
struct drv_outcome {
	CUresult call, end;
	size_t nodes, kernels, memsets;
};

/* Captures *m in global mode; the graph, or NULL when the capture did not end well. */
CUgraph drv_capture(const struct drv_set *m, CUstream stream, struct drv_outcome *o);

/*
 * Runs body(arg) in a child, which has a minute: its return value, or 128 plus the
 * signal that killed it.
 */
int drv_child(int (*body)(void *), void *arg);

/* The same for main() of this program, run anew with one argument. */
int drv_rerun(const char *argument);

#endif
