/* SPDX-License-Identifier: MIT */
/*
 * graph_nodes.c - explicit nodes: added, asked for their parameters, given new ones.
 */
#include <string.h>

#include "sim.h"

SIM_EXPORT CUresult cuGraphAddEmptyNode(CUgraphNode *out, CUgraph graph,
                                        const CUgraphNode *nodes, size_t count)
{
	SIM_CALL(cuGraphAddEmptyNode);
	return sim_graph_add_for(out, graph, nodes, count, CU_GRAPH_NODE_TYPE_EMPTY);
}

CUresult sim_memset_params(const CUDA_MEMSET_NODE_PARAMS *set)
{
	if (!set || !set->width || !set->height ||
	    (set->elementSize != 1 && set->elementSize != 2 && set->elementSize != 4))
		return CUDA_ERROR_INVALID_VALUE;
	if (set->elementSize < 4 && set->value >> (8 * set->elementSize))
		return CUDA_ERROR_INVALID_VALUE;
	return sim_memset_check(set);
}

SIM_EXPORT CUresult cuGraphAddMemsetNode(CUgraphNode *out, CUgraph graph,
                                         const CUgraphNode *nodes, size_t count,
                                         const CUDA_MEMSET_NODE_PARAMS *set,
                                         CUcontext ctx)
{
	SIM_CALL(cuGraphAddMemsetNode);
	sim_entered = sim_memset_params(set);
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	if (!sim_context_lives(ctx))
		return CUDA_ERROR_INVALID_CONTEXT;
	sim_entered =
	    sim_graph_add_for(out, graph, nodes, count, CU_GRAPH_NODE_TYPE_MEMSET);
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	(*out)->set = *set;
	(*out)->ctx = ctx;
	return CUDA_SUCCESS;
}

static int is_type(CUgraphNode node, CUgraphNodeType type)
{
	return node && node->type == type;
}

SIM_EXPORT CUresult cuGraphMemsetNodeGetParams(CUgraphNode node,
                                               CUDA_MEMSET_NODE_PARAMS *set)
{
	SIM_CALL(cuGraphMemsetNodeGetParams);
	if (!set || !is_type(node, CU_GRAPH_NODE_TYPE_MEMSET))
		return CUDA_ERROR_INVALID_VALUE;
	*set = node->set;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuGraphMemsetNodeSetParams(CUgraphNode node,
                                               const CUDA_MEMSET_NODE_PARAMS *set)
{
	SIM_CALL(cuGraphMemsetNodeSetParams);
	if (!is_type(node, CU_GRAPH_NODE_TYPE_MEMSET))
		return CUDA_ERROR_INVALID_VALUE;
	sim_entered = sim_memset_params(set);
	if (sim_entered == CUDA_SUCCESS)
		node->set = *set;
	return sim_entered;
}

CUresult sim_memcpy_params(const CUDA_MEMCPY3D *copy)
{
	return copy && copy->srcMemoryType != CU_MEMORYTYPE_ARRAY &&
	               copy->dstMemoryType != CU_MEMORYTYPE_ARRAY
	           ? CUDA_SUCCESS
	           : CUDA_ERROR_INVALID_VALUE;
}

SIM_EXPORT CUresult cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph graph,
                                         const CUgraphNode *nodes, size_t count,
                                         const CUDA_MEMCPY3D *copy, CUcontext ctx)
{
	SIM_CALL(cuGraphAddMemcpyNode);
	sim_entered = sim_memcpy_params(copy);
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	if (!sim_context_lives(ctx))
		return CUDA_ERROR_INVALID_CONTEXT;
	sim_entered =
	    sim_graph_add_for(out, graph, nodes, count, CU_GRAPH_NODE_TYPE_MEMCPY);
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	(*out)->copy = *copy;
	(*out)->ctx = ctx;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *copy)
{
	SIM_CALL(cuGraphMemcpyNodeGetParams);
	if (!copy || !is_type(node, CU_GRAPH_NODE_TYPE_MEMCPY))
		return CUDA_ERROR_INVALID_VALUE;
	*copy = node->copy;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuGraphAddHostNode(CUgraphNode *out, CUgraph graph,
                                       const CUgraphNode *nodes, size_t count,
                                       const CUDA_HOST_NODE_PARAMS *host)
{
	SIM_CALL(cuGraphAddHostNode);
	if (!host || !host->fn)
		return CUDA_ERROR_INVALID_VALUE;
	sim_entered =
	    sim_graph_add_for(out, graph, nodes, count, CU_GRAPH_NODE_TYPE_HOST);
	if (sim_entered == CUDA_SUCCESS)
		(*out)->host = *host;
	return sim_entered;
}

SIM_EXPORT CUresult cuGraphAddChildGraphNode(CUgraphNode *out, CUgraph graph,
                                             const CUgraphNode *nodes, size_t count,
                                             CUgraph child)
{
	CUgraph copy;

	SIM_CALL(cuGraphAddChildGraphNode);
	if (!child || !sim_graph_may_copy(child))
		return CUDA_ERROR_INVALID_VALUE;
	copy = sim_graph_copy(child);
	sim_entered =
	    sim_graph_add_for(out, graph, nodes, count, CU_GRAPH_NODE_TYPE_GRAPH);
	if (sim_entered == CUDA_SUCCESS)
		sim_node_own(*out, copy);
	else
		sim_graph_free(copy);
	return sim_entered;
}

SIM_EXPORT CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *child)
{
	SIM_CALL(cuGraphChildGraphNodeGetGraph);
	if (!child || !is_type(node, CU_GRAPH_NODE_TYPE_GRAPH))
		return CUDA_ERROR_INVALID_VALUE;
	*child = node->child;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node,
                                               const CUDA_MEMCPY3D *copy)
{
	SIM_CALL(cuGraphMemcpyNodeSetParams);
	if (!is_type(node, CU_GRAPH_NODE_TYPE_MEMCPY))
		return CUDA_ERROR_INVALID_VALUE;
	sim_entered = sim_memcpy_params(copy);
	if (sim_entered == CUDA_SUCCESS)
		node->copy = *copy;
	return sim_entered;
}

SIM_EXPORT CUresult cuGraphHostNodeGetParams(CUgraphNode node,
                                             CUDA_HOST_NODE_PARAMS *host)
{
	SIM_CALL(cuGraphHostNodeGetParams);
	if (!host || !is_type(node, CU_GRAPH_NODE_TYPE_HOST))
		return CUDA_ERROR_INVALID_VALUE;
	*host = node->host;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuGraphHostNodeSetParams(CUgraphNode node,
                                             const CUDA_HOST_NODE_PARAMS *host)
{
	SIM_CALL(cuGraphHostNodeSetParams);
	if (!host || !host->fn || !is_type(node, CU_GRAPH_NODE_TYPE_HOST))
		return CUDA_ERROR_INVALID_VALUE;
	node->host = *host;
	return CUDA_SUCCESS;
}
