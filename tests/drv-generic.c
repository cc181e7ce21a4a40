/* SPDX-License-Identifier: MIT */
/*
 * Explicit nodes: added, changed and changed in an instantiated graph by the one
 * structure for all kinds, they are what the functions of each kind make.
 */
#include <string.h>

#include "drv_kernels.h"

#define SIZE 256u

static CUcontext ctx;
static CUstream stream;
static CUdeviceptr memory;
static int host_calls;

static CUresult (*add)(CUgraphNode *, CUgraph, const CUgraphNode *,
                       const CUgraphEdgeData *, size_t, CUgraphNodeParams *);
static CUresult (*add_old)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
                           CUgraphNodeParams *);
static CUresult (*change)(CUgraphNode, CUgraphNodeParams *);
static CUresult (*exec_change)(CUgraphExec, CUgraphNode, CUgraphNodeParams *);

static void CUDA_CB called(void *data)
{
	host_calls += *(int *)data;
}

static CUgraphNodeParams of(CUgraphNodeType type)
{
	CUgraphNodeParams p;

	memset(&p, 0, sizeof p);
	p.type = type;
	return p;
}

static CUgraphNodeParams fill_of(unsigned int value)
{
	CUgraphNodeParams p = of(CU_GRAPH_NODE_TYPE_MEMSET);

	p.memset.dst = memory;
	p.memset.value = value;
	p.memset.elementSize = 1;
	p.memset.width = 64;
	p.memset.height = 1;
	p.memset.ctx = ctx;
	return p;
}

static CUgraphNodeParams copy_of(unsigned int to)
{
	CUgraphNodeParams p = of(CU_GRAPH_NODE_TYPE_MEMCPY);
	CUDA_MEMCPY3D *c = &p.memcpy.copyParams;

	p.memcpy.copyCtx = ctx;
	c->srcMemoryType = c->dstMemoryType = CU_MEMORYTYPE_DEVICE;
	c->srcDevice = memory;
	c->dstDevice = memory + to;
	c->WidthInBytes = 64;
	c->Height = c->Depth = 1;
	return p;
}

static CUgraphNodeParams kernel_of(struct drv_add *a)
{
	CUgraphNodeParams p = of(CU_GRAPH_NODE_TYPE_KERNEL);

	p.kernel.func = drv_kernel("sim_add_bytes");
	p.kernel.gridDimX = p.kernel.gridDimY = p.kernel.gridDimZ = 1;
	p.kernel.blockDimX = p.kernel.blockDimY = p.kernel.blockDimZ = 1;
	p.kernel.kernelParams = drv_add_args(a);
	return p;
}

static unsigned char byte_at(unsigned int offset)
{
	unsigned char byte;

	drv_read(&byte, memory + offset, 1);
	return byte;
}

static void launch(CUgraphExec exec)
{
	unsigned char zero[SIZE] = {0};

	host_calls = 0;
	drv_write(memory, zero, SIZE);
	must(cuGraphLaunch(exec, stream));
	must(cuStreamSynchronize(stream));
}

