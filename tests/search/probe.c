/* SPDX-License-Identifier: MIT */
/*
 * probe.c - what this driver can, tried once with its own memsets.
 */
#include "search.h"

const char *feature_name(enum feature feature)
{
	switch (feature) {
	case FEATURE_TWINS:
		return "memsets by their _ptsz names";
	case FEATURE_TO_GRAPH:
		return "capture to a graph";
	case FEATURE_PROGRAMMATIC:
		return "programmatic stream serialization in a capture";
	case FEATURE_POOL:
		return "pool memory";
	case FEATURE_GRAPH_MEMORY:
		return "memory allocated in a capture";
	case FEATURE_UPDATE:
		return "update of an executable graph";
	case FEATURE_CLONE:
		return "clones";
	case FEATURE_NEST:
		return "child graphs";
	case FEATURE_NODES:
		return "explicit memset nodes";
	case FEATURE_EXEC_PARAMS:
		return "new parameters for a memset node of an executable graph";
	case FEATURE_EXEC_WIDTH:
		return "another width for such a node";
	}
	return "?";
}

static int good(CUresult result)
{
	return result == CUDA_SUCCESS;
}

static CUgraph capture_one(int programmatic)
{
	CUlaunchAttribute attribute = {
	    .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
	    .value = {.programmaticStreamSerializationAllowed = 1}};
	CUlaunchConfig config = {.gridDimX = 1,
	                         .gridDimY = 1,
	                         .gridDimZ = 1,
	                         .blockDimX = 128,
	                         .blockDimY = 1,
	                         .blockDimZ = 1,
	                         .hStream = world.stream[0],
	                         .attrs = &attribute,
	                         .numAttrs = 1};
	uint64_t n = 1;
	unsigned int addend = 1;
	void *params[] = {&world.base[SPACE_DEVICE], &n, &addend};
	CUgraph graph = NULL;
	int works = 1, i;

	must(cuStreamBeginCapture(world.stream[0], CU_STREAM_CAPTURE_MODE_RELAXED));
	works &=
	    good(cuMemsetD8Async(world.base[SPACE_DEVICE], 1, 64, world.stream[0]));
	/* Behind a memset, then behind a kernel. */
	for (i = 0; programmatic && i < 2; i++)
		works &= good(cuLaunchKernelEx(&config, world.add, params, NULL));
	works &= good(cuStreamEndCapture(world.stream[0], &graph));
	return works ? graph : NULL;
}

static int runs(CUgraph graph)
{
	return graph && good(drv_replay(graph, world.stream[0], 1));
}

static int programmatic(void)
{
	CUgraph graph = capture_one(1);
	int works = runs(graph);

	if (graph)
		cuGraphDestroy(graph);
	return works;
}

static int graph_memory(void)
{
	CUstream s = world.stream[0];
	CUgraph graph = NULL;
	CUdeviceptr at = 0;
	int works;

	must(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	works = good(cuMemAllocAsync(&at, 64, s)) &&
	        good(cuMemsetD8Async(at, 1, 64, s)) && good(cuMemFreeAsync(at, s));
	works &= good(cuStreamEndCapture(s, &graph));
	works = works && runs(graph);
	if (graph)
		cuGraphDestroy(graph);
	return works;
}

static unsigned int graphs(void)
{
	CUgraphExecUpdateResultInfo info;
	CUgraph one = capture_one(0), other = capture_one(0), copy, outer;
	CUgraphExec exec;
	CUgraphNode node;
	unsigned int found = 0;

	if (!one || !other)
		bail("this driver captures no memset");
	must(cuGraphInstantiateWithFlags(&exec, one, 0));
	if (good(cuGraphExecUpdate(exec, other, &info)))
		found |= FEATURE_UPDATE;
	cuGraphExecDestroy(exec);
	if (good(cuGraphClone(&copy, one))) {
		found |= runs(copy) ? FEATURE_CLONE : 0;
		cuGraphDestroy(copy);
	}
	must(cuGraphCreate(&outer, 0));
	if (good(cuGraphAddChildGraphNode(&node, outer, NULL, 0, one)) && runs(outer))
		found |= FEATURE_NEST;
	cuGraphDestroy(outer);
	cuGraphDestroy(one);
	cuGraphDestroy(other);
	return found;
}

/* Widths either side of where a driver may treat memsets differently. */
static unsigned int nodes(void)
{
	static const size_t widths[] = {1, 16, 1024, 1500, 5000, 3};
	CUDA_MEMSET_NODE_PARAMS set = {.dst = world.base[SPACE_DEVICE],
	                               .elementSize = 1,
	                               .width = 64,
	                               .height = 1};
	unsigned int found = 0, i;
	CUgraphNode node;
	CUgraphExec exec;
	CUgraph graph;

	must(cuGraphCreate(&graph, 0));
	if (good(cuGraphAddMemsetNode(&node, graph, NULL, 0, &set, world.ctx)) &&
	    good(cuGraphInstantiateWithFlags(&exec, graph, 0))) {
		found = FEATURE_NODES;
		set.value = 1;
		if (good(cuGraphExecMemsetNodeSetParams(exec, node, &set, world.ctx)))
			found |= FEATURE_EXEC_PARAMS | FEATURE_EXEC_WIDTH;
		for (i = 0; i < sizeof widths / sizeof *widths; i++) {
			set.width = widths[i];
			if (!good(cuGraphExecMemsetNodeSetParams(exec, node, &set,
			                                         world.ctx)))
				found &= ~(unsigned int)FEATURE_EXEC_WIDTH;
		}
		cuGraphExecDestroy(exec);
	}
	cuGraphDestroy(graph);
	return found;
}

unsigned int probe_features(void)
{
	int was = drv_shim(0);
	unsigned int found = graphs() | nodes();

	if (drv_entry("cuMemsetD8Async_ptsz") && drv_entry("cuMemsetD2D32Async_ptsz"))
		found |= FEATURE_TWINS;
	found |= world.begin_to_graph ? FEATURE_TO_GRAPH : 0;
	found |= programmatic() ? FEATURE_PROGRAMMATIC : 0;
	found |= world.base[SPACE_POOL] ? FEATURE_POOL : 0;
	found |= graph_memory() ? FEATURE_GRAPH_MEMORY : 0;
	if (was >= 0)
		drv_shim(was);
	return found;
}
