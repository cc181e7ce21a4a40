/* SPDX-License-Identifier: MIT */
/*
 * Memory that the capture itself allocates: memsets of it are fills, with the results
 * and the bytes of memset nodes; what the capture has freed, or not allocated, is the
 * driver's.
 */
#include <string.h>

#include "drv.h"

#define SIZE ((size_t)65536)

static CUstream stream, side;
static CUevent event;
static CUdeviceptr copy; /* SIZE bytes, of the program */
static CUmemoryPool pool;

/* What a body of the capture leaves to be compared. */
struct results {
	CUresult call[4], end, instantiate, launch;
	size_t kernels, memsets;
	unsigned char bytes[SIZE];
};

static void whole(CUdeviceptr p, struct results *r)
{
	r->call[0] = cuMemsetD8Async(p, 0x11, SIZE, stream);
}

static void parts(CUdeviceptr p, struct results *r)
{
	r->call[0] = cuMemsetD8Async(p, 0x21, SIZE, stream);
	r->call[1] = cuMemsetD32Async(p + 64, 0x22232425, 100, stream);
	r->call[2] = cuMemsetD2D16Async(p + 4096, 256, 0x2627, 33, 20, stream);
	r->call[3] = cuMemsetD8Async(p + SIZE - 1, 0x28, 1, stream);
}

static void far_out(CUdeviceptr p, struct results *r)
{
	r->call[0] = cuMemsetD8Async(p, 0x31, SIZE, stream);
	r->call[1] = cuMemsetD8Async(p + ((size_t)1 << 40), 0x32, 64, stream);
}

static void in_a_fork(CUdeviceptr p, struct results *r)
{
	must(cuEventRecord(event, stream));
	must(cuStreamWaitEvent(side, event, 0));
	r->call[0] = cuMemsetD8Async(p, 0x41, SIZE / 2, side);
	r->call[1] = cuMemsetD8Async(p + SIZE / 2, 0x42, SIZE / 2, stream);
	must(cuEventRecord(event, side));
	must(cuStreamWaitEvent(stream, event, 0));
}

/* Allocated, used, copied out and freed by every replay. */
static void capture(void (*body)(CUdeviceptr, struct results *), int from_pool,
                    struct results *r)
{
	CUgraph graph = NULL;
	CUgraphExec exec;
	CUdeviceptr p;
	int i;

	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	if (from_pool)
		must(cuMemAllocFromPoolAsync(&p, SIZE, pool, stream));
	else
		must(cuMemAllocAsync(&p, SIZE, stream));
	body(p, r);
	must(cuMemcpyDtoDAsync(copy, p, SIZE, stream));
	must(cuMemFreeAsync(p, stream));
	r->end = cuStreamEndCapture(stream, &graph);
	if (!graph)
		return;
	r->kernels = drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL);
	r->memsets = drv_count(graph, CU_GRAPH_NODE_TYPE_MEMSET);
	r->instantiate = cuGraphInstantiateWithFlags(&exec, graph, 0);
	if (r->instantiate == CUDA_SUCCESS) {
		for (i = 0; i < 3 && r->launch == CUDA_SUCCESS; i++) {
			drv_dirty(r->bytes, SIZE, (unsigned int)i);
			drv_write(copy, r->bytes, SIZE);
			r->launch = cuGraphLaunch(exec, stream);
			if (r->launch == CUDA_SUCCESS)
				r->launch = cuStreamSynchronize(stream);
		}
		drv_read(r->bytes, copy, SIZE);
		must(cuGraphExecDestroy(exec));
	}
	must(cuGraphDestroy(graph));
}

static void same(const char *what, void (*body)(CUdeviceptr, struct results *),
                 size_t fills, size_t left)
{
	static struct results n, o;
	int from_pool;

	for (from_pool = 0; from_pool < 2; from_pool++) {
		memset(&n, 0, sizeof n);
		memset(&o, 0, sizeof o);
		drv_shim(0);
		capture(body, from_pool, &n);
		drv_shim(1);
		capture(body, from_pool, &o);
		ok(!memcmp(n.call, o.call, sizeof n.call) && n.end == o.end &&
		       n.instantiate == o.instantiate && n.launch == o.launch,
		   "%s: results as natively (%d, %d, %d)", what, n.end, n.instantiate,
		   n.launch);
		ok(!memcmp(n.bytes, o.bytes, SIZE), "%s: bytes as natively", what);
		is(o.kernels, fills, "%s: %zu fills", what, fills);
		is(o.memsets, left, "%s: %zu memset nodes", what, left);
		is(n.kernels, 0, "%s: natively none", what);
	}
}

