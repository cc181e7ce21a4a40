/* SPDX-License-Identifier: MIT */
/*
 * node_params.c - nodes of every kind by one structure: added, and given new
 * parameters.
 */
#include <string.h>

#include "sim.h"

/* Bytes of the union that a kind uses; those behind them have to be zero. */
static size_t used(CUgraphNodeType type)
{
	switch (type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		return sizeof(CUDA_KERNEL_NODE_PARAMS_v3);
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return sizeof(CUDA_MEMCPY_NODE_PARAMS);
	case CU_GRAPH_NODE_TYPE_MEMSET:
		return sizeof(CUDA_MEMSET_NODE_PARAMS_v2);
	case CU_GRAPH_NODE_TYPE_HOST:
		return sizeof(CUDA_HOST_NODE_PARAMS_v2);
	case CU_GRAPH_NODE_TYPE_GRAPH:
		return sizeof(CUDA_CHILD_GRAPH_NODE_PARAMS);
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		return sizeof(CUDA_EVENT_WAIT_NODE_PARAMS);
	case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
		return sizeof(CUDA_MEM_ALLOC_NODE_PARAMS_v2);
	case CU_GRAPH_NODE_TYPE_MEM_FREE:
		return sizeof(CUDA_MEM_FREE_NODE_PARAMS);
	case CU_GRAPH_NODE_TYPE_CONDITIONAL:
		return sizeof(CUDA_CONDITIONAL_NODE_PARAMS);
	default:
		return 0;
	}
}

static int rest_is_zero(const CUgraphNodeParams *p)
{
	const unsigned char *bytes = (const unsigned char *)p->reserved1;
	size_t i;

	for (i = used(p->type); i < sizeof p->reserved1; i++)
		if (bytes[i])
			return 0;
	return !p->reserved0[0] && !p->reserved0[1] && !p->reserved0[2] &&
	       !p->reserved2;
}

static CUresult fill_kernel(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v3 *p)
{
	CUDA_KERNEL_NODE_PARAMS wide = {.func = p->func,
	                                .gridDimX = p->gridDimX,
	                                .gridDimY = p->gridDimY,
	                                .gridDimZ = p->gridDimZ,
	                                .blockDimX = p->blockDimX,
	                                .blockDimY = p->blockDimY,
	                                .blockDimZ = p->blockDimZ,
	                                .sharedMemBytes = p->sharedMemBytes,
	                                .kernelParams = p->kernelParams,
	                                .extra = p->extra,
	                                .kern = p->kern,
	                                .ctx = p->ctx};

	return sim_kernel_set(&node->launch, &node->ctx, &wide);
}

static CUresult fill_memset(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS_v2 *p)
{
	node->set = (CUDA_MEMSET_NODE_PARAMS){.dst = p->dst,
	                                      .pitch = p->pitch,
	                                      .value = p->value,
	                                      .elementSize = p->elementSize,
	                                      .width = p->width,
	                                      .height = p->height};
	if (!sim_context_lives(p->ctx))
		return CUDA_ERROR_INVALID_CONTEXT;
	node->ctx = p->ctx;
	return sim_memset_params(&node->set);
}

static CUresult fill_memcpy(CUgraphNode node, const CUDA_MEMCPY_NODE_PARAMS *p)
{
	if (p->flags || p->reserved)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_context_lives(p->copyCtx))
		return CUDA_ERROR_INVALID_CONTEXT;
	node->ctx = p->copyCtx;
	node->copy = p->copyParams;
	return sim_memcpy_params(&node->copy);
}

/* A graph that moves in stays the same object; memory nodes want that. */
static CUresult fill_child(CUgraphNode node, const CUDA_CHILD_GRAPH_NODE_PARAMS *p)
{
	int moves = p->ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;

	if (!p->graph || p->graph->owner ||
	    (!moves && p->ownership != CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE) ||
	    (!moves && !sim_graph_may_copy(p->graph)))
		return CUDA_ERROR_INVALID_VALUE;
	node->child = moves ? p->graph : sim_graph_copy(p->graph);
	return CUDA_SUCCESS;
}

