/* SPDX-License-Identifier: MIT */
/*
 * run.c - nodes: what instantiation refuses, and how each kind runs.
 */
#include <stdlib.h>

#include "sim.h"

/* In an order that respects every dependency: an array of indices into the nodes. */
CUresult sim_order(CUgraph graph, size_t **order)
{
	size_t *missing = sim_new(graph->count, sizeof *missing);
	size_t *first = sim_new(graph->count + 1, sizeof *first);
	size_t *next, i, k, done, count = 0, edges = 0;

	*order = sim_new(graph->count, sizeof **order);
	for (i = 0; i < graph->count; i++) {
		graph->nodes[i]->index = i;
		missing[i] = graph->nodes[i]->deps.count;
		edges += missing[i];
		if (!missing[i])
			(*order)[count++] = i;
	}
	/* Dependents of node i: next[first[i]] up to next[first[i + 1]]. */
	next = sim_new(edges, sizeof *next);
	for (i = 0; i < graph->count; i++)
		for (k = 0; k < graph->nodes[i]->deps.count; k++)
			first[graph->nodes[i]->deps.at[k].node->index]++;
	for (i = 1; i <= graph->count; i++)
		first[i] += first[i - 1];
	for (i = 0; i < graph->count; i++)
		for (k = 0; k < graph->nodes[i]->deps.count; k++)
			next[--first[graph->nodes[i]->deps.at[k].node->index]] = i;
	for (done = 0; done < count; done++)
		for (k = first[(*order)[done]]; k < first[(*order)[done] + 1]; k++)
			if (!--missing[next[k]])
				(*order)[count++] = next[k];
	free(missing);
	free(first);
	free(next);
	if (count == graph->count)
		return CUDA_SUCCESS;
	free(*order);
	*order = NULL;
	return CUDA_ERROR_INVALID_VALUE;
}

static int needs_context(CUgraphNodeType type)
{
	return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMSET ||
	       type == CU_GRAPH_NODE_TYPE_MEMCPY;
}

/* A kernel's pointers are its own business: only a run shows what they are worth. */
CUresult sim_node_check(CUgraphNode node)
{
	if (needs_context(node->type) && !sim_context_lives(node->ctx))
		return CUDA_ERROR_INVALID_VALUE;
	if (node->type == CU_GRAPH_NODE_TYPE_MEMSET)
		return sim_memset_memory(&node->set, node->ctx->device);
	if (node->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
		return sim_conditional_check(node);
	if (node->type == CU_GRAPH_NODE_TYPE_KERNEL &&
	    node->launch.kernel->magic != SIM_KERNEL_MAGIC)
		return CUDA_ERROR_INVALID_HANDLE;
	return CUDA_SUCCESS;
}

void sim_host_run(const CUDA_HOST_NODE_PARAMS *host)
{
	sim_unlock(&(int){1});
	host->fn(host->userData);
	sim_lock();
}

CUresult sim_child_run(CUgraph child, CUcontext ctx)
{
	size_t *order;
	CUresult result = sim_order(child, &order);

	if (result == CUDA_SUCCESS) {
		result = sim_graph_run(child, order, ctx);
		free(order);
	}
	return result;
}

static CUresult run(CUgraphNode node, CUcontext ctx)
{
	if (node->disabled)
		return CUDA_SUCCESS;
	if (needs_context(node->type)) {
		if (!sim_context_lives(node->ctx))
			return CUDA_ERROR_CONTEXT_IS_DESTROYED;
		if (node->ctx->fault != CUDA_SUCCESS)
			return node->ctx->fault;
	}
	switch (node->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		return sim_launch_run(&node->launch, node->ctx);
	case CU_GRAPH_NODE_TYPE_MEMSET:
		return sim_memset_run(&node->set, node->ctx->device);
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return sim_copy_run(&node->copy, node->ctx->device);
	case CU_GRAPH_NODE_TYPE_HOST:
		sim_host_run(&node->host);
		return CUDA_SUCCESS;
	case CU_GRAPH_NODE_TYPE_GRAPH:
		return sim_child_run(node->child, ctx);
	case CU_GRAPH_NODE_TYPE_CONDITIONAL:
		return sim_conditional_run(node, ctx);
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		sim_event_mark(node->event);
		return CUDA_SUCCESS;
	default: /* empty, memory and wait nodes: nothing is left to do */
		return CUDA_SUCCESS;
	}
}

CUresult sim_graph_run(CUgraph graph, const size_t *order, CUcontext ctx)
{
	CUresult result = CUDA_SUCCESS;
	size_t i;

	for (i = 0; i < graph->count && result == CUDA_SUCCESS; i++)
		result = run(graph->nodes[order[i]], ctx);
	/* The stream's context is lost too where a node's is. */
	if (result == CUDA_ERROR_ILLEGAL_ADDRESS)
		sim_fault(ctx, result);
	return result;
}
