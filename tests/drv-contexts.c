/* SPDX-License-Identifier: MIT */
/*
 * Contexts: the stream's counts, not the current one; memory of another context is left
 * to the driver; contexts come, go and are reset between captures; no hooked call
 * changes the current context or the stack of contexts.
 */
#include <string.h>

#include "drv.h"

#define SIZE 512u

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

	while (n < 64 && current())
		must(cuCtxPopCurrent(&stack[n++]));
	for (i = n; i > 0; i--)
		must(cuCtxPushCurrent(stack[i - 1]));
	return n;
}

struct outcome {
	CUresult begin, call, end, instantiate, launch;
	size_t nodes, kernels;
	int contexts_kept, bytes_right;
};

/* `home` is current while the memory is looked at, and is taken off again. */
static int bytes_are(CUcontext home, CUdeviceptr p, int value)
{
	unsigned char got[SIZE], want[SIZE];

	must(cuCtxPushCurrent(home));
	must(cuCtxSynchronize());
	drv_read(got, p, SIZE);
	memset(want, value, SIZE);
	must(cuCtxPopCurrent(NULL));
	return !memcmp(got, want, SIZE);
}

static void zero(CUcontext home, CUdeviceptr p)
{
	static const unsigned char zeros[SIZE];

	must(cuCtxPushCurrent(home));
	drv_write(p, zeros, SIZE);
	must(cuCtxPopCurrent(NULL));
}

static int steps_kept;

/* One call; afterwards the same context is current, and as many are on the stack. */
#define STEP(result, call)                                            \
	do {                                                          \
		CUcontext before = current();                         \
		int deep = depth();                                   \
		result = (call);                                      \
		steps_kept &= current() == before && depth() == deep; \
	} while (0)

/* Captures and replays with whatever context is current; `home` is the memory's. */
static struct outcome try(CUstream stream, CUcontext home, CUdeviceptr p, int on)
{
	struct outcome o = {.instantiate = CUDA_ERROR_UNKNOWN};
	CUgraphExec exec;
	CUgraph graph = NULL;

	zero(home, p);
	drv_shim(on);
	steps_kept = 1;
	STEP(o.begin, cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	STEP(o.call, cuMemsetD32Async(p, 0x5b5b5b5b, SIZE / 4, stream));
	STEP(o.end, cuStreamEndCapture(stream, &graph));
	o.contexts_kept = steps_kept;
	drv_shim(1);
	if (!graph)
		return o;
	o.nodes = drv_nodes(graph);
	o.kernels = drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL);
	o.instantiate = cuGraphInstantiateWithFlags(&exec, graph, 0);
	if (o.instantiate == CUDA_SUCCESS) {
		o.launch = cuGraphLaunch(exec, stream);
		cuStreamSynchronize(stream);
		o.bytes_right = bytes_are(home, p, 0x5b);
		cuGraphExecDestroy(exec);
	}
	cuGraphDestroy(graph);
	return o;
}

static void show(const char *arm, const struct outcome *o)
{
	printf("# %s: begin %d, call %d, end %d, nodes %zu, kernels %zu, instantiate "
	       "%d, launch %d, contexts %s, bytes %s\n",
	       arm, (int)o->begin, (int)o->call, (int)o->end, o->nodes, o->kernels,
	       (int)o->instantiate, (int)o->launch,
	       o->contexts_kept ? "kept" : "changed",
	       o->bytes_right ? "right" : "wrong");
}

/* The same with and without the shim, but for the kind of the node. */
static void both(const char *what, CUstream stream, CUcontext home, CUdeviceptr p,
                 size_t kernels)
{
	struct outcome native = try(stream, home, p, 0);
	struct outcome shimmed = try(stream, home, p, 1);

	if (!ok(native.begin == shimmed.begin && native.call == shimmed.call &&
	            native.end == shimmed.end && native.nodes == shimmed.nodes &&
	            native.instantiate == shimmed.instantiate &&
	            native.launch == shimmed.launch &&
	            native.bytes_right == shimmed.bytes_right,
	        "%s: same results", what)) {
		show("native", &native);
		show("shimmed", &shimmed);
	}
	ok(native.call == CUDA_SUCCESS && native.bytes_right,
	   "%s: succeeds, bytes right", what);
	is(shimmed.kernels, kernels, "%s: kernel nodes", what);
	ok(native.contexts_kept && shimmed.contexts_kept,
	   "%s: current context and stack are kept", what);
}

