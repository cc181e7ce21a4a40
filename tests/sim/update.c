/* SPDX-License-Identifier: MIT */
/*
 * update.c - an instantiated graph takes over the parameters of another of its shape.
 */
#include "sim.h"

/* 1 when the two nodes at place i depend on the same places. */
static int same_edges(CUgraph a, CUgraph b, size_t i)
{
	const struct deps *x = &a->nodes[i]->deps, *y = &b->nodes[i]->deps;
	size_t k, m;

	if (x->count != y->count)
		return 0;
	for (k = 0; k < x->count; k++) {
		for (m = 0; m < y->count; m++)
			if (x->at[k].node->index == y->at[m].node->index)
				break;
		if (m == y->count)
			return 0;
	}
	return 1;
}

/* The kind of memory, and whose it is: a memset node is made for these. */
static int same_memory(CUdeviceptr a, CUdeviceptr b)
{
	const struct region *x = sim_region(a), *y = sim_region(b);
	int managed_x = x && x->kind == REGION_MANAGED,
	    managed_y = y && y->kind == REGION_MANAGED;

	return x && y && managed_x == managed_y && x->device == y->device &&
	       (!x->ctx || !y->ctx || x->ctx == y->ctx);
}

/* A memset may change where it is one-dimensional and stays in its context. */
CUgraphExecUpdateResult sim_update_node(CUgraphNode old, CUgraphNode new)
{
	if (old->type != new->type)
		return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
	if (old->ctx != new->ctx)
		return old->type == CU_GRAPH_NODE_TYPE_KERNEL
		           ? CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE
		           : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
	if (old->type == CU_GRAPH_NODE_TYPE_MEMSET &&
	    (old->set.height > 1 || new->set.height > 1) &&
	    (old->set.height != new->set.height || old->set.width != new->set.width ||
	     old->set.elementSize != new->set.elementSize))
		return CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
	if (old->type == CU_GRAPH_NODE_TYPE_MEMSET &&
	    !same_memory(old->set.dst, new->set.dst))
		return CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
	if (old->type == CU_GRAPH_NODE_TYPE_MEMCPY &&
	    (old->copy.srcMemoryType != new->copy.srcMemoryType ||
	     old->copy.dstMemoryType != new->copy.dstMemoryType))
		return CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
	if (old->type == CU_GRAPH_NODE_TYPE_CONDITIONAL &&
	    (old->conditional.type != new->conditional.type ||
	     old->conditional.size != new->conditional.size))
		return CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
	return sim_node_check(new) == CUDA_SUCCESS
	           ? CU_GRAPH_EXEC_UPDATE_SUCCESS
	           : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
}

/* Child graphs are compared as their own graphs. */
static CUgraphExecUpdateResult differs(CUgraph old, CUgraph new, CUgraphNode *where)
{
	CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
	CUgraph sub;
	size_t i, k;

	if (old->count != new->count)
		return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
	for (i = 0; i < old->count; i++)
		old->nodes[i]->index = new->nodes[i]->index = i;
	for (i = 0; i < old->count && result == CU_GRAPH_EXEC_UPDATE_SUCCESS; i++) {
		*where = new->nodes[i];
		if (!same_edges(old, new, i))
			return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
		result = sim_update_node(old->nodes[i], new->nodes[i]);
	}
	for (i = 0; i < old->count && result == CU_GRAPH_EXEC_UPDATE_SUCCESS; i++)
		for (k = 0; result == CU_GRAPH_EXEC_UPDATE_SUCCESS &&
		            (sub = sim_node_graph(old->nodes[i], k));
		     k++)
			result = differs(sub, sim_node_graph(new->nodes[i], k), where);
	return result;
}

/* The originals stay: a program names nodes by the graph that was instantiated. */
static void take_originals(CUgraph copy, CUgraph from)
{
	CUgraph sub;
	size_t i, k;

	for (i = 0; i < copy->count; i++) {
		copy->nodes[i]->original = from->nodes[i]->original;
		for (k = 0; (sub = sim_node_graph(copy->nodes[i], k)); k++)
			take_originals(sub, sim_node_graph(from->nodes[i], k));
	}
}

CUresult sim_update_child(CUgraphNode held, CUgraph from)
{
	CUgraphNode where = NULL;
	CUgraph copy;

	if (differs(held->child, from, &where) != CU_GRAPH_EXEC_UPDATE_SUCCESS)
		return CUDA_ERROR_INVALID_VALUE;
	copy = sim_graph_copy(from);
	take_originals(copy, held->child);
	sim_graph_free(held->child);
	sim_node_own(held, copy);
	return CUDA_SUCCESS;
}

/* Where nodes run by their own priorities, these cannot change. */
static void compare_priorities(CUgraphExec exec, CUgraph graph,
                               CUgraphExecUpdateResultInfo *info)
{
	size_t i;

	if (!(exec->flags & CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY))
		return;
	for (i = 0; i < graph->count; i++)
		if (graph->nodes[i]->type == CU_GRAPH_NODE_TYPE_KERNEL &&
		    graph->nodes[i]->priority != exec->graph->nodes[i]->priority) {
			info->result = CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED;
			info->errorNode = graph->nodes[i];
			return;
		}
}

static CUresult update(CUgraphExec exec, CUgraph graph,
                       CUgraphExecUpdateResultInfo *info)
{
	CUgraphNode where = NULL;
	CUgraph copy;

	*info = (CUgraphExecUpdateResultInfo){.result = CU_GRAPH_EXEC_UPDATE_ERROR};
	if (!exec || !graph || sim_graph_updatable(graph) ||
	    sim_graph_updatable(exec->graph))
		return CUDA_ERROR_INVALID_VALUE;
	info->result = differs(exec->graph, graph, &where);
	if (info->result != CU_GRAPH_EXEC_UPDATE_SUCCESS)
		info->errorNode = where;
	else
		compare_priorities(exec, graph, info);
	if (info->result != CU_GRAPH_EXEC_UPDATE_SUCCESS)
		return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
	copy = sim_graph_copy(graph);
	take_originals(copy, exec->graph);
	sim_graph_free(exec->graph);
	exec->graph = copy;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph,
                                      CUgraphNode *node, CUgraphExecUpdateResult *why)
{
	CUgraphExecUpdateResultInfo info;

	SIM_CALL(cuGraphExecUpdate);
	if (!why)
		return CUDA_ERROR_INVALID_VALUE;
	sim_entered = update(exec, graph, &info);
	*why = info.result;
	if (node)
		*node = info.errorNode;
	return sim_entered;
}

SIM_EXPORT CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph,
                                         CUgraphExecUpdateResultInfo *info)
{
	SIM_CALL(cuGraphExecUpdate_v2);
	return info ? update(exec, graph, info) : CUDA_ERROR_INVALID_VALUE;
}
