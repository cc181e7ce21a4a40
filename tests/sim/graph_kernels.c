/* SPDX-License-Identifier: MIT */
/*
 * graph_kernels.c - kernel nodes, in both versions of their parameters.
 */
#include "sim.h"

/* The first version lacks the last two fields: its func may be a CUkernel by cast. */
static CUDA_KERNEL_NODE_PARAMS widen(const CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
	return (CUDA_KERNEL_NODE_PARAMS){.func = p->func,
	                                 .gridDimX = p->gridDimX,
	                                 .gridDimY = p->gridDimY,
	                                 .gridDimZ = p->gridDimZ,
	                                 .blockDimX = p->blockDimX,
	                                 .blockDimY = p->blockDimY,
	                                 .blockDimZ = p->blockDimZ,
	                                 .sharedMemBytes = p->sharedMemBytes,
	                                 .kernelParams = p->kernelParams,
	                                 .extra = p->extra};
}

CUresult sim_kernel_set(struct launch *l, CUcontext *ctx,
                        const CUDA_KERNEL_NODE_PARAMS *p)
{
	unsigned int dims[] = {p->gridDimX,  p->gridDimY,  p->gridDimZ,
	                       p->blockDimX, p->blockDimY, p->blockDimZ};
	CUcontext wanted = p->ctx ? p->ctx : sim_current();
	CUresult result;

	result = sim_launch_set(l, p->func ? p->func : (CUfunction)p->kern, dims,
	                        p->sharedMemBytes, p->kernelParams, p->extra);
	if (result != CUDA_SUCCESS)
		return result;
	if (l->function)
		*ctx = l->function->ctx;
	else if (p->ctx || !*ctx)
		*ctx = wanted;
	return *ctx ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult add(CUgraphNode *out, CUgraph graph, const CUgraphNode *nodes,
                    size_t count, const CUDA_KERNEL_NODE_PARAMS *p)
{
	struct launch l = {0};
	CUcontext ctx = NULL;
	CUresult result = sim_kernel_set(&l, &ctx, p);

	if (result == CUDA_SUCCESS)
		result = sim_graph_add_for(out, graph, nodes, count,
		                           CU_GRAPH_NODE_TYPE_KERNEL);
	if (result != CUDA_SUCCESS) {
		sim_launch_clear(&l);
		return result;
	}
	(*out)->launch = l;
	(*out)->ctx = ctx;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuGraphAddKernelNode(CUgraphNode *out, CUgraph graph,
                                         const CUgraphNode *nodes, size_t count,
                                         const CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
	CUDA_KERNEL_NODE_PARAMS wide;

	SIM_CALL(cuGraphAddKernelNode);
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	wide = widen(p);
	return add(out, graph, nodes, count, &wide);
}

SIM_EXPORT CUresult cuGraphAddKernelNode_v2(CUgraphNode *out, CUgraph graph,
                                            const CUgraphNode *nodes, size_t count,
                                            const CUDA_KERNEL_NODE_PARAMS *p)
{
	SIM_CALL(cuGraphAddKernelNode_v2);
	return p ? add(out, graph, nodes, count, p) : CUDA_ERROR_INVALID_VALUE;
}

static int is_kernel_node(CUgraphNode node)
{
	return node && node->type == CU_GRAPH_NODE_TYPE_KERNEL;
}

SIM_EXPORT CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node,
                                                  CUDA_KERNEL_NODE_PARAMS *p)
{
	struct launch *l;

	SIM_CALL(cuGraphKernelNodeGetParams_v2);
	if (!p || !is_kernel_node(node))
		return CUDA_ERROR_INVALID_VALUE;
	l = &node->launch;
	*p = (CUDA_KERNEL_NODE_PARAMS){.func = l->function,
	                               .gridDimX = l->grid[0],
	                               .gridDimY = l->grid[1],
	                               .gridDimZ = l->grid[2],
	                               .blockDimX = l->block[0],
	                               .blockDimY = l->block[1],
	                               .blockDimZ = l->block[2],
	                               .sharedMemBytes = l->shared,
	                               .kernelParams = l->params,
	                               .kern = l->function ? NULL : l->kernel,
	                               .ctx = node->ctx};
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuGraphKernelNodeGetParams(CUgraphNode node,
                                               CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
	struct launch *l;

	SIM_CALL(cuGraphKernelNodeGetParams);
	if (!p || !is_kernel_node(node))
		return CUDA_ERROR_INVALID_VALUE;
	l = &node->launch;
	*p = (CUDA_KERNEL_NODE_PARAMS_v1){
	    .func = l->function ? l->function : sim_function(l->kernel, node->ctx),
	    .gridDimX = l->grid[0],
	    .gridDimY = l->grid[1],
	    .gridDimZ = l->grid[2],
	    .blockDimX = l->block[0],
	    .blockDimY = l->block[1],
	    .blockDimZ = l->block[2],
	    .sharedMemBytes = l->shared,
	    .kernelParams = l->params};
	return CUDA_SUCCESS;
}

static CUresult change(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p)
{
	return is_kernel_node(node) ? sim_kernel_set(&node->launch, &node->ctx, p)
	                            : CUDA_ERROR_INVALID_VALUE;
}

SIM_EXPORT CUresult cuGraphKernelNodeSetParams(CUgraphNode node,
                                               const CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
	CUDA_KERNEL_NODE_PARAMS wide;

	SIM_CALL(cuGraphKernelNodeSetParams);
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	wide = widen(p);
	return change(node, &wide);
}

SIM_EXPORT CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node,
                                                  const CUDA_KERNEL_NODE_PARAMS *p)
{
	SIM_CALL(cuGraphKernelNodeSetParams_v2);
	return p ? change(node, p) : CUDA_ERROR_INVALID_VALUE;
}

/* In an instantiated graph: the node whose copy it holds is named. */
static CUresult change_copy(CUgraphExec exec, CUgraphNode node,
                            const CUDA_KERNEL_NODE_PARAMS *p)
{
	CUgraphNode held = sim_exec_node(exec, node);

	return held ? change(held, p) : CUDA_ERROR_INVALID_VALUE;
}

SIM_EXPORT CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                   const CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
	CUDA_KERNEL_NODE_PARAMS wide;

	SIM_CALL(cuGraphExecKernelNodeSetParams);
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	wide = widen(p);
	return change_copy(exec, node, &wide);
}

SIM_EXPORT CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec,
                                                      CUgraphNode node,
                                                      const CUDA_KERNEL_NODE_PARAMS *p)
{
	SIM_CALL(cuGraphExecKernelNodeSetParams_v2);
	return p ? change_copy(exec, node, p) : CUDA_ERROR_INVALID_VALUE;
}
