/* SPDX-License-Identifier: MIT */
/*
 * node_memory.c - nodes that allocate memory and free it.
 */
#include "sim.h"

static int valid(const CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
	size_t i;

	if (!p->bytesize || p->poolProps.allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
	    p->poolProps.handleTypes != CU_MEM_HANDLE_TYPE_NONE ||
	    p->poolProps.location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
	    p->poolProps.location.id < 0 || p->poolProps.location.id >= sim_devices())
		return 0;
	if (p->accessDescCount > (size_t)sim_devices() ||
	    (p->accessDescCount && !p->accessDescs))
		return 0;
	for (i = 0; i < p->accessDescCount; i++)
		if (p->accessDescs[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
		    p->accessDescs[i].location.id < 0 ||
		    p->accessDescs[i].location.id >= sim_devices())
			return 0;
	return 1;
}

CUresult sim_alloc_params(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
	struct CUctx_st on = {.device = p->poolProps.location.id};
	CUresult result;
	size_t i;

	if (!valid(p))
		return CUDA_ERROR_INVALID_VALUE;
	result = sim_allocate(&p->dptr, p->bytesize, REGION_GRAPH, &on);
	if (result != CUDA_SUCCESS)
		return result;
	for (i = 0; i < p->accessDescCount; i++)
		sim_region(p->dptr)->access[p->accessDescs[i].location.id] =
		    (unsigned int)p->accessDescs[i].flags;
	node->memory = p->dptr;
	node->alloc = *p;
	/* The program's array need not outlive the call. */
	node->alloc.accessDescs = NULL;
	node->alloc.accessDescCount = 0;
	return CUDA_SUCCESS;
}

int sim_freeable(CUgraph graph, CUdeviceptr at)
{
	struct region *r = sim_region(at);
	size_t i;

	if (!graph || !r || r->kind != REGION_GRAPH || r->base != at)
		return 0;
	for (i = 0; i < graph->count; i++)
		if (graph->nodes[i]->type == CU_GRAPH_NODE_TYPE_MEM_FREE &&
		    graph->nodes[i]->memory == at)
			return 0;
	return 1;
}

SIM_EXPORT CUresult cuGraphAddMemAllocNode(CUgraphNode *out, CUgraph graph,
                                           const CUgraphNode *nodes, size_t count,
                                           CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
	struct CUgraphNode_st made = {0};

	SIM_CALL(cuGraphAddMemAllocNode);
	if (!p || !out || !graph)
		return CUDA_ERROR_INVALID_VALUE;
	sim_entered = sim_alloc_params(&made, p);
	if (sim_entered == CUDA_SUCCESS)
		sim_entered = sim_graph_add_for(out, graph, nodes, count,
		                                CU_GRAPH_NODE_TYPE_MEM_ALLOC);
	if (sim_entered == CUDA_SUCCESS)
		sim_node_take(*out, &made);
	else if (made.memory)
		sim_region_remove(sim_region(made.memory));
	return sim_entered;
}

SIM_EXPORT CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node,
                                                 CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
	SIM_CALL(cuGraphMemAllocNodeGetParams);
	if (!p || !node || node->type != CU_GRAPH_NODE_TYPE_MEM_ALLOC)
		return CUDA_ERROR_INVALID_VALUE;
	*p = node->alloc;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuGraphAddMemFreeNode(CUgraphNode *out, CUgraph graph,
                                          const CUgraphNode *nodes, size_t count,
                                          CUdeviceptr at)
{
	SIM_CALL(cuGraphAddMemFreeNode);
	if (!sim_freeable(graph, at))
		return CUDA_ERROR_INVALID_VALUE;
	sim_entered =
	    sim_graph_add_for(out, graph, nodes, count, CU_GRAPH_NODE_TYPE_MEM_FREE);
	if (sim_entered == CUDA_SUCCESS)
		(*out)->memory = at;
	return sim_entered;
}

SIM_EXPORT CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *at)
{
	SIM_CALL(cuGraphMemFreeNodeGetParams);
	if (!at || !node || node->type != CU_GRAPH_NODE_TYPE_MEM_FREE)
		return CUDA_ERROR_INVALID_VALUE;
	*at = node->memory;
	return CUDA_SUCCESS;
}
