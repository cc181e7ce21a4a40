/* SPDX-License-Identifier: MIT */
/*
 * Whatever driver function fails under the shim in a capture, the program sees what it
 * would have seen without the shim: success, a capture that ends well, the right bytes,
 * its own context and capture mode; a memset node may stand where a kernel would have.
 */
#include <string.h>

#include "drv.h"

#define MEMSETS 4u
#define SIZE 100u

struct fault {
	const char *function;
	int nth;
	CUresult result;
	int foreign; /* the stream belongs to another context than the current one */
};

static const char *const functions[] = {
#define HOOK(name, params)
#define CALL_NEEDED(name, params) #name,
#define CALL(name, params) /* no plain memset needs these */
#include "../shim/symbols.def"
#undef HOOK
#undef CALL_NEEDED
#undef CALL
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* What a child exits with. */
enum { GOOD, GOOD_UNCALLED, BAD };

static CUcontext current(void)
{
	CUcontext ctx = NULL;

	must(cuCtxGetCurrent(&ctx));
	return ctx;
}

/* How many contexts this thread has on its stack; leaves them there. */
static int depth(void)
{
	CUcontext stack[64];
	int n = 0, i;

	while (n < 64 && cuCtxPopCurrent(&stack[n]) == CUDA_SUCCESS)
		n++;
	for (i = n; i > 0; i--)
		must(cuCtxPushCurrent(stack[i - 1]));
	return n;
}

static CUstreamCaptureMode mode(void)
{
	CUstreamCaptureMode was = CU_STREAM_CAPTURE_MODE_GLOBAL, ours;

	must(cuThreadExchangeStreamCaptureMode(&was));
	ours = was;
	must(cuThreadExchangeStreamCaptureMode(&ours));
	return was;
}

/* Where nothing else has failed there is nothing to unload. */
static int is_unload(const struct fault *fault)
{
	return !strcmp(fault->function, "cuLibraryUnload");
}

/* The capture of a few memsets, of which `fault` disturbs one. */
static CUgraph capture(CUstream stream, CUdeviceptr p, const struct fault *fault,
                       int *called)
{
	CUcontext before = current();
	int depth_before = depth(), good = 1;
	CUgraph graph = NULL;
	unsigned int i;

	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	sim_reset();
	if (fault)
		sim_fail(fault->function, fault->nth, fault->result);
	if (fault && is_unload(fault))
		sim_fail("cuLibraryGetKernel", 2, CUDA_ERROR_NOT_FOUND);
	for (i = 0; i < MEMSETS; i++)
		good &=
		    holds(cuMemsetD8Async(p + (size_t)i * SIZE, (unsigned char)(i + 1),
		                          SIZE, stream) == CUDA_SUCCESS);
	good &= holds(cuStreamEndCapture(stream, &graph) == CUDA_SUCCESS);
	*called = fault && sim_calls(fault->function) >= fault->nth;
	sim_reset();
	good &= holds(current() == before);
	good &= holds(depth() == depth_before);
	good &= holds(mode() == CU_STREAM_CAPTURE_MODE_GLOBAL);
	return good ? graph : NULL;
}

static int replayed(CUgraph graph, CUstream stream, CUdeviceptr p)
{
	unsigned char got[MEMSETS * SIZE] = {0}, want[MEMSETS * SIZE];
	size_t i;
	int good;

	for (i = 0; i < sizeof want; i++)
		want[i] = (unsigned char)(i / SIZE + 1);
	drv_write(p, got, sizeof got);
	good = holds(drv_replay(graph, stream, 1) == CUDA_SUCCESS);
	drv_read(got, p, sizeof got);
	return good && holds(!memcmp(got, want, sizeof got));
}

/* What failed once is not tried again, so that all captures agree. */
static int sticky(const struct fault *fault)
{
	static const char *const loading[] = {"cuThreadExchangeStreamCaptureMode",
	                                      "cuLibraryLoadData", "cuLibraryGetKernel",
	                                      "cuLibraryUnload", "cuDriverGetVersion"};
	size_t i;

	for (i = 0; i < COUNT(loading); i++)
		if (!strcmp(loading[i], fault->function))
			return 1;
	return 0;
}

static int disturbed(void *arg)
{
	const struct fault *fault = arg;
	CUcontext primary = drv_start();
	int called, uncalled;
	size_t kernels;
	CUstream stream;
	CUgraph graph;
	CUdeviceptr p;

	/* The warnings that all this gives are another test's. */
	if (!freopen("/dev/null", "w", stderr))
		return BAD;
	if (fault->foreign)
		drv_context();
	stream = drv_stream();
	p = drv_alloc((size_t)MEMSETS * SIZE);
	if (fault->foreign)
		must(cuCtxPushCurrent(primary));
	graph = capture(stream, p, fault, &called);
	if (!graph)
		return BAD;
	kernels = drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL);
	if (!holds(drv_nodes(graph) == MEMSETS) ||
	    !holds(kernels + drv_count(graph, CU_GRAPH_NODE_TYPE_MEMSET) == MEMSETS) ||
	    !replayed(graph, stream, p))
		return BAD;
	uncalled = !called && !is_unload(fault);
	if (uncalled && !holds(kernels == MEMSETS))
		return BAD;
	/* Undisturbed: all is well again. */
	graph = capture(stream, p, NULL, &called);
	if (!graph || !replayed(graph, stream, p))
		return BAD;
	kernels = drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL);
	if (!holds(kernels == MEMSETS || (!kernels && !uncalled && sticky(fault))))
		return BAD;
	return uncalled ? GOOD_UNCALLED : GOOD;
}

/* No fill calls it: it is there for programs that walk graphs. */
static int never_called(const char *function)
{
	return !strcmp(function, "cuKernelGetFunction");
}

static void all_faults_of(const char *function)
{
	static const CUresult results[] = {
	    CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_UNKNOWN};
	struct fault f = {.function = function};
	int called = 0;
	size_t i;

	for (f.foreign = 0; f.foreign < 2; f.foreign++)
		for (f.nth = 1; f.nth <= 3; f.nth++) {
			int good = 1;

			for (i = 0; i < COUNT(results); i++) {
				int result;

				f.result = results[i];
				result = drv_child(disturbed, &f);
				called += result != GOOD_UNCALLED;
				good &= result == GOOD || result == GOOD_UNCALLED;
			}
			ok(good, "%s fails at call %d%s", function, f.nth,
			   f.foreign ? ", stream of another context" : "");
		}
	if (!never_called(function))
		ok(called > 0, "%s did fail somewhere", function);
}

int main(void)
{
	size_t i;

	if (!drv_is_sim())
		skip_all("needs the simulated driver");
	for (i = 0; i < COUNT(functions); i++)
		all_faults_of(functions[i]);
	return done();
}