static void own(const char *what)
{
	CUstream stream = drv_stream();
	CUdeviceptr p = drv_alloc(SIZE);

	both(what, stream, current(), p, 1);
	must(cuStreamDestroy(stream));
	must(cuMemFree(p));
}

static void two_contexts(CUcontext primary)
{
	CUdeviceptr p = drv_alloc(SIZE), p2;
	CUcontext second = drv_context();
	CUstream stream2 = drv_stream();

	p2 = drv_alloc(SIZE);
	both("stream and memory of the current context", stream2, second, p2, 1);
	both("memory of another context", stream2, primary, p, 0);
	must(cuCtxPushCurrent(primary));
	both("stream and memory of another context", stream2, second, p2, 1);
	both("stream of another context, memory of the current one", stream2, primary,
	     p, 0);
	must(cuCtxPushCurrent(second));
	both("three contexts on the stack", stream2, second, p2, 1);
	must(cuCtxPopCurrent(NULL));
	must(cuCtxPopCurrent(NULL));
	must(cuCtxDestroy(second));
	is(current() == primary, 1, "the second context is gone");
	own("after a context was destroyed");
	drv_context();
	own("in a context made afterwards");
	must(cuCtxDestroy(current()));
	must(cuMemFree(p));
}

/*
 * The captured memset where no context is current, or a destroyed one.  Making and
 * destroying contexts is done before the capture, which would not bear it.
 */
static CUgraph without_context(CUstream stream, CUdeviceptr p, int destroyed,
                               CUresult *result, int *kept)
{
	CUcontext stack[64], home = current(), second, before;
	CUgraph graph;
	int n = 0;

	if (destroyed) {
		second = drv_context();
		must(cuCtxPushCurrent(home));
		must(cuCtxDestroy(second));
	}
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	do
		must(cuCtxPopCurrent(&stack[n++]));
	while (!destroyed && current());
	before = current();
	*result = cuMemsetD8Async(p, 0x5b, SIZE, stream);
	*kept = current() == before;
	while (n > 0)
		must(cuCtxPushCurrent(stack[--n]));
	must(cuStreamEndCapture(stream, &graph));
	if (destroyed) {
		must(cuCtxPopCurrent(NULL));
		must(cuCtxPopCurrent(NULL));
	}
	return graph;
}

static void no_context(CUcontext primary, int destroyed)
{
	const char *what =
	    destroyed ? "destroyed current context" : "no current context";
	CUstream stream = drv_stream();
	CUdeviceptr p = drv_alloc(SIZE);
	CUresult results[2];
	CUgraph graphs[2];
	int on, kept;

	for (on = 0; on < 2; on++) {
		drv_shim(on);
		graphs[on] = without_context(stream, p, destroyed, &results[on], &kept);
		ok(kept, "%s: none the other afterwards (%s)", what,
		   on ? "shimmed" : "native");
	}
	drv_shim(1);
	is(results[1], results[0], "%s: same result", what);
	is(drv_nodes(graphs[1]), drv_nodes(graphs[0]), "%s: as many nodes", what);
	zero(primary, p);
	must(drv_replay(graphs[1], stream, 1));
	ok(bytes_are(primary, p, results[0] == CUDA_SUCCESS ? 0x5b : 0),
	   "%s: the same bytes", what);
	must(cuGraphDestroy(graphs[0]));
	must(cuGraphDestroy(graphs[1]));
	must(cuStreamDestroy(stream));
	must(cuMemFree(p));
}

/* The primary context, taken away whole and made anew. */
static void reset_primary(void)
{
	CUcontext ctx;
	int i;

	for (i = 0; i < 2; i++) {
		must(cuCtxSetCurrent(NULL));
		must(cuDevicePrimaryCtxReset(0));
		must(cuDevicePrimaryCtxRetain(&ctx, 0));
		must(cuCtxSetCurrent(ctx));
		own(i ? "after another reset" : "after a reset of the primary context");
	}
}

int main(void)
{
	CUcontext primary = drv_start();

	ok(drv_shim(1) >= 0, "the shim is loaded");
	own("the first context");
	two_contexts(primary);
	no_context(primary, 0);
	no_context(primary, 1);
	reset_primary();
	return done();
}
