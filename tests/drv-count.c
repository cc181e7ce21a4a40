/* SPDX-License-Identifier: MIT */
/*
 * However captures fail to begin, to end or to go on, memsets in other captures, open
 * meanwhile or begun afterwards, still become kernels, and eager ones still work.
 */
#include <pthread.h>
#include <string.h>

#include "drv.h"

#define SIZE 256u

static CUcontext ctx;
static CUdeviceptr memory, spare;
static int shimmed; /* this time */

/* What the driver said to each call that the trouble is made of. */
static char trace[128];

static void note(CUresult result)
{
	size_t n = strlen(trace);

	snprintf(trace + n, sizeof trace - n, " %d", (int)result);
}

/* A capture, open since before the trouble and with one memset from before it. */
static CUstream open_stream;

static void open_one(void)
{
	must(cuStreamBeginCapture(open_stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	must(cuMemsetD8Async(memory, 1, SIZE, open_stream));
}

static void close_one(const char *after)
{
	CUgraph graph = NULL;

	must(cuMemsetD8Async(memory, 2, SIZE, open_stream));
	is(cuStreamEndCapture(open_stream, &graph), CUDA_SUCCESS,
	   "%s: the open capture ends well", after);
	if (!graph)
		return;
	ok(drv_nodes(graph) == 2 && drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL) == 2,
	   "%s: its memsets are kernels, before and after", after);
	must(cuGraphDestroy(graph));
}

/* New captures in each mode, and an eager memset. */
static void all_well(const char *after)
{
	CUstream stream = drv_stream();
	unsigned char bytes[SIZE];
	int mode, kernels = 0;

	for (mode = 0; mode < 3; mode++) {
		CUgraph graph;

		must(cuStreamBeginCapture(stream, (CUstreamCaptureMode)mode));
		must(cuMemsetD8Async(memory, 3, SIZE, stream));
		must(cuStreamEndCapture(stream, &graph));
		kernels += (int)drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL);
		must(cuGraphDestroy(graph));
	}
	is(kernels, 3, "%s: new captures hold kernels", after);
	memset(bytes, 0, sizeof bytes);
	drv_write(memory, bytes, SIZE);
	must(cuMemsetD8Async(memory, 0x4e, SIZE, stream));
	must(cuStreamSynchronize(stream));
	drv_read(bytes, memory, SIZE);
	ok(bytes[0] == 0x4e && bytes[SIZE - 1] == 0x4e, "%s: eager memsets work",
	   after);
	must(cuStreamDestroy(stream));
}

/* --- the kinds of trouble: each gives the result that matters ----------------------
 */

static CUresult begin_on_legacy(void)
{
	return cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_RELAXED);
}

static CUresult begin_in_no_mode(void)
{
	CUstream stream = drv_stream();
	CUresult result = cuStreamBeginCapture(stream, (CUstreamCaptureMode)77);

	must(cuStreamDestroy(stream));
	return result;
}

static CUresult begin_twice(void)
{
	return cuStreamBeginCapture(open_stream, CU_STREAM_CAPTURE_MODE_RELAXED);
}

static CUresult end_without_begin(void)
{
	CUstream stream = drv_stream();
	CUgraph graph = NULL;
	CUresult result = cuStreamEndCapture(stream, &graph);

	must(cuStreamDestroy(stream));
	return result;
}

static CUresult end_twice(void)
{
	CUstream stream = drv_stream();
	CUgraph graph, none = NULL;
	CUresult result;

	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	must(cuStreamEndCapture(stream, &graph));
	result = cuStreamEndCapture(stream, &none);
	must(cuGraphDestroy(graph));
	must(cuStreamDestroy(stream));
	return result;
}

static void *end_here(void *arg)
{
	CUstream stream = arg;
	CUgraph graph = NULL;

	must(cuCtxSetCurrent(ctx));
	return (void *)(uintptr_t)cuStreamEndCapture(stream, &graph);
}

