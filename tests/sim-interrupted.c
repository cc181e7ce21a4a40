/* SPDX-License-Identifier: MIT */
/*
 * What comes between: a capture that is invalidated while the fill is launched is the
 * driver's affair, and one that two threads end at once leaves the others alone.
 */
#include "drv.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static CUcontext ctx;
static CUdeviceptr memory;

static size_t kernels_of(CUstream stream)
{
	CUgraph graph;

	must(cuMemsetD8Async(memory, 1, 64, stream));
	must(cuStreamEndCapture(stream, &graph));
	return drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL);
}

static atomic_int at_gate;
static CUstream shared;

static void gate(void *unused)
{
	(void)unused;
	atomic_fetch_add(&at_gate, 1);
	while (atomic_load(&at_gate) < 2)
		usleep(100);
}

static void *end_shared(void *result)
{
	CUgraph graph = NULL;

	must(cuCtxSetCurrent(ctx));
	*(CUresult *)result = cuStreamEndCapture(shared, &graph);
	return NULL;
}

static void test_two_ends(void)
{
	CUstream other = drv_stream();
	CUresult first, second;
	pthread_t thread;

	shared = drv_stream();
	must(cuStreamBeginCapture(other, CU_STREAM_CAPTURE_MODE_RELAXED));
	must(cuStreamBeginCapture(shared, CU_STREAM_CAPTURE_MODE_RELAXED));
	sim_on_call("cuStreamEndCapture", gate, NULL);
	pthread_create(&thread, NULL, end_shared, &first);
	end_shared(&second);
	pthread_join(thread, NULL);
	sim_on_call("cuStreamEndCapture", NULL, NULL);
	ok((first == CUDA_SUCCESS) != (second == CUDA_SUCCESS),
	   "of two ends of one capture one succeeds: %d and %d", first, second);
	is(kernels_of(other), 1, "another capture still has its fill");
}

static void invalidate(void *unused)
{
	CUdeviceptr more;

	(void)unused;
	(void)cuMemAlloc(&more, 64);
}

static void test_invalidated(void)
{
	CUstream stream = drv_stream();
	CUgraph graph = NULL;

	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	sim_on_call("cuLaunchKernel", invalidate, NULL);
	is(cuMemsetD8Async(memory, 1, 64, stream),
	   CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
	   "a capture that is invalidated meanwhile: the driver's own answer");
	sim_on_call("cuLaunchKernel", NULL, NULL);
	is(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
	   "at its end as well");
}

int main(void)
{
	FILE *errors = tmpfile();
	int saved = dup(STDERR_FILENO);

	ctx = drv_start();
	memory = drv_alloc(64);
	test_two_ends();
	if (!errors || saved < 0 || dup2(fileno(errors), STDERR_FILENO) < 0)
		bail("stderr cannot be a file");
	test_invalidated();
	dup2(saved, STDERR_FILENO);
	is(lseek(fileno(errors), 0, SEEK_END), 0, "and nothing is said");
	return done();
}
