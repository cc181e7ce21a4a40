/* SPDX-License-Identifier: MIT */
/*
 * exec.c - instantiated graphs: made, launched, given up.
 */
#include <stdlib.h>

#include "sim.h"

/* Depth first into child graphs; *bad is the node that is refused. */
static CUresult check(CUgraph graph, CUgraphNode *bad)
{
	CUresult result =
	    sim_condition_unused(graph) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
	CUgraph sub;
	size_t i, k;

	for (i = 0; i < graph->count && result == CUDA_SUCCESS; i++) {
		CUgraphNode node = graph->nodes[i];

		result = sim_node_check(node);
		for (k = 0; result == CUDA_SUCCESS && (sub = sim_node_graph(node, k));
		     k++)
			result = check(sub, bad);
		if (result != CUDA_SUCCESS && !*bad)
			*bad = node;
	}
	return result;
}

static CUresult instantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags,
                            CUgraphNode *bad)
{
	CUgraphNode node = NULL;
	size_t *order;
	CUresult result = sim_ready();

	if (bad)
		*bad = NULL;
	if (result != CUDA_SUCCESS)
		return result;
	if (!exec || !graph || flags & ~0xfull)
		return CUDA_ERROR_INVALID_VALUE;
	result = check(graph, &node);
	if (bad)
		*bad = node;
	if (result == CUDA_SUCCESS)
		result = sim_order(graph, &order);
	if (result != CUDA_SUCCESS)
		return result;
	*exec = sim_new(1, sizeof **exec);
	(*exec)->graph = sim_graph_copy(graph);
	(*exec)->order = order;
	(*exec)->flags = flags;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph,
                                          CUgraphNode *bad, char *text, size_t length)
{
	SIM_CALL(cuGraphInstantiate_v2);
	if (text && length)
		*text = '\0';
	return instantiate(exec, graph, 0, bad);
}

SIM_EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                                unsigned long long flags)
{
	SIM_CALL(cuGraphInstantiateWithFlags);
	return instantiate(exec, graph, flags, NULL);
}

/* Does not work on a stream, though it has a twin: `params` names one to upload in. */
static CUresult with_params(CUgraphExec *exec, CUgraph graph,
                            CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
	CUresult result;

	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	result = instantiate(exec, graph, params->flags, &params->hErrNode_out);
	params->result_out = result == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS
	                     : graph && sim_condition_unused(graph)
	                         ? CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED
	                         : CUDA_GRAPH_INSTANTIATE_ERROR;
	return result;
}

SIM_EXPORT CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph,
                                                 CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
	SIM_CALL(cuGraphInstantiateWithParams);
	return with_params(exec, graph, params);
}

SIM_EXPORT CUresult cuGraphInstantiateWithParams_ptsz(
    CUgraphExec *exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
	SIM_CALL(cuGraphInstantiateWithParams_ptsz);
	return with_params(exec, graph, params);
}

SIM_EXPORT CUresult cuGraphExecDestroy(CUgraphExec exec)
{
	SIM_CALL(cuGraphExecDestroy);
	if (!exec)
		return CUDA_ERROR_INVALID_VALUE;
	sim_graph_free(exec->graph);
	free(exec->order);
	free(exec);
	return CUDA_SUCCESS;
}

/* In a capture it becomes a child graph. */
static CUresult launch(CUgraphExec exec, CUstream s)
{
	int active;
	CUresult result = sim_capturing(s, &active);

	if (result != CUDA_SUCCESS)
		return result;
	if (!exec)
		return CUDA_ERROR_INVALID_VALUE;
	if (!active) {
		sim_conditions_assign(exec->graph);
		return sim_graph_run(exec->graph, exec->order, s->ctx);
	}
	if (sim_graph_has(exec->graph, CU_GRAPH_NODE_TYPE_CONDITIONAL))
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	sim_node_own(sim_capture_node(s, CU_GRAPH_NODE_TYPE_GRAPH),
	             sim_graph_copy(exec->graph));
	return CUDA_SUCCESS;
}

static CUresult upload(CUgraphExec exec, CUstream s)
{
	int active;
	CUresult result = sim_capturing(s, &active);

	if (result == CUDA_SUCCESS && active)
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	return exec ? result : CUDA_ERROR_INVALID_VALUE;
}

SIM_STREAM(cuGraphLaunch, (CUgraphExec exec, CUstream s), launch(exec, s))
SIM_STREAM(cuGraphUpload, (CUgraphExec exec, CUstream s), upload(exec, s))
