/* SPDX-License-Identifier: MIT */
/*
 * Conditional nodes: their bodies, filled by calls or by a capture, run as the
 * condition says, and belong to the graph when it is instantiated, updated and
 * destroyed.
 */
#include <string.h>

#include "drv_kernels.h"

#define SIZE 64u

static CUcontext ctx;
static CUstream stream;
static CUdeviceptr memory;

static CUresult (*add)(CUgraphNode *, CUgraph, const CUgraphNode *,
                       const CUgraphEdgeData *, size_t, CUgraphNodeParams *);
static CUresult (*to_graph)(CUstream, CUgraph, const CUgraphNode *,
                            const CUgraphEdgeData *, size_t, CUstreamCaptureMode);

static void CUDA_CB nothing(void *data)
{
	(void)data;
}

static CUgraphConditionalHandle handle_of(CUgraph graph, unsigned int initial)
{
	CUgraphConditionalHandle handle;

	must(cuGraphConditionalHandleCreate(&handle, graph, ctx, initial,
	                                    CU_GRAPH_COND_ASSIGN_DEFAULT));
	return handle;
}

static CUresult conditional(CUgraph graph, CUgraphConditionalHandle handle,
                            CUgraphConditionalNodeType type, unsigned int size,
                            CUgraphNode *node, CUgraph *bodies)
{
	CUgraphNodeParams p;
	CUresult result;

	memset(&p, 0, sizeof p);
	p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
	p.conditional.handle = handle;
	p.conditional.type = type;
	p.conditional.size = size;
	p.conditional.ctx = ctx;
	result = add(node, graph, NULL, NULL, 0, &p);
	if (result == CUDA_SUCCESS)
		memcpy(bodies, p.conditional.phGraph_out, size * sizeof *bodies);
	return result;
}

static CUgraphNode fill(CUgraph graph, unsigned int value)
{
	CUDA_MEMSET_NODE_PARAMS set = {.dst = memory,
	                               .value = value,
	                               .elementSize = 1,
	                               .width = SIZE,
	                               .height = 1};
	CUgraphNode node;

	must(cuGraphAddMemsetNode(&node, graph, NULL, 0, &set, ctx));
	return node;
}

static void capture_fill(CUgraph graph, unsigned char value)
{
	CUgraph same = NULL;

	must(to_graph(stream, graph, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_RELAXED));
	must(cuMemsetD8Async(memory, value, SIZE, stream));
	must(cuStreamEndCapture(stream, &same));
	ok(same == graph, "captured into a body");
}

/* What a launch makes of memory that held 0x77. */
static int byte_after(CUgraphExec exec)
{
	unsigned char bytes[SIZE];

	memset(bytes, 0x77, SIZE);
	drv_write(memory, bytes, SIZE);
	must(cuGraphLaunch(exec, stream));
	must(cuStreamSynchronize(stream));
	drv_read(bytes, memory, SIZE);
	return bytes[0] == bytes[SIZE - 1] ? bytes[0] : -1;
}

static int run(CUgraph graph)
{
	CUgraphExec exec;
	int byte;

	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	byte = byte_after(exec);
	must(cuGraphExecDestroy(exec));
	return byte;
}

static void if_node(unsigned int value, int captured)
{
	CUgraph graph, body = NULL;
	CUgraphNode node;
	CUgraphNodeType type;

	must(cuGraphCreate(&graph, 0));
	is(conditional(graph, handle_of(graph, value), CU_GRAPH_COND_TYPE_IF, 1, &node,
	               &body),
	   CUDA_SUCCESS, "if %u: a node", value);
	must(cuGraphNodeGetType(node, &type));
	is(type, CU_GRAPH_NODE_TYPE_CONDITIONAL, "of its type");
	is(drv_nodes(body), 0, "with an empty body");
	if (captured)
		capture_fill(body, 0x11);
	else
		fill(body, 0x11);
	is(run(graph), value ? 0x11 : 0x77, "if %u: what its body does", value);
	is(run(graph), value ? 0x11 : 0x77, "and again");
	must(cuGraphDestroy(graph));
}

static void branches(CUgraphConditionalNodeType type, unsigned int size,
                     unsigned int value, int wanted)
{
	CUgraph graph, bodies[3] = {NULL, NULL, NULL};
	CUgraphNode node;
	unsigned int i;

	must(cuGraphCreate(&graph, 0));
	if (conditional(graph, handle_of(graph, value), type, size, &node, bodies) !=
	    CUDA_SUCCESS) {
		skip("this driver has no such conditional nodes");
	} else {
		for (i = 0; i < size; i++)
			fill(bodies[i], i + 1);
		is(run(graph), wanted, "type %d, %u bodies, value %u", (int)type, size,
		   value);
	}
	must(cuGraphDestroy(graph));
}