/* The right thread goes on afterwards, as far as the driver lets it. */
static CUresult end_in_wrong_thread(void)
{
	CUstream stream = drv_stream();
	CUgraph graph = NULL;
	pthread_t thread;
	void *result;

	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
	must(cuMemsetD8Async(memory, 5, SIZE, stream));
	if (pthread_create(&thread, NULL, end_here, stream))
		bail("no thread");
	pthread_join(thread, &result);
	note(cuMemsetD8Async(memory, 6, SIZE, stream));
	note(cuStreamEndCapture(stream, &graph));
	if (graph) {
		note((CUresult)drv_nodes(graph));
		is(drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL),
		   shimmed ? drv_nodes(graph) : 0,
		   "the thread that may end it finds its nodes");
		must(cuGraphDestroy(graph));
	}
	must(cuStreamDestroy(stream));
	return (CUresult)(uintptr_t)result;
}

/* Waiting for a stream that captures spoils the capture; its memsets then fail. */
static CUresult invalidated(void)
{
	CUstream stream = drv_stream();
	CUgraph graph = NULL;
	CUresult result;

	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	must(cuMemsetD8Async(memory, 5, SIZE, stream));
	note(cuStreamSynchronize(stream));
	result = cuMemsetD8Async(memory, 6, SIZE, stream);
	is(result, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
	   "a memset in an invalidated capture fails");
	note(result);
	result = cuStreamEndCapture(stream, &graph);
	ok(!graph, "which has no graph");
	must(cuStreamDestroy(stream));
	return result;
}

static CUresult unjoined(void)
{
	CUstream stream = drv_stream(), forked = drv_stream();
	CUgraph graph = NULL;
	CUresult result;
	CUevent event;

	must(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	must(cuMemsetD8Async(memory, 5, SIZE, stream));
	must(cuEventRecord(event, stream));
	must(cuStreamWaitEvent(forked, event, 0));
	must(cuMemsetD8Async(spare, 6, SIZE, forked));
	result = cuStreamEndCapture(stream, &graph);
	must(cuEventDestroy(event));
	must(cuStreamDestroy(stream));
	must(cuStreamDestroy(forked));
	return result;
}

static CUresult abandoned(void)
{
	CUstream stream = drv_stream();

	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	must(cuMemsetD8Async(memory, 5, SIZE, stream));
	return cuStreamDestroy(stream);
}

static const struct {
	const char *what;
	CUresult (*happen)(void);
	int may_succeed;
} troubles[] = {
    {"begin on the legacy stream", begin_on_legacy, 0},
    {"begin in no known mode", begin_in_no_mode, 0},
    {"begin twice", begin_twice, 0},
    {"end without begin", end_without_begin, 0},
    {"end twice", end_twice, 0},
    {"end in the wrong thread", end_in_wrong_thread, 0},
    {"invalidated", invalidated, 0},
    {"unjoined", unjoined, 0},
    {"stream destroyed in capture", abandoned, 1},
};

int main(void)
{
	size_t i;

	ctx = drv_start();
	ok(drv_shim(1) >= 0, "the shim is loaded");
	open_stream = drv_stream();
	memory = drv_alloc(SIZE);
	spare = drv_alloc(SIZE);
	for (i = 0; i < sizeof troubles / sizeof *troubles; i++) {
		const char *what = troubles[i].what;
		char native_trace[sizeof trace];
		CUgraph graph = NULL;
		CUresult results[2];

		trace[0] = '\0';
		shimmed = 0;
		drv_shim(0);
		open_one();
		results[0] = troubles[i].happen();
		must(cuStreamEndCapture(open_stream, &graph));
		must(cuGraphDestroy(graph));
		memcpy(native_trace, trace, sizeof trace);
		trace[0] = '\0';
		shimmed = 1;
		drv_shim(1);
		open_one();
		results[1] = troubles[i].happen();
		close_one(what);
		is(results[1], results[0], "%s: same result", what);
		ok(!strcmp(trace, native_trace), "%s: same results before it (%s)",
		   what, native_trace);
		ok(results[0] != CUDA_SUCCESS || troubles[i].may_succeed,
		   "%s: an error", what);
		all_well(what);
	}
	return done();
}
