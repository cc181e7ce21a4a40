/* SPDX-License-Identifier: MIT */
/*
 * Dependencies that a program makes by itself, around memsets: in a capture and in a
 * graph, with and without edge data, and when a memset's node is taken out again.
 */
#include <string.h>

#include "drv_arms.h"
#include "drv_kernels.h"

#define ADD CU_STREAM_ADD_CAPTURE_DEPENDENCIES
#define SET CU_STREAM_SET_CAPTURE_DEPENDENCIES

typedef CUgraphEdgeData edge_t;

static CUresult (*to_graph)(CUstream, CUgraph, const CUgraphNode *, const edge_t *,
                            size_t, CUstreamCaptureMode);
static CUresult (*info)(CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *,
                        const CUgraphNode **, const edge_t **, size_t *);
static CUresult (*update)(CUstream, CUgraphNode *, const edge_t *, size_t,
                          unsigned int);
static CUresult (*update_old)(CUstream, CUgraphNode *, size_t, unsigned int);
static CUresult (*join)(CUgraph, const CUgraphNode *, const CUgraphNode *,
                        const edge_t *, size_t);
static CUresult (*part)(CUgraph, const CUgraphNode *, const CUgraphNode *,
                        const edge_t *, size_t);
static CUresult (*needs)(CUgraphNode, CUgraphNode *, edge_t *, size_t *);

/* What the stream captures, and what it goes on behind. */
struct place {
	CUgraph graph;
	CUgraphNode nodes[8];
	size_t count;
};

static struct place place_of(struct arm *a)
{
	struct place p = {.count = 0};
	CUstreamCaptureStatus status;
	const CUgraphNode *nodes;
	const edge_t *edges;
	size_t n;

	must(info(a->stream, &status, NULL, &p.graph, &nodes, &edges, &n));
	arm_note(a, n);
	for (p.count = 0; p.count < n && p.count < 8; p.count++) {
		p.nodes[p.count] = nodes[p.count];
		arm_note(a, edges ? edges[p.count].type : 0);
	}
	return p;
}

static CUgraphNode kernel(struct arm *a, CUgraph graph, const CUgraphNode *behind,
                          size_t count, size_t at)
{
	struct drv_add add = {a->memory + at, 100, 3, {0}};
	CUDA_KERNEL_NODE_PARAMS p;
	CUgraphNode node;

	memset(&p, 0, sizeof p);
	p.func = drv_kernel("sim_add_bytes");
	p.gridDimX = p.gridDimY = p.gridDimZ = 1;
	p.blockDimX = p.blockDimY = p.blockDimZ = 1;
	p.kernelParams = drv_add_args(&add);
	must(cuGraphAddKernelNode(&node, graph, behind, count, &p));
	return node;
}

static void CUDA_CB nothing(void *data)
{
	(void)data;
}

/* --- in a capture ------------------------------------------------------------------
 */

