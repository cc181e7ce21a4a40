/* SPDX-License-Identifier: MIT */
/*
 * Memsets in the bodies of conditional nodes: explicit ones and captured ones, also
 * while the stream around them captures on or pauses meanwhile, run as the condition
 * says.
 */
#include <string.h>

#include "drv_arms.h"
#include "drv_kernels.h"

#define RELAXED CU_STREAM_CAPTURE_MODE_RELAXED
#define SET CU_STREAM_SET_CAPTURE_DEPENDENCIES

static CUresult (*add)(CUgraphNode *, CUgraph, const CUgraphNode *,
                       const CUgraphEdgeData *, size_t, CUgraphNodeParams *);
static CUresult (*to_graph)(CUstream, CUgraph, const CUgraphNode *,
                            const CUgraphEdgeData *, size_t, CUstreamCaptureMode);
static CUresult (*info)(CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *,
                        const CUgraphNode **, const CUgraphEdgeData **, size_t *);
static CUresult (*update)(CUstream, CUgraphNode *, const CUgraphEdgeData *, size_t,
                          unsigned int);

static CUgraphConditionalHandle handle_of(struct arm *a, CUgraph graph,
                                          unsigned int initial)
{
	CUgraphConditionalHandle handle;

	must(cuGraphConditionalHandleCreate(&handle, graph, a->ctx, initial,
	                                    CU_GRAPH_COND_ASSIGN_DEFAULT));
	return handle;
}

/* The node, behind what `behind` says; its one body. */
static CUgraphNode conditional(struct arm *a, CUgraph graph, const CUgraphNode *behind,
                               size_t count, CUgraphConditionalNodeType type,
                               CUgraphConditionalHandle handle, CUgraph *body)
{
	CUgraphNodeParams p;
	CUgraphNode node;

	memset(&p, 0, sizeof p);
	p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
	p.conditional.handle = handle;
	p.conditional.type = type;
	p.conditional.size = 1;
	p.conditional.ctx = a->ctx;
	must(add(&node, graph, behind, NULL, count, &p));
	*body = p.conditional.phGraph_out[0];
	return node;
}

/* Two behind each other and one beside them, by each of the functions that add. */
static void explicit_body(struct arm *a, CUgraph body)
{
	CUDA_MEMSET_NODE_PARAMS_v2 words = {.dst = a->memory + 300,
	                                    .value = 0x0a0b0c0d,
	                                    .elementSize = 4,
	                                    .width = 40,
	                                    .height = 1,
	                                    .ctx = a->ctx};
	CUgraphNodeParams p;
	CUgraphNode node[2];

	node[0] = arm_add(a, body, NULL, 0, 100, 0x21, 333);
	memset(&p, 0, sizeof p);
	p.type = CU_GRAPH_NODE_TYPE_MEMSET;
	p.memset = words;
	must(add(&node[1], body, &node[0], NULL, 1, &p));
	arm_note_set(a, node[1]);
	arm_note_set(a, arm_add(a, body, NULL, 0, 1000, 0x22, 1));
}

static void captured_body(struct arm *a, CUgraph body, CUstream stream)
{
	CUgraph same = NULL;

	must(to_graph(stream, body, NULL, NULL, 0, RELAXED));
	arm_note(a, cuMemsetD8Async(a->memory + 100, 0x31, 333, stream));
	arm_note(a, cuMemsetD32Async(a->memory + 300, 0x0a0b0c0d, 40, stream));
	arm_note(a, drv_launch_copy(a->memory + 700, a->memory + 100, 500, stream, 0));
	arm_note(a, cuStreamEndCapture(stream, &same));
	arm_note(a, same == body);
}

/* What a test of one type and one initial value is about. */
static CUgraphConditionalNodeType type_now;
static unsigned int initial_now;
static int captured_now;

static CUgraph around(struct arm *a)
{
	CUgraphNode first, node;
	CUgraph graph, body;

	must(cuGraphCreate(&graph, 0));
	first = arm_add(a, graph, NULL, 0, 64, 0x11, 2000);
	node = conditional(a, graph, &first, 1, type_now,
	                   handle_of(a, graph, initial_now), &body);
	arm_add(a, graph, &node, 1, 500, 0x12, 32);
	if (captured_now)
		captured_body(a, body, a->stream);
	else
		explicit_body(a, body);
	arm_shape(a, body);
	return graph;
}

/* What the stream captures, and the node that it goes on behind. */
static CUgraph capturing(CUstream stream, CUgraphNode *last)
{
	CUstreamCaptureStatus status;
	const CUgraphEdgeData *edges;
	const CUgraphNode *nodes;
	CUgraph graph;
	size_t n = 0;

	must(info(stream, &status, NULL, &graph, &nodes, &edges, &n));
	if (n != 1)
		bail("the stream has come to more than one node");
	*last = nodes[0];
	return graph;
}

