/* SPDX-License-Identifier: MIT */
/*
 * Memsets in child graphs and in clones: their nodes are found there, say what they
 * do and can be changed there, without a change to the graph that they came from.
 */
#include "drv_arms.h"

/* Three memsets, one of them in rows, and a kernel that reads what they left. */
static CUgraph captured(struct arm *a)
{
	arm_begin(a, CU_STREAM_CAPTURE_MODE_GLOBAL);
	arm_set(a, 64, 0x11, 100);
	arm_note(a, cuMemsetD32Async(a->memory + 256, 0x01020304, 32, a->stream));
	arm_note(a, cuMemsetD2D16Async(a->memory + 512, 64, 0x0506, 20, 3, a->stream));
	must(drv_launch_copy(a->memory + 1024, a->memory + 64, 700, a->stream, 0));
	return arm_end(a);
}

static CUgraphNode nth(CUgraph graph, size_t i)
{
	CUgraphNode nodes[ARM_NODES];
	size_t n = ARM_NODES;

	must(cuGraphGetNodes(graph, nodes, &n));
	if (i >= n)
		bail("no such node");
	return nodes[i];
}

/* Another value, place and length for a memset of the program's. */
static CUresult change(struct arm *a, CUgraphNode node, size_t at, unsigned int value,
                       size_t bytes)
{
	CUDA_MEMSET_NODE_PARAMS set = {.dst = a->memory + at,
	                               .value = value,
	                               .elementSize = 1,
	                               .width = bytes,
	                               .height = 1};

	return cuGraphMemsetNodeSetParams(node, &set);
}

static void note_all(struct arm *a, CUgraph graph)
{
	size_t n = drv_nodes(graph), i;

	for (i = 0; i < n; i++) {
		CUgraphNodeType type;

		must(cuGraphNodeGetType(nth(graph, i), &type));
		arm_note(a, type);
		if (type == CU_GRAPH_NODE_TYPE_MEMSET)
			arm_note_set(a, nth(graph, i));
	}
}

static CUgraph twice(struct arm *a)
{
	CUgraph sub = captured(a), graph, child[2];
	CUgraphNode node[2], last;
	int i;

	must(cuGraphCreate(&graph, 0));
	for (i = 0; i < 2; i++) {
		must(cuGraphAddChildGraphNode(&node[i], graph, i ? &node[0] : NULL,
		                              (size_t)i, sub));
		must(cuGraphChildGraphNodeGetGraph(node[i], &child[i]));
	}
	last = arm_add(a, graph, &node[1], 1, 4000, 0x99, 5);
	arm_note_set(a, last);
	/* The second one writes elsewhere; the first one and the captured stay. */
	arm_note(a, change(a, nth(child[1], 0), 2000, 0x77, 333));
	note_all(a, child[0]);
	note_all(a, child[1]);
	note_all(a, sub);
	arm_graph(a, sub);
	must(cuGraphDestroy(sub));
	return graph;
}

/* Of an executable graph's child: by its nodes, and as a whole. */
static CUgraph executable(struct arm *a)
{
	CUDA_MEMSET_NODE_PARAMS set = {.dst = a->memory + 3000,
	                               .value = 0x31,
	                               .elementSize = 1,
	                               .width = 100,
	                               .height = 1};
	CUgraph sub = captured(a), graph, child, other;
	CUgraphNode node;
	CUgraphExec exec;

	must(cuGraphCreate(&graph, 0));
	must(cuGraphAddChildGraphNode(&node, graph, NULL, 0, sub));
	must(cuGraphChildGraphNodeGetGraph(node, &child));
	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	arm_launch(a, exec);
	arm_note(a, cuGraphExecMemsetNodeSetParams(exec, nth(child, 0), &set, a->ctx));
	arm_launch(a, exec);
	must(cuGraphClone(&other, sub));
	arm_note(a, change(a, nth(other, 0), 3500, 0x32, 100));
	arm_note(a, cuGraphExecChildGraphNodeSetParams(exec, node, other));
	arm_launch(a, exec);
	arm_note_set(a, nth(child, 0));
	must(cuGraphExecDestroy(exec));
	must(cuGraphDestroy(sub));
	must(cuGraphDestroy(other));
	return graph;
}

