/* SPDX-License-Identifier: MIT */
/*
 * cuGraphNodeGetParams, which drivers have since CUDA 13.2: of a fill it tells what it
 * tells of the memset node, captured or explicit.
 */
#include <string.h>

#include "drv.h"

static CUresult (*get)(CUgraphNode, CUgraphNodeParams *);
static CUcontext ctx;
static CUstream stream;
static CUdeviceptr memory;

static const struct drv_set sets[] = {
    {.elem = 1, .value = 5, .width = 64},
    {.elem = 2, .value = 0x506, .width = 3000},
    {.elem = 4, .rows = 1, .value = 7, .width = 9, .height = 5, .pitch = 64},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static CUgraph graph_of(const struct drv_set *m, int explicit)
{
	CUDA_MEMSET_NODE_PARAMS set = {.dst = m->dst,
	                               .pitch = m->pitch,
	                               .value = m->value,
	                               .elementSize = m->elem,
	                               .width = m->width,
	                               .height = m->rows ? m->height : 1};
	struct drv_outcome o;
	CUgraphNode node;
	CUgraph graph;

	if (!explicit)
		return drv_capture(m, stream, &o);
	must(cuGraphCreate(&graph, 0));
	must(cuGraphAddMemsetNode(&node, graph, NULL, 0, &set, ctx));
	return graph;
}

static void told(struct drv_set m, int explicit)
{
	CUgraphNodeParams p[2];
	CUgraphNode node;
	size_t one = 1;
	int on;

	m.dst = memory;
	for (on = 0; on < 2; on++) {
		CUgraph graph;

		drv_shim(on);
		graph = graph_of(&m, explicit);
		drv_shim(1);
		must(cuGraphGetNodes(graph, &node, &one));
		is(drv_type(node),
		   on ? CU_GRAPH_NODE_TYPE_KERNEL : CU_GRAPH_NODE_TYPE_MEMSET,
		   "%s %s, %s", explicit ? "explicit" : "captured", drv_set_name(&m),
		   on ? "a fill" : "a memset node");
		memset(&p[on], 0x5a, sizeof p[on]);
		is(get(node, &p[on]), CUDA_SUCCESS, "tells its parameters");
		must(cuGraphDestroy(graph));
	}
	is(p[0].type, CU_GRAPH_NODE_TYPE_MEMSET, "those of a memset");
	ok(!memcmp(&p[0].memset, &p[1].memset, sizeof p[0].memset) &&
	       p[0].type == p[1].type,
	   "the same of both");
}

static void kernels_stay(void)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_EMPTY};
	CUgraphNode node;
	CUgraph graph;
	size_t one = 1;

	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	must(drv_launch_copy(memory, memory + 64, 64, stream, 0));
	must(cuStreamEndCapture(stream, &graph));
	must(cuGraphGetNodes(graph, &node, &one));
	is(get(node, &p), CUDA_SUCCESS, "the program's kernel tells its own");
	is(p.type, CU_GRAPH_NODE_TYPE_KERNEL, "as a kernel");
	is(get(node, NULL), CUDA_ERROR_INVALID_VALUE, "nowhere to tell: invalid");
	must(cuGraphDestroy(graph));
}

int main(void)
{
	size_t i;

	ctx = drv_start();
	*(void **)&get = drv_entry("cuGraphNodeGetParams");
	if (!get)
		skip_all("this driver has no cuGraphNodeGetParams");
	(void)drv_kernel("sim_copy_bytes"); /* no loading in a capture */
	stream = drv_stream();
	memory = drv_alloc(1 << 16);
	for (i = 0; i < COUNT(sets); i++) {
		told(sets[i], 0);
		told(sets[i], 1);
	}
	kernels_stay();
	return done();
}