/* The memory is gone from the graph; what the driver makes of that is its own. */
static void after_free(void)
{
	CUresult call[2], end[2], instantiate[2] = {CUDA_SUCCESS};
	size_t kernels = 1;
	CUgraphExec exec;
	CUgraph graph;
	CUdeviceptr p;
	int on;

	for (on = 0; on < 2; on++) {
		graph = NULL;
		drv_shim(on);
		must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
		must(cuMemAllocAsync(&p, SIZE, stream));
		must(cuMemFreeAsync(p, stream));
		call[on] = cuMemsetD8Async(p, 1, 64, stream);
		end[on] = cuStreamEndCapture(stream, &graph);
		if (!graph)
			continue;
		kernels = drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL);
		instantiate[on] = cuGraphInstantiateWithFlags(&exec, graph, 0);
		if (instantiate[on] == CUDA_SUCCESS)
			must(cuGraphExecDestroy(exec));
		must(cuGraphDestroy(graph));
	}
	drv_shim(1);
	is(call[1], call[0], "freed before: the call as natively");
	is(end[1], end[0], "freed before: the end as natively");
	is(instantiate[1], instantiate[0], "freed before: instantiated as natively");
	is(kernels, 0, "freed before: no fill");
}

/* A capture does not know of another's memory. */
static void of_another_capture(void)
{
	CUresult call[2], end[2], instantiate[2] = {CUDA_SUCCESS};
	size_t kernels = 1;
	CUgraphExec exec;
	CUgraph graph, other;
	CUdeviceptr p;
	int on;

	for (on = 0; on < 2; on++) {
		graph = NULL;
		drv_shim(on);
		must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
		must(cuMemAllocAsync(&p, SIZE, stream));
		must(cuStreamBeginCapture(side, CU_STREAM_CAPTURE_MODE_RELAXED));
		call[on] = cuMemsetD8Async(p, 1, 64, side);
		end[on] = cuStreamEndCapture(side, &graph);
		must(cuMemFreeAsync(p, stream));
		must(cuStreamEndCapture(stream, &other));
		must(cuGraphDestroy(other));
		if (!graph)
			continue;
		kernels = drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL);
		instantiate[on] = cuGraphInstantiateWithFlags(&exec, graph, 0);
		if (instantiate[on] == CUDA_SUCCESS)
			must(cuGraphExecDestroy(exec));
		must(cuGraphDestroy(graph));
	}
	drv_shim(1);
	is(call[1], call[0], "of another capture: the call as natively");
	is(end[1], end[0], "of another capture: the end as natively");
	is(instantiate[1], instantiate[0],
	   "of another capture: instantiated as natively");
	is(kernels, 0, "of another capture: no fill");
}

/* Left in the graph, to be freed outside; then again, and after captures given up. */
static void left_allocated(void)
{
	unsigned char got[64] = {0}, want[64];
	CUgraphExec exec;
	CUgraph graph;
	CUstream doomed;
	CUdeviceptr p;
	int i, good = 1;

	for (i = 0; i < 100; i++) {
		doomed = drv_stream();
		must(cuStreamBeginCapture(doomed, CU_STREAM_CAPTURE_MODE_RELAXED));
		must(cuMemAllocAsync(&p, SIZE, doomed));
		must(cuMemsetD8Async(p, 1, SIZE, doomed));
		must(cuStreamDestroy(doomed));
	}
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	must(cuMemAllocAsync(&p, SIZE, stream));
	must(cuMemsetD8Async(p, 0x51, SIZE, stream));
	must(cuStreamEndCapture(stream, &graph));
	good &= drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL) == 1;
	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	must(cuGraphLaunch(exec, stream));
	must(cuStreamSynchronize(stream));
	drv_read(got, p + SIZE - 64, 64);
	memset(want, 0x51, sizeof want);
	ok(good && !memcmp(got, want, sizeof got), "after captures given up: a fill");
	must(cuMemFreeAsync(p, stream));
	must(cuStreamSynchronize(stream));
	must(cuGraphExecDestroy(exec));
	must(cuGraphDestroy(graph));
}

int main(void)
{
	CUdevice device;

	drv_start();
	ok(drv_shim(1) >= 0, "the shim is loaded");
	must(cuDeviceGet(&device, 0));
	must(cuDeviceGetDefaultMemPool(&pool, device));
	stream = drv_stream();
	side = drv_stream();
	must(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	copy = drv_alloc(SIZE);
	same("all of it", whole, 1, 0);
	same("parts of it", parts, 4, 0);
	same("far out", far_out, 1, 1);
	same("in a fork", in_a_fork, 2, 0);
	after_free();
	of_another_capture();
	left_allocated();
	return done();
}