/* A second stream captures the body while the first one captures on. */
static CUgraph beside(struct arm *a)
{
	CUstream other = drv_stream();
	CUgraphNode last, node;
	CUgraph graph, body;

	arm_begin(a, RELAXED);
	arm_set(a, 64, 0x11, 2000);
	graph = capturing(a->stream, &last);
	node = conditional(a, graph, &last, 1, CU_GRAPH_COND_TYPE_IF,
	                   handle_of(a, graph, initial_now), &body);
	must(update(a->stream, &node, NULL, 1, SET));
	if (arm_note(a, to_graph(other, body, NULL, NULL, 0, RELAXED)) ==
	    CUDA_SUCCESS) {
		arm_note(a, cuMemsetD8Async(a->memory + 100, 0x41, 77, other));
		arm_set(a, 500, 0x12, 32);
		arm_note(a, cuMemsetD16Async(a->memory + 200, 0x4142, 60, other));
		must(cuStreamEndCapture(other, &body));
	}
	arm_set(a, 600, 0x13, 8);
	arm_shape(a, body);
	graph = arm_end(a);
	must(cuStreamDestroy(other));
	return graph;
}

/* The stream ends its capture, captures the body, and goes on in the first graph. */
static CUgraph paused(struct arm *a)
{
	CUgraphNode last, node;
	CUgraph graph, body, same = NULL;

	arm_begin(a, RELAXED);
	arm_set(a, 64, 0x11, 2000);
	graph = capturing(a->stream, &last);
	node = conditional(a, graph, &last, 1, CU_GRAPH_COND_TYPE_IF,
	                   handle_of(a, graph, initial_now), &body);
	must(update(a->stream, &node, NULL, 1, SET));
	arm_note(a, arm_end(a) == graph);
	captured_body(a, body, a->stream);
	must(to_graph(a->stream, graph, &node, NULL, 1, RELAXED));
	arm_set(a, 500, 0x12, 32);
	must(cuStreamEndCapture(a->stream, &same));
	arm_note(a, same == graph);
	arm_shape(a, body);
	return graph;
}

static CUgraphNode kernel(CUgraph graph, const CUgraphNode *behind, const char *name,
                          void **args)
{
	CUDA_KERNEL_NODE_PARAMS p;
	CUgraphNode node;

	memset(&p, 0, sizeof p);
	p.func = drv_kernel(name);
	p.gridDimX = p.gridDimY = p.gridDimZ = 1;
	p.blockDimX = p.blockDimY = p.blockDimZ = 1;
	p.kernelParams = args;
	must(cuGraphAddKernelNode(&node, graph, behind, behind != NULL, &p));
	return node;
}

/* Three rounds, by a count that a memset has set; in each one is added to memset bytes.
 */
static CUgraph loop(struct arm *a)
{
	struct drv_add one = {a->memory + 100, 50, 1, {0}},
	               all = {a->memory + 300, 50, 1, {0}};
	CUdeviceptr count = a->memory;
	CUgraphConditionalHandle handle;
	CUgraphNode node;
	CUgraph graph, body;

	must(cuGraphCreate(&graph, 0));
	handle = handle_of(a, graph, 1);
	node = arm_add(a, graph, NULL, 0, 0, 0, 4);
	node = arm_add(a, graph, &node, 1, 0, 3, 1);
	node = arm_add(a, graph, &node, 1, 300, 0x60, 50);
	conditional(a, graph, &node, 1, CU_GRAPH_COND_TYPE_WHILE, handle, &body);
	node = arm_add(a, body, NULL, 0, 100, 0x50, 50);
	node = kernel(body, &node, "sim_add_bytes", drv_add_args(&one));
	node = kernel(body, &node, "sim_add_bytes", drv_add_args(&all));
	kernel(body, &node, "sim_count_down", (void *[]){&count, &handle});
	arm_shape(a, body);
	return graph;
}

int main(void)
{
	int version = 0;

	arms_start();
	*(void **)&add = drv_entry("cuGraphAddNode_v2");
	*(void **)&to_graph = drv_entry("cuStreamBeginCaptureToGraph");
	*(void **)&info = drv_entry("cuStreamGetCaptureInfo_v3");
	*(void **)&update = drv_entry("cuStreamUpdateCaptureDependencies_v2");
	must(cuDriverGetVersion(&version));
	if (!add || !to_graph || !info || !update || version < 12040)
		skip_all("this driver has no conditional nodes");
	for (initial_now = 0; initial_now < 2; initial_now++) {
		type_now = CU_GRAPH_COND_TYPE_IF;
		captured_now = 0;
		arms(initial_now ? "if, explicit" : "if not, explicit", around, 0);
		captured_now = 1;
		arms(initial_now ? "if, captured" : "if not, captured", around, 0);
		arms(initial_now ? "if, captured beside" : "if not, captured beside",
		     beside, 0);
		arms(initial_now ? "if, captured in a pause"
		                 : "if not, captured in a pause",
		     paused, 0);
	}
	/* Only a kernel ends a loop, and that takes a device runtime or a simulation.
	 */
	type_now = CU_GRAPH_COND_TYPE_WHILE;
	initial_now = 0;
	captured_now = 0;
	arms("while not, explicit", around, 0);
	captured_now = 1;
	arms("while not, captured", around, 0);
	if (drv_is_sim())
		arms("while", loop, 0);
	else
		skip("the test's kernels cannot end a loop on a real device");
	return done();
}
