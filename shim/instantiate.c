/* SPDX-License-Identifier: MIT */
/*
 * instantiate.c - where the driver looks at a memset node's memory: instantiation and
 * updates by whole graphs.  A fill with memory that has become bad is refused there as
 * the memset node would be.
 */
#include "guard.h"
#include "record.h"
#include "verify.h"

/*
 * After the driver's success: *exec is taken back when a fill's memory is bad.  The
 * driver goes first, so that its own errors, and what they do to captures, stay.
 */
static CUresult instantiated(CUresult result, CUgraphExec *exec, CUgraphExec before,
                             CUgraph graph, CUgraphNode *bad)
{
	struct guard g;

	if (result != CUDA_SUCCESS || !exec || !record_any() ||
	    !DRV(cuGraphExecDestroy) || !guard_enter(&g))
		return result;
	result = verify_graph(graph, bad);
	if (result != CUDA_SUCCESS) {
		DRV(cuGraphExecDestroy)(*exec);
		*exec = before;
	}
	guard_leave(&g);
	return result;
}

#define HOOK_INSTANTIATE(name)                                                       \
	MSS_EXPORT CUresult name(CUgraphExec *exec, CUgraph graph, CUgraphNode *bad, \
	                         char *log, size_t size)                             \
	{                                                                            \
		CUgraphExec before = exec ? *exec : NULL;                            \
		CUgraphNode found = NULL;                                            \
		CUresult result;                                                     \
                                                                                     \
		if (!DRV(name))                                                      \
			return driver_missing();                                     \
		result = instantiated(DRV(name)(exec, graph, bad, log, size), exec,  \
		                      before, graph, &found);                        \
		if (found && bad)                                                    \
			*bad = found;                                                \
		return result;                                                       \
	}

HOOK_INSTANTIATE(cuGraphInstantiate)
HOOK_INSTANTIATE(cuGraphInstantiate_v2)

MSS_EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                                unsigned long long flags)
{
	CUgraphExec before = exec ? *exec : NULL;
	CUgraphNode found;

	if (!DRV(cuGraphInstantiateWithFlags))
		return driver_missing();
	return instantiated(DRV(cuGraphInstantiateWithFlags)(exec, graph, flags), exec,
	                    before, graph, &found);
}

#define HOOK_WITH_PARAMS(name)                                                      \
	MSS_EXPORT CUresult name(CUgraphExec *exec, CUgraph graph,                  \
	                         CUDA_GRAPH_INSTANTIATE_PARAMS *params)             \
	{                                                                           \
		CUgraphExec before = exec ? *exec : NULL;                           \
		CUgraphNode found = NULL;                                           \
		CUresult result;                                                    \
                                                                                    \
		if (!DRV(name))                                                     \
			return driver_missing();                                    \
		result = instantiated(DRV(name)(exec, graph, params), exec, before, \
		                      graph, &found);                               \
		if (found && params) {                                              \
			params->hErrNode_out = NULL;                                \
			params->result_out = CUDA_GRAPH_INSTANTIATE_ERROR;          \
		}                                                                   \
		return result;                                                      \
	}

HOOK_WITH_PARAMS(cuGraphInstantiateWithParams)
HOOK_WITH_PARAMS(cuGraphInstantiateWithParams_ptsz)

MSS_EXPORT CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode *bad,
                                      CUgraphExecUpdateResult *why)
{
	CUgraphNode found;

	if (!DRV(cuGraphExecUpdate))
		return driver_missing();
	if (!exec || !bad || !why || verify_update(graph, &found))
		return DRV(cuGraphExecUpdate)(exec, graph, bad, why);
	*bad = found;
	*why = CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
	return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

MSS_EXPORT CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph,
                                         CUgraphExecUpdateResultInfo *info)
{
	CUgraphNode found;

	if (!DRV(cuGraphExecUpdate_v2))
		return driver_missing();
	if (!exec || !info || verify_update(graph, &found))
		return DRV(cuGraphExecUpdate_v2)(exec, graph, info);
	*info = (CUgraphExecUpdateResultInfo){
	    .result = CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED,
	    .errorNode = found};
	return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

MSS_EXPORT CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec,
                                                       CUgraphNode node, CUgraph child)
{
	CUgraphNode found;

	if (!DRV(cuGraphExecChildGraphNodeSetParams))
		return driver_missing();
	if (!exec || !node || verify_update(child, &found))
		return DRV(cuGraphExecChildGraphNodeSetParams)(exec, node, child);
	return CUDA_ERROR_INVALID_VALUE;
}
