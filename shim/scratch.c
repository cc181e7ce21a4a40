/* SPDX-License-Identifier: MIT */
#include "scratch.h"

static CUresult ask(const CUDA_MEMSET_NODE_PARAMS *set, CUcontext ctx, int instantiate)
{
	CUgraphExec exec;
	CUgraphNode node;
	CUgraph graph;
	CUresult result;

	if (!DRV(cuGraphCreate) || !DRV(cuGraphDestroy) || !DRV(cuGraphAddMemsetNode) ||
	    !DRV(cuGraphInstantiateWithFlags) || !DRV(cuGraphExecDestroy))
		return CUDA_ERROR_NOT_SUPPORTED;
	result = DRV(cuGraphCreate)(&graph, 0);
	if (result != CUDA_SUCCESS)
		return result;
	result = DRV(cuGraphAddMemsetNode)(&node, graph, NULL, 0, set, ctx);
	if (result == CUDA_SUCCESS && instantiate) {
		result = DRV(cuGraphInstantiateWithFlags)(&exec, graph, 0);
		if (result == CUDA_SUCCESS)
			DRV(cuGraphExecDestroy)(exec);
	}
	DRV(cuGraphDestroy)(graph);
	return result;
}

CUresult scratch_add(const CUDA_MEMSET_NODE_PARAMS *set, CUcontext ctx)
{
	return ask(set, ctx, 0);
}

/*
 * Instantiating is what a global or thread-local capture forbids, this thread's or
 * another's, unless the thread that does it is in relaxed mode.
 */
CUresult scratch_instantiate(const CUDA_MEMSET_NODE_PARAMS *set, CUcontext ctx)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	CUresult result = DRV(cuThreadExchangeStreamCaptureMode)(&mode);

	if (result != CUDA_SUCCESS)
		return result;
	result = ask(set, ctx, 1);
	/* The program's mode must come back: a refusal may be a passing one. */
	if (DRV(cuThreadExchangeStreamCaptureMode)(&mode) != CUDA_SUCCESS)
		(void)DRV(cuThreadExchangeStreamCaptureMode)(&mode);
	return result;
}
