/* SPDX-License-Identifier: MIT */
/*
 * The simulated driver's loops: kernels set their conditions, inside the body and
 * before it, and a handle without a node keeps a graph from being instantiated.
 */
#include <string.h>

#include "drv_kernels.h"

#define ROUNDS 5u

static CUcontext ctx;
static CUstream stream;
static CUdeviceptr memory; /* a count, then a byte */

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

/* As long as the count is not 0, one is taken off it and added to the byte. */
static CUgraph loop(void)
{
	CUresult (*add)(CUgraphNode *, CUgraph, const CUgraphNode *,
	                const CUgraphEdgeData *, size_t, CUgraphNodeParams *);
	struct drv_add a = {memory + 4, 1, 1, {0}};
	CUgraphConditionalHandle handle;
	unsigned int yes = 1;
	CUgraphNodeParams p;
	CUgraphNode node, first;
	CUgraph graph;

	*(void **)&add = drv_entry("cuGraphAddNode_v2");
	must(cuGraphCreate(&graph, 0));
	must(cuGraphConditionalHandleCreate(&handle, graph, ctx, 0,
	                                    CU_GRAPH_COND_ASSIGN_DEFAULT));
	memset(&p, 0, sizeof p);
	p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
	p.conditional.handle = handle;
	p.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
	p.conditional.size = 1;
	p.conditional.ctx = ctx;
	first = kernel(graph, NULL, "sim_set_condition", (void *[]){&handle, &yes});
	must(add(&node, graph, &first, NULL, 1, &p));
	node = kernel(p.conditional.phGraph_out[0], NULL, "sim_add_bytes",
	              drv_add_args(&a));
	kernel(p.conditional.phGraph_out[0], &node, "sim_count_down",
	       (void *[]){&memory, &handle});
	return graph;
}

static unsigned int byte_after(CUgraphExec exec)
{
	unsigned int both[2] = {ROUNDS, 0};

	drv_write(memory, both, sizeof both);
	must(cuGraphLaunch(exec, stream));
	drv_read(both, memory, sizeof both);
	return both[1];
}

static void loops(void)
{
	CUgraph graph = loop();
	CUgraphExec exec;
	unsigned long long before;

	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	before = sim_kernel_launches();
	is(byte_after(exec), ROUNDS,
	   "a loop runs until its kernel says that it is over");
	is(sim_kernel_launches() - before, 1 + 2 * ROUNDS, "and no kernel more");
	is(byte_after(exec), ROUNDS, "again");
	must(cuGraphExecDestroy(exec));
	must(cuGraphDestroy(graph));
}

static void unused_handle(void)
{
	CUDA_GRAPH_INSTANTIATE_PARAMS params = {0};
	CUgraphConditionalHandle handle;
	CUgraphExec exec;
	CUgraph graph;

	must(cuGraphCreate(&graph, 0));
	must(cuGraphConditionalHandleCreate(&handle, graph, ctx, 0, 0));
	is(cuGraphInstantiateWithParams(&exec, graph, &params),
	   CUDA_ERROR_INVALID_VALUE, "a handle without a node: invalid");
	is(params.result_out, CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED,
	   "for that reason");
	must(cuGraphDestroy(graph));
}

int main(void)
{
	ctx = drv_start();
	if (!drv_is_sim())
		skip_all("needs the simulated driver");
	stream = drv_stream();
	memory = drv_alloc(8);
	drv_kernel("sim_add_bytes");
	loops();
	unused_handle();
	return done();
}