/* memset, kernel, memcpy, host: each behind the one before. */
static void four_kinds(void)
{
	struct drv_add a = {memory, 64, 1, {0}};
	int one = 1, ten = 10;
	CUDA_MEMSET_NODE_PARAMS set;
	CUDA_HOST_NODE_PARAMS host;
	CUgraphNodeParams p[4] = {fill_of(7), kernel_of(&a), copy_of(64),
	                          of(CU_GRAPH_NODE_TYPE_HOST)};
	CUgraphNode node[4];
	CUgraphExec exec;
	CUgraph graph;
	int i;

	p[3].host.fn = called;
	p[3].host.userData = &one;
	must(cuGraphCreate(&graph, 0));
	for (i = 0; i < 4; i++)
		is(add(&node[i], graph, i ? &node[i - 1] : NULL, NULL, i != 0, &p[i]),
		   CUDA_SUCCESS, "added: type %d", (int)p[i].type);
	must(cuGraphMemsetNodeGetParams(node[0], &set));
	ok(set.dst == memory && set.value == 7 && set.width == 64,
	   "the memset's own function gives its parameters");
	must(cuGraphHostNodeGetParams(node[3], &host));
	ok(host.fn == called && host.userData == &one, "and the host node's its own");
	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	launch(exec);
	ok(byte_at(0) == 8 && byte_at(63) == 8 && byte_at(64) == 8 && byte_at(128) == 0,
	   "a replay sets, adds and copies");
	is(host_calls, 1, "and calls the host");

	p[0] = fill_of(20);
	a.addend = 3;
	p[2] = copy_of(128);
	p[3].host.userData = &ten;
	for (i = 0; i < 4; i++)
		is(exec_change(exec, node[i], &p[i]), CUDA_SUCCESS,
		   "changed in the instantiated graph: type %d", (int)p[i].type);
	launch(exec);
	ok(byte_at(0) == 23 && byte_at(64) == 0 && byte_at(128) == 23 &&
	       byte_at(191) == 23,
	   "which its next replay shows");
	is(host_calls, 10, "the host's too");
	must(cuGraphMemsetNodeGetParams(node[0], &set));
	is(set.value, 7, "while the graph keeps its own");
	must(cuGraphExecDestroy(exec));

	for (i = 0; i < 4; i++)
		is(change(node[i], &p[i]), CUDA_SUCCESS,
		   "changed in the graph: type %d", (int)p[i].type);
	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	launch(exec);
	ok(byte_at(0) == 23 && byte_at(128) == 23 && host_calls == 10,
	   "which a new instantiation shows");
	must(cuGraphExecDestroy(exec));
	must(cuGraphDestroy(graph));
}

