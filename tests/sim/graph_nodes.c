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

SIM_EXPORT CUresult cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph graph,
                                         const CUgraphNode *nodes, size_t count,
                                         const CUDA_MEMCPY3D *copy, CUcontext ctx)
{
	SIM_CALL(cuGraphAddMemcpyNode);
	if (!copy || copy->srcMemoryType == CU_MEMORYTYPE_ARRAY ||
	    copy->dstMemoryType == CU_MEMORYTYPE_ARRAY)
		return CUDA_ERROR_INVALID_VALUE;
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
	if (!child)
		return CUDA_ERROR_INVALID_VALUE;
	copy = sim_graph_copy(child);
	sim_entered =
	    sim_graph_add_for(out, graph, nodes, count, CU_GRAPH_NODE_TYPE_GRAPH);
	if (sim_entered == CUDA_SUCCESS)
		(*out)->child = copy;
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

static CUresult add_event(CUgraphNode *out, CUgraph graph, const CUgraphNode *nodes,
                          size_t count, CUevent event, CUgraphNodeType type)
{
	CUresult result = event ? sim_graph_add_for(out, graph, nodes, count, type)
	                        : CUDA_ERROR_INVALID_VALUE;

	if (result == CUDA_SUCCESS)
		(*out)->event = event;
	return result;
}

SIM_EXPORT CUresult cuGraphAddEventRecordNode(CUgraphNode *out, CUgraph graph,
                                              const CUgraphNode *nodes, size_t count,
                                              CUevent event)
{
	SIM_CALL(cuGraphAddEventRecordNode);
	return add_event(out, graph, nodes, count, event,
	                 CU_GRAPH_NODE_TYPE_EVENT_RECORD);
}

SIM_EXPORT CUresult cuGraphAddEventWaitNode(CUgraphNode *out, CUgraph graph,
                                            const CUgraphNode *nodes, size_t count,
                                            CUevent event)
{
	SIM_CALL(cuGraphAddEventWaitNode);
	return add_event(out, graph, nodes, count, event,
	                 CU_GRAPH_NODE_TYPE_WAIT_EVENT);
}