CUresult sim_node_fill(CUgraphNode node, CUgraphNodeParams *p)
{
	node->type = p->type;
	switch (p->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		return fill_kernel(node, &p->kernel);
	case CU_GRAPH_NODE_TYPE_MEMSET:
		return fill_memset(node, &p->memset);
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return fill_memcpy(node, &p->memcpy);
	case CU_GRAPH_NODE_TYPE_HOST:
		node->host = (CUDA_HOST_NODE_PARAMS){.fn = p->host.fn,
		                                     .userData = p->host.userData};
		return p->host.fn ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	case CU_GRAPH_NODE_TYPE_GRAPH:
		return fill_child(node, &p->graph);
	case CU_GRAPH_NODE_TYPE_EMPTY:
		return CUDA_SUCCESS;
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
		node->event = p->eventWait.event;
		return sim_event_check(node->event);
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		node->event = p->eventRecord.event;
		return sim_event_check(node->event);
	default:
		return CUDA_ERROR_NOT_SUPPORTED;
	}
}

/* What a node is, but not where it stands. */
void sim_node_take(CUgraphNode node, CUgraphNode from)
{
	sim_launch_clear(&node->launch);
	node->launch = from->launch;
	from->launch = (struct launch){0};
	if (from->child) {
		if (node->child)
			sim_graph_free(node->child);
		sim_node_own(node, from->child);
		from->child = NULL;
	}
	node->ctx = from->ctx;
	node->set = from->set;
	node->copy = from->copy;
	node->host = from->host;
	node->event = from->event;
	node->memory = from->memory;
	node->alloc = from->alloc;
}

void sim_node_drop(CUgraphNode node)
{
	sim_launch_clear(&node->launch);
	if (node->child)
		sim_graph_free(node->child);
	node->child = NULL;
}