/* The same shape: an outer "if" around an inner one and a fill. */
static CUgraph nested(unsigned int value, unsigned int set, CUgraphNode *inside)
{
	CUgraph graph, outer = NULL, inner = NULL;
	CUgraphNode node;

	must(cuGraphCreate(&graph, 0));
	must(conditional(graph, handle_of(graph, value), CU_GRAPH_COND_TYPE_IF, 1,
	                 &node, &outer));
	must(conditional(outer, handle_of(graph, 1), CU_GRAPH_COND_TYPE_IF, 1, &node,
	                 &inner));
	*inside = fill(inner, set);
	return graph;
}

static void update(void)
{
	CUgraphExecUpdateResultInfo info;
	CUgraphNode inside[3];
	CUgraph graph = nested(1, 0x21, &inside[0]), off = nested(0, 0x22, &inside[1]),
	        other = nested(1, 0x23, &inside[2]);
	CUgraphExec exec;

	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	is(byte_after(exec), 0x21, "nested: runs");
	is(cuGraphExecUpdate(exec, other, &info), CUDA_SUCCESS, "updated");
	is(byte_after(exec), 0x23, "in its innermost body");
	is(cuGraphExecUpdate(exec, off, &info), CUDA_SUCCESS,
	   "updated to another value");
	is(byte_after(exec), 0x77, "which counts");
	must(cuGraphExecDestroy(exec));
	must(cuGraphDestroy(graph));
	must(cuGraphDestroy(off));
	must(cuGraphDestroy(other));
}

static void refused(void)
{
	CUDA_HOST_NODE_PARAMS host = {.fn = nothing};
	CUgraph graph, other, body = NULL, bodies[3], clone;
	CUgraphNode node, inside;
	CUgraphExec exec;
	CUresult result;

	must(cuGraphCreate(&graph, 0));
	must(cuGraphCreate(&other, 0));
	is(conditional(graph, handle_of(graph, 0), CU_GRAPH_COND_TYPE_WHILE, 2, &node,
	               bodies),
	   CUDA_ERROR_INVALID_VALUE, "a loop of two bodies: invalid");
	is(conditional(graph, handle_of(graph, 0), CU_GRAPH_COND_TYPE_IF, 0, &node,
	               bodies),
	   CUDA_ERROR_INVALID_VALUE, "a condition of none: invalid");
	must(cuGraphDestroy(graph));
	must(cuGraphCreate(&graph, 0));
	must(conditional(graph, handle_of(graph, 1), CU_GRAPH_COND_TYPE_IF, 1, &node,
	                 &body));
	ok(cuGraphClone(&clone, graph) != CUDA_SUCCESS, "a clone: an error");
	ok(cuGraphAddChildGraphNode(&node, other, NULL, 0, graph) != CUDA_SUCCESS,
	   "as a child: an error");
	result = cuGraphAddHostNode(&inside, body, NULL, 0, &host);
	if (result == CUDA_SUCCESS) {
		result = cuGraphInstantiateWithFlags(&exec, graph, 0);
		if (result == CUDA_SUCCESS)
			must(cuGraphExecDestroy(exec));
	}
	ok(result != CUDA_SUCCESS, "a host function inside: an error at last");
	must(cuGraphDestroy(graph));
	must(cuGraphDestroy(other));
}

int main(void)
{
	int version = 0;

	ctx = drv_start();
	*(void **)&add = drv_entry("cuGraphAddNode_v2");
	*(void **)&to_graph = drv_entry("cuStreamBeginCaptureToGraph");
	must(cuDriverGetVersion(&version));
	if (!add || !to_graph || version < 12040)
		skip_all("this driver has no conditional nodes");
	stream = drv_stream();
	memory = drv_alloc(SIZE);
	if_node(1, 0);
	if_node(0, 0);
	if_node(1, 1);
	if_node(0, 1);
	branches(CU_GRAPH_COND_TYPE_IF, 2, 1, 1);
	branches(CU_GRAPH_COND_TYPE_IF, 2, 0, 2);
	branches(CU_GRAPH_COND_TYPE_SWITCH, 3, 2, 3);
	branches(CU_GRAPH_COND_TYPE_SWITCH, 3, 3, 0x77);
	update();
	refused();
	return done();
}
