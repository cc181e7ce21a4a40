/* SPDX-License-Identifier: MIT */
/*
 * node_exec.c - nodes of an instantiated graph, named by those of the graph it was made
 * of.
 */
#include "sim.h"

static CUgraphNode find(CUgraph graph, CUgraphNode node)
{
	CUgraphNode found = NULL;
	CUgraph sub;
	size_t i, k;

	for (i = 0; i < graph->count && !found; i++) {
		if (graph->nodes[i]->original == node)
			return graph->nodes[i];
		for (k = 0; !found && (sub = sim_node_graph(graph->nodes[i], k)); k++)
			found = find(sub, node);
	}
	return found;
}

CUgraphNode sim_exec_node(CUgraphExec exec, CUgraphNode node)
{
	return exec && node ? find(exec->graph, node) : NULL;
}

static int is_one_dimensional(CUgraphNode node)
{
	return node->type != CU_GRAPH_NODE_TYPE_MEMCPY ||
	       (node->copy.Height <= 1 && node->copy.Depth <= 1);
}

CUresult sim_exec_change(CUgraphNode held, CUgraphNode made)
{
	CUresult result = CUDA_ERROR_INVALID_VALUE;

	if (held->type == made->type && is_one_dimensional(held) &&
	    is_one_dimensional(made) &&
	    sim_update_node(held, made) == CU_GRAPH_EXEC_UPDATE_SUCCESS) {
		sim_node_take(held, made);
		result = CUDA_SUCCESS;
	}
	sim_node_drop(made);
	return result;
}

static CUgraphNode held_of(CUgraphExec exec, CUgraphNode node, CUgraphNodeType type)
{
	CUgraphNode held = sim_exec_node(exec, node);

	return held && held->type == type ? held : NULL;
}

SIM_EXPORT CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                   const CUDA_MEMSET_NODE_PARAMS *set,
                                                   CUcontext ctx)
{
	CUgraphNode held;
	struct CUgraphNode_st made = {.type = CU_GRAPH_NODE_TYPE_MEMSET, .ctx = ctx};

	SIM_CALL(cuGraphExecMemsetNodeSetParams);
	held = held_of(exec, node, made.type);
	if (!held || sim_memset_params(set) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_VALUE;
	made.set = *set;
	return sim_exec_change(held, &made);
}

SIM_EXPORT CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                   const CUDA_MEMCPY3D *copy,
                                                   CUcontext ctx)
{
	CUgraphNode held;
	struct CUgraphNode_st made = {.type = CU_GRAPH_NODE_TYPE_MEMCPY, .ctx = ctx};

	SIM_CALL(cuGraphExecMemcpyNodeSetParams);
	held = held_of(exec, node, made.type);
	if (!held || sim_memcpy_params(copy) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_VALUE;
	made.copy = *copy;
	return sim_exec_change(held, &made);
}

SIM_EXPORT CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                 const CUDA_HOST_NODE_PARAMS *host)
{
	CUgraphNode held;

	SIM_CALL(cuGraphExecHostNodeSetParams);
	held = held_of(exec, node, CU_GRAPH_NODE_TYPE_HOST);
	if (!held || !host || !host->fn)
		return CUDA_ERROR_INVALID_VALUE;
	held->host = *host;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec,
                                                       CUgraphNode node, CUgraph child)
{
	CUgraphNode held;

	SIM_CALL(cuGraphExecChildGraphNodeSetParams);
	held = held_of(exec, node, CU_GRAPH_NODE_TYPE_GRAPH);
	return held && child ? sim_update_child(held, child) : CUDA_ERROR_INVALID_VALUE;
}

static int can_be_disabled(CUgraphNode node)
{
	return node && (node->type == CU_GRAPH_NODE_TYPE_KERNEL ||
	                node->type == CU_GRAPH_NODE_TYPE_MEMSET ||
	                node->type == CU_GRAPH_NODE_TYPE_MEMCPY);
}

SIM_EXPORT CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node,
                                          unsigned int enabled)
{
	CUgraphNode held;

	SIM_CALL(cuGraphNodeSetEnabled);
	held = sim_exec_node(exec, node);
	if (!can_be_disabled(held))
		return CUDA_ERROR_INVALID_VALUE;
	held->disabled = !enabled;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node,
                                          unsigned int *enabled)
{
	CUgraphNode held;

	SIM_CALL(cuGraphNodeGetEnabled);
	held = sim_exec_node(exec, node);
	if (!can_be_disabled(held) || !enabled)
		return CUDA_ERROR_INVALID_VALUE;
	*enabled = !held->disabled;
	return CUDA_SUCCESS;
}