/* A clone of a clone, changed while the ones before it stay. */
static CUgraph cloned(struct arm *a)
{
	CUgraph graph = captured(a), clone, again;
	CUgraphNode found[2] = {NULL}, none = NULL;
	size_t i;

	must(cuGraphClone(&clone, graph));
	must(cuGraphClone(&again, clone));
	for (i = 0; i < drv_nodes(graph); i++) {
		must(cuGraphNodeFindInClone(&found[0], nth(graph, i), clone));
		must(cuGraphNodeFindInClone(&found[1], found[0], again));
		arm_note(a, found[0] == nth(clone, i));
		arm_note(a, found[1] == nth(again, i));
	}
	arm_note(a, cuGraphNodeFindInClone(&none, nth(clone, 0), graph));
	arm_note(a, change(a, nth(clone, 0), 1800, 0x41, 17));
	arm_note(a, change(a, nth(again, 0), 1900, 0x42, 4096));
	note_all(a, graph);
	note_all(a, clone);
	note_all(a, again);
	arm_graph(a, graph);
	arm_graph(a, clone);
	must(cuGraphDestroy(graph));
	must(cuGraphDestroy(clone));
	return again;
}

/* What a clone of a graph with a child holds, after the graph itself is gone. */
static CUgraph cloned_child(struct arm *a)
{
	CUgraph sub = captured(a), graph, clone, child;
	CUgraphNode node, found;

	must(cuGraphCreate(&graph, 0));
	must(cuGraphAddChildGraphNode(&node, graph, NULL, 0, sub));
	arm_add(a, graph, &node, 1, 4000, 0x98, 256);
	must(cuGraphClone(&clone, graph));
	must(cuGraphNodeFindInClone(&found, node, clone));
	must(cuGraphChildGraphNodeGetGraph(found, &child));
	must(cuGraphDestroy(graph));
	must(cuGraphDestroy(sub));
	note_all(a, child);
	arm_note(a, change(a, nth(child, 0), 2200, 0x51, 1025));
	note_all(a, child);
	return clone;
}

/* A captured graph goes on as a child of what is captured next. */
static CUgraph child_in_a_capture(struct arm *a)
{
	CUresult (*info)(CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *,
	                 const CUgraphNode **, const CUgraphEdgeData **, size_t *);
	CUresult (*update)(CUstream, CUgraphNode *, const CUgraphEdgeData *, size_t,
	                   unsigned int);
	CUgraph sub = captured(a), graph;
	CUstreamCaptureStatus status;
	const CUgraphEdgeData *edges;
	const CUgraphNode *nodes;
	CUgraphNode node;
	size_t n;

	*(void **)&info = drv_entry("cuStreamGetCaptureInfo_v3");
	*(void **)&update = drv_entry("cuStreamUpdateCaptureDependencies_v2");
	arm_begin(a, CU_STREAM_CAPTURE_MODE_GLOBAL);
	arm_set(a, 64, 0x61, 100);
	must(info(a->stream, &status, NULL, &graph, &nodes, &edges, &n));
	must(cuGraphAddChildGraphNode(&node, graph, nodes, n, sub));
	must(update(a->stream, &node, NULL, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
	arm_set(a, 300, 0x62, 100);
	graph = arm_end(a);
	must(cuGraphDestroy(sub));
	return graph;
}

int main(void)
{
	arms_start();
	arms("a captured graph, twice a child", twice, 0);
	arms("an executable graph's child", executable, 0);
	arms("clones of clones", cloned, 0);
	arms("a clone with a child", cloned_child, 0);
	arms("a child in a capture", child_in_a_capture, 0);
	return done();
}
