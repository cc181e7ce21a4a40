/* SPDX-License-Identifier: MIT */
/*
 * Whatever error the driver gives to a hooked function of nodes, or to a launch that
 * makes one, the program gets that error and nothing else, for memset nodes and for
 * fills; afterwards all is well.
 */
#include <string.h>

#include "drv.h"

#define SIZE 64u

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const functions[] = {
#define HOOK(name, params) #name,
#define CALL_NEEDED(name, params)
#define CALL(name, params)
#include "../shim/symbols.def"
#undef HOOK
#undef CALL_NEEDED
#undef CALL
};

struct hooked {
	const char *name;
	CUresult error;
	CUstream stream;
	CUdeviceptr p; /* room for twice SIZE */
	CUcontext ctx;
	CUfunction kernel;
};

static CUresult launch_overlapping(const struct hooked *h)
{
	__typeof__(&cuLaunchKernelEx) call;
	CUdeviceptr to = h->p + SIZE, from = h->p;
	uint64_t n = SIZE;
	void *params[] = {&to, &from, &n};
	CUlaunchAttribute overlap = {
	    .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION};
	CUlaunchConfig config = {.gridDimX = 1,
	                         .gridDimY = 1,
	                         .gridDimZ = 1,
	                         .blockDimX = 1,
	                         .blockDimY = 1,
	                         .blockDimZ = 1,
	                         .hStream = h->stream,
	                         .attrs = &overlap,
	                         .numAttrs = 1};

	overlap.value.programmaticStreamSerializationAllowed = 1;
	*(void **)&call = drv_entry(h->name);
	return call(&config, h->kernel, params, NULL);
}

static int launch_fails(const struct hooked *h)
{
	unsigned char got[SIZE], want[SIZE];
	CUgraph graph;
	int good;

	sim_fail(h->name, 1, h->error);
	good = holds(launch_overlapping(h) == h->error);
	must(cuStreamBeginCapture(h->stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	must(cuMemsetD8Async(h->p, 0x51, SIZE, h->stream));
	sim_fail(h->name, 1, h->error);
	good &= holds(launch_overlapping(h) == h->error);
	must(cuMemsetD8Async(h->p, 0x52, SIZE, h->stream));
	must(cuStreamEndCapture(h->stream, &graph));
	good &= holds(drv_replay(graph, h->stream, 1) == CUDA_SUCCESS);
	must(cuGraphDestroy(graph));
	drv_read(got, h->p, sizeof got);
	memset(want, 0x52, sizeof want);
	return good & holds(!memcmp(got, want, sizeof got));
}

static CUDA_MEMSET_NODE_PARAMS line(const struct hooked *h)
{
	return (CUDA_MEMSET_NODE_PARAMS){
	    .dst = h->p, .value = 0x61, .elementSize = 1, .width = SIZE, .height = 1};
}

static CUgraphNodeParams generic_line(const struct hooked *h)
{
	CUgraphNodeParams p;

	memset(&p, 0, sizeof p);
	p.type = CU_GRAPH_NODE_TYPE_MEMSET;
	p.memset = (CUDA_MEMSET_NODE_PARAMS_v2){.dst = h->p,
	                                        .value = 0x61,
	                                        .elementSize = 1,
	                                        .width = SIZE,
	                                        .height = 1,
	                                        .ctx = h->ctx};
	return p;
}

static CUresult add_node(const struct hooked *h, const char *name, CUgraph graph,
                         CUgraphNode *node)
{
	CUresult (*v1)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
	               CUgraphNodeParams *);
	__typeof__(&cuGraphAddNode) v2;
	CUDA_MEMSET_NODE_PARAMS set = line(h);
	CUgraphNodeParams p = generic_line(h);

	*(void **)&v1 = *(void **)&v2 = drv_entry(name);
	if (!strcmp(name, "cuGraphAddMemsetNode"))
		return cuGraphAddMemsetNode(node, graph, NULL, 0, &set, h->ctx);
	if (!strcmp(name, "cuGraphAddNode"))
		return v1(node, graph, NULL, 0, &p);
	return v2(node, graph, NULL, NULL, 0, &p);
}

/* With the shim off, and where no kernel node can be had. */
static int add_fails(const struct hooked *h)
{
	CUgraphNode node = NULL;
	CUgraph graph;
	int good;

	must(cuGraphCreate(&graph, 0));
	drv_shim(0);
	sim_fail(h->name, 1, h->error);
	good = holds(add_node(h, h->name, graph, &node) == h->error);
	drv_shim(1);
	sim_fail(h->name, 1, h->error);
	sim_fail("cuGraphAddKernelNode_v2", 1, CUDA_ERROR_OUT_OF_MEMORY);
	good &= holds(add_node(h, h->name, graph, &node) == h->error);
	good &= holds(drv_nodes(graph) == 0);
	sim_reset();
	must(add_node(h, h->name, graph, &node));
	good &= holds(drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL) == 1);
	must(cuGraphDestroy(graph));
	return good;
}