/* Allocated last: nothing can go wrong any more then. */
static CUresult add_memory(CUgraphNode *out, CUgraph graph, const CUgraphNode *nodes,
                           const CUgraphEdgeData *edges, size_t count,
                           CUgraphNodeParams *p)
{
	struct CUgraphNode_st made = {.type = p->type};
	CUDA_MEM_ALLOC_NODE_PARAMS alloc = {.poolProps = p->alloc.poolProps,
	                                    .accessDescs = p->alloc.accessDescs,
	                                    .accessDescCount = p->alloc.accessDescCount,
	                                    .bytesize = p->alloc.bytesize};
	CUresult result = CUDA_SUCCESS;

	if (p->type == CU_GRAPH_NODE_TYPE_MEM_FREE)
		made.memory = p->free.dptr;
	else
		result = sim_alloc_params(&made, &alloc);
	if (p->type == CU_GRAPH_NODE_TYPE_MEM_FREE && !sim_freeable(graph, made.memory))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		result = sim_graph_add_with(out, graph, nodes, edges, count, p->type);
	if (result != CUDA_SUCCESS) {
		if (alloc.dptr)
			sim_region_remove(sim_region(alloc.dptr));
		return result;
	}
	sim_node_take(*out, &made);
	if (p->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
		p->alloc.dptr = made.memory;
	return CUDA_SUCCESS;
}

/* Its bodies are made empty, for the program to fill. */
static CUresult add_conditional(CUgraphNode *out, CUgraph graph,
                                const CUgraphNode *nodes, const CUgraphEdgeData *edges,
                                size_t count, CUDA_CONDITIONAL_NODE_PARAMS *p)
{
	CUresult result = sim_conditional_params(graph, p);

	if (result == CUDA_SUCCESS)
		result = sim_graph_add_with(out, graph, nodes, edges, count,
		                            CU_GRAPH_NODE_TYPE_CONDITIONAL);
	if (result == CUDA_SUCCESS)
		sim_conditional_make(*out, p);
	return result;
}

static CUresult add(CUgraphNode *out, CUgraph graph, const CUgraphNode *nodes,
                    const CUgraphEdgeData *edges, size_t count, CUgraphNodeParams *p)
{
	struct CUgraphNode_st made = {0};
	CUresult result;

	if (!out || !graph || !p || !rest_is_zero(p))
		return CUDA_ERROR_INVALID_VALUE;
	if (p->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC ||
	    p->type == CU_GRAPH_NODE_TYPE_MEM_FREE)
		return add_memory(out, graph, nodes, edges, count, p);
	if (p->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
		return add_conditional(out, graph, nodes, edges, count,
		                       &p->conditional);
	result = sim_node_fill(&made, p);
	if (result == CUDA_SUCCESS)
		result = sim_graph_add_with(out, graph, nodes, edges, count, p->type);
	if (result == CUDA_SUCCESS)
		sim_node_take(*out, &made);
	else if (made.child == p->graph.graph) /* it has not moved */
		made.child = NULL;
	sim_node_drop(&made);
	return result;
}

SIM_EXPORT CUresult cuGraphAddNode(CUgraphNode *out, CUgraph graph,
                                   const CUgraphNode *nodes, size_t count,
                                   CUgraphNodeParams *p)
{
	SIM_CALL(cuGraphAddNode);
	return add(out, graph, nodes, NULL, count, p);
}

SIM_EXPORT CUresult cuGraphAddNode_v2(CUgraphNode *out, CUgraph graph,
                                      const CUgraphNode *nodes,
                                      const CUgraphEdgeData *edges, size_t count,
                                      CUgraphNodeParams *p)
{
	SIM_CALL(cuGraphAddNode_v2);
	return add(out, graph, nodes, edges, count, p);
}

static int is_memory(CUgraphNodeType type)
{
	return type == CU_GRAPH_NODE_TYPE_MEM_ALLOC ||
	       type == CU_GRAPH_NODE_TYPE_MEM_FREE;
}

/* The new parameters by themselves; the node keeps its own when they are refused. */
static CUresult fill_for(CUgraphNode node, CUgraphNodeParams *p,
                         struct CUgraphNode_st *made)
{
	CUresult result;

	if (!node || !p || p->type != node->type || !rest_is_zero(p))
		return CUDA_ERROR_INVALID_VALUE;
	if (is_memory(node->type))
		return CUDA_ERROR_NOT_SUPPORTED;
	made->ctx = node->ctx;
	result = sim_node_fill(made, p);
	if (result != CUDA_SUCCESS)
		sim_node_drop(made);
	return result;
}

/* Of kernels and memsets. */
SIM_EXPORT CUresult cuGraphNodeGetParams(CUgraphNode node, CUgraphNodeParams *p)
{
	struct launch *l;

	SIM_CALL(cuGraphNodeGetParams);
	if (!node || !p)
		return CUDA_ERROR_INVALID_VALUE;
	memset(p, 0, sizeof *p);
	p->type = node->type;
	l = &node->launch;
	if (node->type == CU_GRAPH_NODE_TYPE_KERNEL)
		p->kernel =
		    (CUDA_KERNEL_NODE_PARAMS_v3){.func = l->function,
		                                 .gridDimX = l->grid[0],
		                                 .gridDimY = l->grid[1],
		                                 .gridDimZ = l->grid[2],
		                                 .blockDimX = l->block[0],
		                                 .blockDimY = l->block[1],
		                                 .blockDimZ = l->block[2],
		                                 .sharedMemBytes = l->shared,
		                                 .kernelParams = l->params,
		                                 .kern = l->function ? NULL : l->kernel,
		                                 .ctx = node->ctx};
	else if (node->type == CU_GRAPH_NODE_TYPE_MEMSET)
		p->memset =
		    (CUDA_MEMSET_NODE_PARAMS_v2){.dst = node->set.dst,
		                                 .pitch = node->set.pitch,
		                                 .value = node->set.value,
		                                 .elementSize = node->set.elementSize,
		                                 .width = node->set.width,
		                                 .height = node->set.height,
		                                 .ctx = node->ctx};
	else
		return CUDA_ERROR_NOT_SUPPORTED;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *p)
{
	struct CUgraphNode_st made = {0};

	SIM_CALL(cuGraphNodeSetParams);
	sim_entered = fill_for(node, p, &made);
	if (sim_entered == CUDA_SUCCESS)
		sim_node_take(node, &made);
	return sim_entered;
}

SIM_EXPORT CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                             CUgraphNodeParams *p)
{
	CUgraphNode held;
	struct CUgraphNode_st made = {0};

	SIM_CALL(cuGraphExecNodeSetParams);
	held = sim_exec_node(exec, node);
	if (p && held && held->type == CU_GRAPH_NODE_TYPE_GRAPH)
		return p->type == held->type && rest_is_zero(p) && p->graph.graph
		           ? sim_update_child(held, p->graph.graph)
		           : CUDA_ERROR_INVALID_VALUE;
	sim_entered = fill_for(held, p, &made);
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	return sim_exec_change(held, &made);
}
