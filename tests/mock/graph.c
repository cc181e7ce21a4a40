/* SPDX-License-Identifier: MIT */
/*
 * graph.c - graphs that are made while the client looks on.
 *
 * Where a driver is loaded, nodes other than kernels are nodes of a graph of its own:
 * the client may ask it what they are.  In the callback for a node's making the type
 * is "kernel" for every node, as CUPTI 13.0 says of captured ones.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "mock.h"

struct node {
	CUgraphNode original, clone;
	CUgraphNode parent; /* of a node in a child graph: that graph's own node */
	uint64_t id;        /* within its graph */
	CUgraphNodeType type;
	struct node *next;
};

/* A graph and the executable graph that is made of it. */
struct exec {
	uint64_t id;
	CUgraph graph;
	struct node *nodes, **last;
	struct exec *next;
};

static struct exec *execs;

/* What a graph is made with, of the driver that is loaded. */
static struct {
	__typeof__(cuGraphCreate) *create;
	__typeof__(cuGraphAddMemsetNode) *add_memset;
	__typeof__(cuGraphAddMemcpyNode) *add_memcpy;
	__typeof__(cuGraphAddHostNode) *add_host;
	__typeof__(cuGraphAddEmptyNode) *add_empty;
	__typeof__(cuGraphAddChildGraphNode) *add_child;
	__typeof__(cuGraphChildGraphNodeGetGraph) *get_child;
	__typeof__(cuGraphGetNodes) *get_nodes;
	__typeof__(cuCtxSetCurrent) *set_current;
	CUcontext context;
} driver;

static void find(void *lib, const char *name, void *pointer)
{
	void *function = dlsym(lib, name);

	if (!function)
		mock_fail("the driver has no %s", name);
	memcpy(pointer, &function, sizeof function);
}

/* 0 when there is no driver. */
static int find_driver(void)
{
	void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	__typeof__(cuDevicePrimaryCtxRetain) *retain;

	if (!lib)
		return 0;
	if (driver.context)
		return 1;
	find(lib, "cuDevicePrimaryCtxRetain", &retain);
	find(lib, "cuGraphCreate", &driver.create);
	find(lib, "cuGraphAddMemsetNode", &driver.add_memset);
	find(lib, "cuGraphAddMemcpyNode", &driver.add_memcpy);
	find(lib, "cuGraphAddHostNode", &driver.add_host);
	find(lib, "cuGraphAddEmptyNode", &driver.add_empty);
	find(lib, "cuGraphAddChildGraphNode", &driver.add_child);
	find(lib, "cuGraphChildGraphNodeGetGraph", &driver.get_child);
	find(lib, "cuGraphGetNodes", &driver.get_nodes);
	find(lib, "cuCtxSetCurrent", &driver.set_current);
	if (retain(&driver.context, 0) != CUDA_SUCCESS)
		mock_fail("the driver has no context: graphs come after cuInit");
	return 1;
}

static void nothing(void *unused)
{
	(void)unused;
}

static CUresult add_memset(CUgraphNode *out, CUgraph graph)
{
	CUDA_MEMSET_NODE_PARAMS set = {
	    .dst = 0x1000, .elementSize = 4, .width = 1, .height = 1};

	return driver.add_memset(out, graph, NULL, 0, &set, driver.context);
}

/* A memset in a child graph; that memset is what is meant. */
static CUresult add_child(CUgraphNode *out, CUgraphNode *parent, CUgraph graph)
{
	CUresult result;
	CUgraph inner;
	size_t n = 1;

	result = driver.create(&inner, 0);
	if (result == CUDA_SUCCESS)
		result = add_memset(out, inner);
	if (result == CUDA_SUCCESS)
		result = driver.add_child(parent, graph, NULL, 0, inner);
	if (result == CUDA_SUCCESS)
		result = driver.get_child(*parent, &inner);
	return result == CUDA_SUCCESS ? driver.get_nodes(inner, out, &n) : result;
}

static CUresult add(struct node *node, CUgraph graph)
{
	CUgraphNode *out = &node->original;
	CUDA_HOST_NODE_PARAMS host = {.fn = nothing};
	CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
	                      .dstMemoryType = CU_MEMORYTYPE_DEVICE,
	                      .WidthInBytes = 4,
	                      .Height = 1,
	                      .Depth = 1};

	switch (node->type) {
	case CU_GRAPH_NODE_TYPE_MEMSET:
		return add_memset(out, graph);
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return driver.add_memcpy(out, graph, NULL, 0, &copy, driver.context);
	case CU_GRAPH_NODE_TYPE_HOST:
		return driver.add_host(out, graph, NULL, 0, &host);
	case CU_GRAPH_NODE_TYPE_EMPTY:
		return driver.add_empty(out, graph, NULL, 0);
	case CU_GRAPH_NODE_TYPE_GRAPH:
		return add_child(out, &node->parent, graph);
	default:
		return CUDA_SUCCESS; /* a kernel: it has the address that it has */
	}
}