/* Calls the function by its name, on a node that is a memset to the program. */
static CUresult ask_node(const struct hooked *h, CUgraphExec exec, CUgraphNode node)
{
	CUDA_MEMSET_NODE_PARAMS set = line(h);
	CUgraphNodeParams p = generic_line(h);
	CUgraphNodeType type;

	if (!strcmp(h->name, "cuGraphNodeGetType"))
		return cuGraphNodeGetType(node, &type);
	if (!strcmp(h->name, "cuGraphMemsetNodeGetParams"))
		return cuGraphMemsetNodeGetParams(node, &set);
	if (!strcmp(h->name, "cuGraphMemsetNodeSetParams"))
		return cuGraphMemsetNodeSetParams(node, &set);
	if (!strcmp(h->name, "cuGraphNodeSetParams"))
		return cuGraphNodeSetParams(node, &p);
	if (!strcmp(h->name, "cuGraphNodeGetParams")) {
		CUresult (*get)(CUgraphNode, CUgraphNodeParams *);

		*(void **)&get = drv_entry(h->name);
		return get(node, &p);
	}
	if (!strcmp(h->name, "cuGraphExecMemsetNodeSetParams"))
		return cuGraphExecMemsetNodeSetParams(exec, node, &set, h->ctx);
	if (!strcmp(h->name, "cuGraphExecNodeSetParams"))
		return cuGraphExecNodeSetParams(exec, node, &p);
	return CUDA_SUCCESS;
}

/* On a memset node as on a fill. */
static int node_fails(const struct hooked *h)
{
	CUgraphExec exec;
	CUgraphNode node;
	CUgraph graph;
	int good = 1, on;

	for (on = 0; on < 2; on++) {
		must(cuGraphCreate(&graph, 0));
		drv_shim(on);
		must(add_node(h, "cuGraphAddMemsetNode", graph, &node));
		drv_shim(1);
		must(cuGraphInstantiateWithFlags(&exec, graph, 0));
		good &= holds(ask_node(h, exec, node) == CUDA_SUCCESS);
		sim_fail(h->name, 1, h->error);
		good &= holds(ask_node(h, exec, node) == h->error);
		sim_reset();
		good &= holds(ask_node(h, exec, node) == CUDA_SUCCESS);
		must(cuGraphExecDestroy(exec));
		must(cuGraphDestroy(graph));
	}
	return good;
}

/* Calls an instantiation or an update by its name. */
static CUresult ask_graph(const struct hooked *h, CUgraphExec *exec, CUgraph graph)
{
	CUresult (*oldest)(CUgraphExec *, CUgraph, CUgraphNode *, char *, size_t);
	CUresult (*flags)(CUgraphExec *, CUgraph, unsigned long long);
	CUresult (*params)(CUgraphExec *, CUgraph, CUDA_GRAPH_INSTANTIATE_PARAMS *);
	CUresult (*update)(CUgraphExec, CUgraph, CUgraphNode *,
	                   CUgraphExecUpdateResult *);
	CUDA_GRAPH_INSTANTIATE_PARAMS p = {.flags = 0};
	CUgraphExecUpdateResultInfo info;
	CUgraphExecUpdateResult result;
	CUgraphNode bad;

	*(void **)&oldest = *(void **)&flags = *(void **)&params = *(void **)&update =
	    drv_entry(h->name);
	if (!strcmp(h->name, "cuGraphExecUpdate"))
		return update(*exec, graph, &bad, &result);
	if (!strcmp(h->name, "cuGraphExecUpdate_v2"))
		return cuGraphExecUpdate(*exec, graph, &info);
	if (strstr(h->name, "WithParams"))
		return params(exec, graph, &p);
	if (strstr(h->name, "WithFlags"))
		return flags(exec, graph, 0);
	return oldest(exec, graph, &bad, NULL, 0);
}