/* A node of the program's own takes part: the stream goes on behind it alone. */
static CUgraph own_node_set(struct arm *a)
{
	CUDA_HOST_NODE_PARAMS host = {.fn = nothing};
	struct place p;
	CUgraphNode own;

	arm_begin(a, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
	arm_set(a, 64, 0x11, 100);
	p = place_of(a);
	must(cuGraphAddHostNode(&own, p.graph, p.nodes, p.count, &host));
	arm_note(a, update(a->stream, &own, NULL, 1, SET));
	place_of(a);
	arm_set(a, 64, 0x12, 50);
	must(drv_launch_copy(a->memory + 512, a->memory + 64, 100, a->stream, 0));
	return arm_end(a);
}

/* Beside what the stream has come to, by the first form of the call. */
static CUgraph own_node_added(struct arm *a)
{
	struct place p;
	CUgraphNode own;

	arm_begin(a, CU_STREAM_CAPTURE_MODE_GLOBAL);
	arm_set(a, 300, 0x11, 100);
	p = place_of(a);
	own = kernel(a, p.graph, NULL, 0, 64);
	arm_note(a, update_old ? update_old(a->stream, &own, 1, ADD)
	                       : update(a->stream, &own, NULL, 1, ADD));
	place_of(a);
	arm_set(a, 320, 0x12, 10);
	arm_note(a, update(a->stream, &own, NULL, 1, ADD));
	arm_set(a, 64, 0x13, 100);
	return arm_end(a);
}

/* An explicit memset in the graph that is being captured, and on behind it. */
static CUgraph explicit_node(struct arm *a)
{
	struct place p;
	CUgraphNode own;
	int i;

	arm_begin(a, CU_STREAM_CAPTURE_MODE_GLOBAL);
	for (i = 0; i < 3; i++) {
		p = place_of(a);
		own = arm_add(a, p.graph, p.nodes, p.count, 64 + 10 * (size_t)i,
		              0x21 + (unsigned int)i, 40);
		arm_note(a, update(a->stream, &own, NULL, 1, i == 1 ? ADD : SET));
		arm_set(a, 84 + 10 * (size_t)i, 0x31 + (unsigned int)i, 40);
		arm_note_set(a, own);
	}
	p = place_of(a);
	arm_note(a, update(a->stream, NULL, NULL, 0, SET));
	arm_set(a, 2000, 0x41, 7);
	arm_note(a, update(a->stream, p.nodes, NULL, p.count, ADD));
	arm_set(a, 2003, 0x42, 9);
	return arm_end(a);
}

/* Behind nodes that are there, memsets among them. */
static CUgraph behind_given(struct arm *a)
{
	CUgraph graph, same = NULL;
	CUgraphNode given[3];

	must(cuGraphCreate(&graph, 0));
	given[0] = arm_add(a, graph, NULL, 0, 64, 0x11, 100);
	given[1] = kernel(a, graph, &given[0], 1, 64);
	given[2] = arm_add(a, graph, NULL, 0, 300, 0x12, 100);
	must(to_graph(a->stream, graph, &given[1], NULL, 2,
	              CU_STREAM_CAPTURE_MODE_GLOBAL));
	place_of(a);
	arm_set(a, 120, 0x13, 200);
	must(cuStreamEndCapture(a->stream, &same));
	arm_note(a, same == graph);
	return graph;
}

/* --- a launch that asks for overlap, first in such a capture -------------------------
 */

/* Edges that a kernel, the copy, may start through before what is before it is done. */
static size_t programmatic_into(struct arm *a, CUgraphNode node)
{
	CUgraphNode before[8];
	edge_t edges[8];
	size_t n = 8, i, found = 0;

	must(needs(node, before, edges, &n));
	for (i = 0; i < n; i++)
		if (edges[i].type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC) {
			CUgraphNodeType type;

			must(cuGraphNodeGetType(before[i], &type));
			arm_note(a, type);
			found++;
		}
	return found;
}

/*
 * The memset's edge is a full one, as natively; an empty node more may bring it, so the
 * graph's shape is not compared.
 */
static CUgraph overlap(struct arm *a, int with_kernel, int with_set)
{
	CUgraph graph, same = NULL;
	CUgraphNode given[2];
	struct place p;
	CUgraphExec exec;
	int i;

	must(cuGraphCreate(&graph, 0));
	given[0] = arm_add(a, graph, NULL, 0, 64, 0x11, 700);
	given[1] = kernel(a, graph, NULL, 0, 4000);
	must(to_graph(a->stream, graph, given, NULL, with_kernel ? 2 : 1,
	              CU_STREAM_CAPTURE_MODE_GLOBAL));
	if (with_set)
		arm_set(a, 64, 0x12, 600);
	must(drv_launch_copy(a->memory + 1024, a->memory + 64, 700, a->stream, 1));
	p = place_of(a);
	arm_note(a, programmatic_into(a, p.nodes[0]));
	must(cuStreamEndCapture(a->stream, &same));
	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	for (i = 0; i < ARM_REPLAYS; i++)
		arm_launch(a, exec);
	must(cuGraphExecDestroy(exec));
	must(cuGraphDestroy(graph));
	return NULL;
}

static CUgraph overlap_given(struct arm *a)
{
	return overlap(a, 0, 0);
}

static CUgraph overlap_given_two(struct arm *a)
{
	return overlap(a, 1, 0);
}

static CUgraph overlap_captured(struct arm *a)
{
	return overlap(a, 0, 1);
}

/* --- in a graph --------------------------------------------------------------------
 */

static const edge_t full;

/* Edges from a memset to a kernel and back to a memset, made, looked at, removed. */
static CUgraph edges(struct arm *a)
{
	CUgraphNode node[4], before[4];
	edge_t data[4];
	CUgraph graph;
	size_t n = 4;

	must(cuGraphCreate(&graph, 0));
	node[0] = arm_add(a, graph, NULL, 0, 64, 0x11, 100);
	node[1] = kernel(a, graph, NULL, 0, 64);
	node[2] = arm_add(a, graph, NULL, 0, 100, 0x12, 100);
	node[3] = kernel(a, graph, NULL, 0, 64);
	arm_note(a, join(graph, &node[0], &node[1], &full, 1));
	arm_note(a, join(graph, &node[1], &node[2], NULL, 1));
	arm_note(a, join(graph, &node[2], &node[3], NULL, 1));
	arm_note(a, join(graph, &node[0], &node[3], &full, 1));
	arm_note(a, part(graph, &node[0], &node[3], &full, 1));
	memset(data, 0, sizeof data);
	arm_note(a, needs(node[1], before, data, &n));
	arm_note(a, n);
	arm_note(a, before[0] == node[0]);
	arm_note(a, data[0].type);
	arm_note(a, data[0].from_port);
	return graph;
}

/* Memsets at the beginning, in the middle and at the end of a chain go. */
static CUgraph taken_out(struct arm *a)
{
	CUgraphNode node[5];
	CUgraphExec exec;
	CUgraph graph;
	size_t i;

	must(cuGraphCreate(&graph, 0));
	for (i = 0; i < 5; i++)
		node[i] = arm_add(a, graph, i ? &node[i - 1] : NULL, i != 0, 64 + 9 * i,
		                  0x11 + (unsigned int)i, 40);
	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	for (i = 0; i < 5; i += 2) {
		arm_note(a, cuGraphDestroyNode(node[i]));
		arm_shape(a, graph);
	}
	arm_note_set(a, node[1]);
	arm_launch(a, exec);
	must(cuGraphExecDestroy(exec));
	return graph;
}

/* One that a capture has gone on behind. */
static CUgraph taken_out_of_a_capture(struct arm *a)
{
	struct place p;

	arm_begin(a, CU_STREAM_CAPTURE_MODE_RELAXED);
	arm_set(a, 64, 0x11, 100);
	p = place_of(a);
	arm_set(a, 200, 0x12, 100);
	arm_note(a, update(a->stream, p.nodes, NULL, p.count, ADD));
	arm_set(a, 500, 0x13, 100);
	p.graph = arm_end(a);
	arm_note(a, cuGraphDestroyNode(p.nodes[0]));
	return p.graph;
}

int main(void)
{
	arms_start();
	*(void **)&to_graph = drv_entry("cuStreamBeginCaptureToGraph");
	*(void **)&info = drv_entry("cuStreamGetCaptureInfo_v3");
	*(void **)&update = drv_entry("cuStreamUpdateCaptureDependencies_v2");
	*(void **)&update_old = drv_entry("cuStreamUpdateCaptureDependencies");
	*(void **)&join = drv_entry("cuGraphAddDependencies_v2");
	*(void **)&part = drv_entry("cuGraphRemoveDependencies_v2");
	*(void **)&needs = drv_entry("cuGraphNodeGetDependencies_v2");
	if (!to_graph || !info || !update || !join || !part || !needs)
		skip_all("this driver has no edge data");
	arms("a node of the program's, set", own_node_set, 0);
	arms("a node of the program's, added", own_node_added, 0);
	arms("explicit memsets in a capture", explicit_node, 0);
	arms("behind given nodes", behind_given, 0);
	arms("overlap behind a given memset", overlap_given, 0);
	arms("overlap behind a given memset and a kernel", overlap_given_two, 0);
	arms("overlap behind a captured memset", overlap_captured, 0);
	arms("edges with data", edges, 0);
	arms("nodes taken out", taken_out, 0);
	arms("a captured node taken out", taken_out_of_a_capture, 0);
	return done();
}