static struct exec *exec_of(uint64_t id)
{
	struct exec *e;

	for (e = execs; e; e = e->next)
		if (e->id == id)
			return e;
	e = mock_new(1, sizeof *e);
	e->id = id;
	e->last = &e->nodes;
	e->graph = (CUgraph)&e->graph;
	if (find_driver() && driver.create(&e->graph, 0) != CUDA_SUCCESS)
		mock_fail("the driver makes no graph");
	e->next = execs;
	execs = e;
	return e;
}

static void tell(CUpti_CallbackIdResource id, CUpti_GraphData *data)
{
	CUpti_ResourceData resource = {.context = driver.context,
	                               .resourceDescriptor = data};

	mock_call_back(CUPTI_CB_DOMAIN_RESOURCE, id, &resource);
}

void graph_node(const struct statement *s)
{
	CUpti_GraphData data = {.nodeType = CU_GRAPH_NODE_TYPE_KERNEL};
	struct node *node = mock_new(1, sizeof *node);
	struct exec *e = exec_of(s->graph);

	node->id = s->node;
	node->type = (CUgraphNodeType)s->number;
	node->clone = (CUgraphNode)&node->clone;
	node->original = (CUgraphNode)&node->original;
	if (driver.context && add(node, e->graph) != CUDA_SUCCESS)
		mock_fail("the driver makes no node of type %d", (int)node->type);
	*e->last = node;
	e->last = &node->next;
	data.graph = e->graph;
	data.node = node->original;
	tell(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, &data);
}

void graph_exec(const struct statement *s)
{
	struct exec *e = exec_of(s->graph);
	CUgraphExec handle = (CUgraphExec)e;
	cuGraphInstantiateWithFlags_params params = {.phGraphExec = &handle,
	                                             .hGraph = e->graph};
	CUpti_CallbackData call = {.callbackSite = CUPTI_API_ENTER,
	                           .functionName = "cuGraphInstantiate",
	                           .functionParams = &params,
	                           .context = driver.context};
	CUpti_GraphData data = {
	    .originalGraph = e->graph, .graph = (CUgraph)&e->id, .graphExec = handle};
	CUpti_CallbackId id = s->number
	                          ? (CUpti_CallbackId)s->number
	                          : CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags;
	struct node *node;

	mock_call_back(CUPTI_CB_DOMAIN_DRIVER_API, id, &call);
	for (node = e->nodes; node; node = node->next) {
		data.node = node->clone;
		data.originalNode = node->original;
		data.nodeType = node->type;
		tell(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, &data);
	}
	data.node = data.originalNode = NULL;
	tell(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, &data);
	call.callbackSite = CUPTI_API_EXIT;
	mock_call_back(CUPTI_CB_DOMAIN_DRIVER_API, id, &call);
}

/* Nothing is launched but the callbacks at both ends. */
void graph_launch(const struct statement *s)
{
	CUresult result =
	    s->verb == VERB_REFUSE ? CUDA_ERROR_LAUNCH_FAILED : CUDA_SUCCESS;
	struct exec *e = exec_of(s->graph);
	cuGraphLaunch_params params = {.hGraph = (CUgraphExec)e};
	CUpti_CallbackData call = {.callbackSite = CUPTI_API_ENTER,
	                           .functionName = "cuGraphLaunch",
	                           .functionParams = &params,
	                           .context = driver.context};
	CUpti_CallbackId id = s->number ? (CUpti_CallbackId)s->number
	                                : CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch;

	if (driver.set_current && driver.set_current(driver.context) != CUDA_SUCCESS)
		mock_fail("the driver sets no context");
	mock_call_back(CUPTI_CB_DOMAIN_DRIVER_API, id, &call);
	call.callbackSite = CUPTI_API_EXIT;
	call.functionReturnValue = &result;
	mock_call_back(CUPTI_CB_DOMAIN_DRIVER_API, id, &call);
}

/* Graphs that were not instantiated, and the nodes of child graphs, have other ids. */
enum { ORIGINALS = 0x40000000, CHILDREN = 0x10000000 };

int graph_id_of(const void *handle, uint64_t *id)
{
	const struct exec *e;
	const struct node *node;

	for (e = execs; e; e = e->next) {
		*id = e->id;
		if (handle == e || handle == &e->id)
			return 1;
		*id = ORIGINALS + e->id;
		if (handle == e->graph)
			return 1;
		for (node = e->nodes; node; node = node->next) {
			*id = e->id << 32 | node->id;
			if (handle == node->clone)
				return 1;
			*id = (ORIGINALS + e->id) << 32 | node->id;
			if (handle == node->original)
				return 1;
			*id += CHILDREN;
			if (node->parent && handle == node->parent)
				return 1;
		}
	}
	return 0;
}
