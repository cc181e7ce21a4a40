/* SPDX-License-Identifier: MIT */
/*
 * exec.c - instantiated graphs: launched, given up.
 */
#include <stdlib.h>

#include "sim.h"

SIM_EXPORT CUresult cuGraphExecDestroy(CUgraphExec exec)
{
	SIM_CALL(cuGraphExecDestroy);
	if (!exec)
		return CUDA_ERROR_INVALID_VALUE;
	if (exec->source)
		exec->source->exec = NULL;
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
