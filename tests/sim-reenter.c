/* SPDX-License-Identifier: MIT */
/*
 * A driver function that the shim calls may call the shim back, as a tool that sits in
 * the driver does: a captured memset from in there neither blocks nor recurses, and
 * both memsets are in the graph.
 */
#include <string.h>

#include "drv.h"

#define SIZE 64u
#define BEGIN "cuStreamBeginCapture_v2"

static CUstream stream;
static CUdeviceptr memory;
static int entered;
static CUresult inner;

static const char *const functions[] = {
    BEGIN,
    "cuStreamEndCapture",
    "cuMemsetD8Async",
#define HOOK(name, params)
#define CALL_NEEDED(name, params) #name,
#define CALL(name, params) #name,
#include "../shim/symbols.def"
#undef HOOK
#undef CALL_NEEDED
#undef CALL
};

/* In the first call only: one memset more, on the stream that is being captured. */
static void reenter(void *arg)
{
	(void)arg;
	if (!entered++)
		inner = cuMemsetD8Async(memory + SIZE, 0x22, SIZE, stream);
}

static int bytes_right(CUgraph graph, int with_inner)
{
	unsigned char got[2 * SIZE] = {0}, want[2 * SIZE] = {0};
	int good;

	drv_write(memory, got, sizeof got);
	good = holds(drv_replay(graph, stream, 1) == CUDA_SUCCESS);
	drv_read(got, memory, sizeof got);
	memset(want, 0x11, SIZE);
	memset(want + SIZE, with_inner ? 0x22 : 0, SIZE);
	return good && holds(!memcmp(got, want, sizeof got));
}

/* A fill node in a graph of its own, and changes to it while the stream is captured. */
struct explicit_node {
	CUgraph graph;
	CUgraphNode node;
	CUgraphExec exec;
	CUcontext ctx;
	CUdeviceptr memory, managed;
};

static CUDA_MEMSET_NODE_PARAMS line(CUdeviceptr at)
{
	return (CUDA_MEMSET_NODE_PARAMS){
	    .dst = at, .elementSize = 1, .width = SIZE, .height = 1};
}

/* Allocating and instantiating is what the capture forbids. */
static void make(struct explicit_node *e, CUcontext ctx)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	CUDA_MEMSET_NODE_PARAMS set;

	must(cuThreadExchangeStreamCaptureMode(&mode));
	e->ctx = ctx;
	e->memory = drv_alloc(SIZE);
	must(cuMemAllocManaged(&e->managed, SIZE, CU_MEM_ATTACH_GLOBAL));
	set = line(e->memory);
	must(cuGraphCreate(&e->graph, 0));
	must(cuGraphAddMemsetNode(&e->node, e->graph, NULL, 0, &set, ctx));
	must(cuGraphInstantiateWithFlags(&e->exec, e->graph, 0));
	must(cuThreadExchangeStreamCaptureMode(&mode));
}

static int change(const struct explicit_node *e)
{
	CUDA_MEMSET_NODE_PARAMS set = line(e->memory), nowhere = line(16);
	CUDA_MEMSET_NODE_PARAMS elsewhere = line(e->managed);
	CUgraphNode another;
	int good;

	good = holds(cuGraphAddMemsetNode(&another, e->graph, NULL, 0, &set, e->ctx) ==
	             CUDA_SUCCESS);
	good &= holds(cuGraphMemsetNodeSetParams(e->node, &set) == CUDA_SUCCESS);
	good &= holds(cuGraphExecMemsetNodeSetParams(e->exec, e->node, &set, e->ctx) ==
	              CUDA_SUCCESS);
	good &= holds(cuGraphExecMemsetNodeSetParams(e->exec, e->node, &nowhere,
	                                             e->ctx) != CUDA_SUCCESS);
	/* Whether that may be is the driver's to say, which is asked for it. */
	(void)cuGraphExecMemsetNodeSetParams(e->exec, e->node, &elsewhere, e->ctx);
	return good;
}

/* As a child graph, instantiated. */
static int nest(const struct explicit_node *e)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	CUgraphExec exec;
	CUgraphNode child;
	CUgraph graph;
	int good;

	must(cuGraphCreate(&graph, 0));
	must(cuGraphAddChildGraphNode(&child, graph, NULL, 0, e->graph));
	must(cuThreadExchangeStreamCaptureMode(&mode));
	good = holds(cuGraphInstantiateWithFlags(&exec, graph, 0) == CUDA_SUCCESS);
	must(cuThreadExchangeStreamCaptureMode(&mode));
	return good;
}

/* Memory of the graph's own, without a node that does anything with it. */
static int allocate(void)
{
	CUdeviceptr at;

	return holds(cuMemAllocAsync(&at, SIZE, stream) == CUDA_SUCCESS) &&
	       holds(cuMemFreeAsync(at, stream) == CUDA_SUCCESS);
}

/* The stream's context is not the current one, which takes the most driver calls. */
static int reentered_from(void *arg)
{
	const char *function = arg;
	CUcontext primary = drv_start();
	int captured = strcmp(function, BEGIN) != 0, good;
	struct explicit_node node;
	CUgraph graph = NULL;
	size_t nodes, work;

	/* A warning is in order where loading is made to fail. */
	if (!freopen("/dev/null", "w", stderr))
		return 1;
	drv_context();
	stream = drv_stream();
	memory = drv_alloc((size_t)3 * SIZE);
	drv_kernel("sim_copy_bytes"); /* loads code, which a capture forbids */
	must(cuCtxPushCurrent(primary));
	sim_on_call(function, reenter, NULL);
	if (!strcmp(function, "cuLibraryUnload"))
		sim_fail("cuLibraryGetKernel", 2, CUDA_ERROR_NOT_FOUND);
	/* The driver's memset is called only for what is not substituted. */
	if (!strcmp(function, "cuMemsetD8Async"))
		drv_shim(0);
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	good = holds(cuMemsetD8Async(memory, 0x11, SIZE, stream) == CUDA_SUCCESS);
	good &= holds(drv_launch_copy(memory + (size_t)2 * SIZE, memory, SIZE, stream,
	                              1) == CUDA_SUCCESS);
	make(&node, primary);
	good &= change(&node);
	good &= nest(&node);
	good &= allocate();
	good &= holds(cuStreamEndCapture(stream, &graph) == CUDA_SUCCESS);
	sim_reset();
	good &= holds(entered > 0) && holds(inner == CUDA_SUCCESS);
	if (!good || !graph)
		return 1;
	nodes = drv_nodes(graph);
	work = drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL) +
	       drv_count(graph, CU_GRAPH_NODE_TYPE_MEMSET);
	good &= holds(work == 2u + (unsigned int)captured);
	/* Two memory nodes; and an empty node may stand before the copy. */
	nodes -= 2;
	good &= holds(nodes - work == drv_count(graph, CU_GRAPH_NODE_TYPE_EMPTY)) &&
	        holds(nodes - work <= 1);
	return !(bytes_right(graph, captured) && good);
}

int main(void)
{
	size_t i;

	if (!drv_is_sim())
		skip_all("needs the simulated driver");
	for (i = 0; i < sizeof functions / sizeof *functions; i++) {
		char name[64];

		snprintf(name, sizeof name, "%s", functions[i]);
		if (!strcmp(name, "cuKernelGetFunction"))
			skip("the shim does not call %s", name);
		else
			is(drv_child(reentered_from, name), 0, "re-entered from %s",
			   name);
	}
	return done();
}