/* The executable graph stays what it was, in the program's variable too. */
static int graph_fails(const struct hooked *h)
{
	CUgraphExec exec, before;
	CUgraphNode node;
	CUgraph graph;
	int good;

	must(cuGraphCreate(&graph, 0));
	must(add_node(h, "cuGraphAddMemsetNode", graph, &node));
	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	before = exec;
	sim_fail(h->name, 1, h->error);
	good = holds(ask_graph(h, &exec, graph) == h->error) & holds(exec == before);
	sim_reset();
	good &= holds(ask_graph(h, &exec, graph) == CUDA_SUCCESS);
	good &= holds(cuGraphLaunch(exec, h->stream) == CUDA_SUCCESS);
	must(cuStreamSynchronize(h->stream));
	must(cuGraphDestroy(graph));
	return good;
}

/* One child graph in the place of another. */
static int child_fails(const struct hooked *h)
{
	CUgraph graph, child;
	CUgraphNode node, held;
	CUgraphExec exec;
	int good;

	must(cuGraphCreate(&child, 0));
	must(add_node(h, "cuGraphAddMemsetNode", child, &node));
	must(cuGraphCreate(&graph, 0));
	must(cuGraphAddChildGraphNode(&held, graph, NULL, 0, child));
	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	sim_fail(h->name, 1, h->error);
	good = holds(cuGraphExecChildGraphNodeSetParams(exec, held, child) == h->error);
	sim_reset();
	good &= holds(cuGraphExecChildGraphNodeSetParams(exec, held, child) ==
	              CUDA_SUCCESS);
	good &= holds(cuGraphLaunch(exec, h->stream) == CUDA_SUCCESS);
	must(cuStreamSynchronize(h->stream));
	return good;
}

/* The first whose name is the beginning of a hook's. */
static const struct kind {
	const char *name;
	int (*fails)(const struct hooked *h);
} kinds[] = {
    {"cuLaunchKernelEx", launch_fails},     {"cuGraphAdd", add_fails},
    {"cuGraphInstantiate", graph_fails},    {"cuGraphExecUpdate", graph_fails},
    {"cuGraphExecChildGraph", child_fails}, {"cuGraph", node_fails},
};

static const struct kind *kind_of(const char *name)
{
	size_t i;

	for (i = 0; i < COUNT(kinds); i++)
		if (!strncmp(kinds[i].name, name, strlen(kinds[i].name)))
			return &kinds[i];
	return NULL;
}

static int disturbed(void *arg)
{
	struct hooked *h = arg;

	/* The warnings that all this gives are another test's. */
	if (!freopen("/dev/null", "w", stderr))
		return 1;
	h->ctx = drv_start();
	h->stream = drv_stream();
	h->p = drv_alloc((size_t)2 * SIZE);
	h->kernel = drv_kernel("sim_copy_bytes");
	return !kind_of(h->name)->fails(h);
}

/* Bad memory is asked about in relaxed mode, which the program never sees. */
static int mode_comes_back(void *arg)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
	struct hooked h = {0};
	CUgraphNode node;
	CUgraphExec exec;
	CUgraph graph;

	(void)arg;
	h.ctx = drv_start();
	h.p = drv_alloc((size_t)64 << 20);
	must(cuGraphCreate(&graph, 0));
	must(add_node(&h, "cuGraphAddMemsetNode", graph, &node));
	must(cuMemFree(h.p));
	sim_fail("cuThreadExchangeStreamCaptureMode", 2, CUDA_ERROR_UNKNOWN);
	if (!holds(cuGraphInstantiateWithFlags(&exec, graph, 0) != CUDA_SUCCESS))
		return 1;
	sim_reset();
	must(cuThreadExchangeStreamCaptureMode(&mode));
	return !holds(mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
}

int main(void)
{
	static const CUresult errors[] = {
	    CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_UNKNOWN};
	size_t i, k;

	if (!drv_is_sim())
		skip_all("needs the simulated driver");
	for (i = 0; i < COUNT(functions); i++) {
		struct hooked h = {.name = functions[i]};
		int bad = 0;

		if (!kind_of(h.name) || !kind_of(h.name)->fails)
			continue;
		for (k = 0; k < COUNT(errors); k++) {
			h.error = errors[k];
			bad += drv_child(disturbed, &h) != 0;
		}
		ok(!bad, "%s: its own errors, and all is well afterwards", h.name);
	}
	is(drv_child(mode_comes_back, NULL), 0,
	   "a capture mode that fails to come back");
	return done();
}
