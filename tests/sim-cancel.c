/* SPDX-License-Identifier: MIT */
/*
 * A captured memset is no place for a thread to be cancelled, whatever the library
 * writes meanwhile, since the driver's is none; and no lock is left behind.
 */
#include "drv.h"

#include <pthread.h>

static CUcontext ctx;
static CUdeviceptr memory;

/* The memset warns that no kernels could be loaded, and a write can be cancelled. */
static void *cancelled(void *argument)
{
	CUstream stream = argument;
	CUgraph graph;

	must(cuCtxSetCurrent(ctx));
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	pthread_cancel(pthread_self());
	must(cuMemsetD8Async(memory, 1, 64, stream));
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	must(cuStreamEndCapture(stream, &graph));
	return graph;
}

static void test_cancel(void)
{
	pthread_t thread;
	void *result = NULL;

	sim_fail("cuLibraryLoadData", 1, CUDA_ERROR_OUT_OF_MEMORY);
	pthread_create(&thread, NULL, cancelled, drv_stream());
	pthread_join(thread, &result);
	ok(result && result != PTHREAD_CANCELED,
	   "a memset is no place to be cancelled");
	if (result && result != PTHREAD_CANCELED)
		is(drv_count(result, CU_GRAPH_NODE_TYPE_MEMSET), 1,
		   "the memset is in its graph");
}

int main(void)
{
	CUstream stream;
	CUgraph graph;

	ctx = drv_start();
	memory = drv_alloc(64);
	test_cancel();
	stream = drv_stream();
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	must(cuMemsetD8Async(memory, 1, 64, stream));
	must(cuStreamEndCapture(stream, &graph));
	is(drv_count(graph, CU_GRAPH_NODE_TYPE_MEMSET), 1,
	   "the next capture is no other");
	return done();
}