static void structures(void)
{
	CUgraphNodeParams p = of(CU_GRAPH_NODE_TYPE_EMPTY), wrong = fill_of(1);
	CUevent event;
	CUevent found = NULL;
	CUgraph graph, child, held = NULL;
	CUgraphNode node[4], same[2];
	size_t count = 4;

	must(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	must(cuGraphCreate(&graph, 0));
	must(cuGraphCreate(&child, 0));
	is(add_old(&node[0], graph, NULL, 0, &p), CUDA_SUCCESS,
	   "empty, by the old form");
	p = of(CU_GRAPH_NODE_TYPE_EVENT_RECORD);
	p.eventRecord.event = event;
	is(add_old(&node[1], graph, node, 1, &p), CUDA_SUCCESS, "event record");
	must(cuGraphEventRecordNodeGetEvent(node[1], &found));
	ok(found == event, "of that event");
	p = of(CU_GRAPH_NODE_TYPE_WAIT_EVENT);
	p.eventWait.event = event;
	is(add(&node[2], graph, node, NULL, 2, &p), CUDA_SUCCESS, "event wait");
	p = fill_of(5);
	must(add(&same[0], child, NULL, NULL, 0, &p));
	p = of(CU_GRAPH_NODE_TYPE_GRAPH);
	p.graph.graph = child;
	is(add(&node[3], graph, &node[2], NULL, 1, &p), CUDA_SUCCESS, "child graph");
	must(cuGraphChildGraphNodeGetGraph(node[3], &held));
	ok(held != child && drv_nodes(held) == 1, "which holds a copy");
	must(cuGraphGetNodes(graph, node, &count));
	is(count, 4, "four nodes");

	wrong.reserved2 = 1;
	is(add(&same[0], graph, NULL, NULL, 0, &wrong), CUDA_ERROR_INVALID_VALUE,
	   "a reserved byte that is set: invalid");
	wrong = of(CU_GRAPH_NODE_TYPE_EMPTY);
	wrong.reserved1[28] = 1;
	is(add(&same[0], graph, NULL, NULL, 0, &wrong), CUDA_ERROR_INVALID_VALUE,
	   "and one past what the type uses");
	p = fill_of(1);
	same[0] = same[1] = node[0];
	ok(add(&same[0], graph, same, NULL, 2, &p) != CUDA_SUCCESS,
	   "the same dependency twice: an error");
	is(change(node[1], &p), CUDA_ERROR_INVALID_VALUE,
	   "changing an event record into a memset: invalid");
	is(drv_nodes(graph), 4, "and nothing came of all these");
	must(cuGraphDestroy(graph));
	must(cuGraphDestroy(child));
	must(cuEventDestroy(event));
}

static void memory_nodes(void)
{
	CUgraphNodeParams p = of(CU_GRAPH_NODE_TYPE_MEM_ALLOC), fill = fill_of(9), copy;
	CUgraph graph, clone;
	CUgraphNode node[4], extra;
	CUdeviceptr at, told = 0;
	CUgraphExec exec;
	int type = -1;

	must(cuGraphCreate(&graph, 0));
	p.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
	p.alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	p.alloc.bytesize = SIZE;
	is(add(&node[0], graph, NULL, NULL, 0, &p), CUDA_SUCCESS,
	   "memory is allocated");
	at = p.alloc.dptr;
	ok(at != 0, "at an address");
	is(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at),
	   CUDA_ERROR_INVALID_VALUE, "of which the driver knows nothing yet");
	fill.memset.dst = at;
	must(add(&node[1], graph, node, NULL, 1, &fill));
	copy = copy_of(0);
	copy.memcpy.copyParams.srcDevice = at;
	must(add(&node[2], graph, &node[1], NULL, 1, &copy));
	p = of(CU_GRAPH_NODE_TYPE_MEM_FREE);
	p.free.dptr = at;
	is(add(&node[3], graph, &node[2], NULL, 1, &p), CUDA_SUCCESS, "and freed");
	must(cuGraphMemFreeNodeGetParams(node[3], &told));
	ok(told == at, "the same");
	is(add(&extra, graph, &node[3], NULL, 1, &p), CUDA_ERROR_INVALID_VALUE,
	   "freed twice: invalid");
	ok(change(node[3], &p) != CUDA_SUCCESS, "changed: an error");
	ok(cuGraphClone(&clone, graph) != CUDA_SUCCESS, "no clone of such a graph");
	ok(cuGraphDestroyNode(node[1]) != CUDA_SUCCESS, "none of its nodes destroyed");
	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	launch(exec);
	ok(byte_at(0) == 9 && byte_at(63) == 9, "a replay uses the memory");
	must(cuGraphExecDestroy(exec));
	must(cuGraphDestroy(graph));
}

static void disabled(void)
{
	CUgraphNodeParams first = fill_of(1), then = fill_of(2);
	CUgraphNode node[2];
	CUgraphExec exec;
	CUgraph graph;
	unsigned int enabled = 9;

	must(cuGraphCreate(&graph, 0));
	must(add(&node[0], graph, NULL, NULL, 0, &first));
	must(add(&node[1], graph, node, NULL, 1, &then));
	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	must(cuGraphNodeSetEnabled(exec, node[1], 0));
	must(cuGraphNodeGetEnabled(exec, node[1], &enabled));
	is(enabled, 0, "a node is disabled");
	launch(exec);
	is(byte_at(0), 1, "and does nothing");
	must(cuGraphNodeSetEnabled(exec, node[1], 1));
	launch(exec);
	is(byte_at(0), 2, "until it is enabled again");
	must(cuGraphExecDestroy(exec));
	must(cuGraphDestroy(graph));
}

int main(void)
{
	ctx = drv_start();
	*(void **)&add = drv_entry("cuGraphAddNode_v2");
	*(void **)&add_old = drv_entry("cuGraphAddNode");
	*(void **)&change = drv_entry("cuGraphNodeSetParams");
	*(void **)&exec_change = drv_entry("cuGraphExecNodeSetParams");
	if (!add || !add_old || !change || !exec_change)
		skip_all("this driver has no cuGraphAddNode");
	stream = drv_stream();
	memory = drv_alloc(SIZE);
	drv_kernel("sim_add_bytes");
	four_kinds();
	structures();
	memory_nodes();
	disabled();
	return done();
}
