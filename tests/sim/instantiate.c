/* SPDX-License-Identifier: MIT */
/*
 * instantiate.c - executable graphs made of graphs, by every form of the call.
 */
#include <stdlib.h>

#include "sim.h"

#define FLAGS                                              \
	(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | \
	 CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |              \
	 CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH |       \
	 CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY)

/* What is wrong with a graph, and where. */
struct verdict {
	CUresult result;
	CUgraphInstantiateResult why;
	CUgraphNode node;
};

static void refuse(struct verdict *v, CUgraphInstantiateResult why, CUgraphNode node)
{
	if (v->result != CUDA_SUCCESS)
		return;
	v->result = CUDA_ERROR_INVALID_VALUE;
	v->why = why;
	v->node = node;
}

/* One that depends on itself, by way of others. */
static CUgraphNode in_a_cycle(CUgraph graph)
{
	size_t i;

	for (i = 0; i < graph->count; i++) {
		size_t mark = sim_next_mark();

		sim_mark_ancestors(&graph->nodes[i]->deps, mark);
		if (graph->nodes[i]->mark == mark)
			return graph->nodes[i];
	}
	return NULL;
}

/* Depth first into child graphs. */
static void check(CUgraph graph, struct verdict *v)
{
	CUresult result;
	CUgraph sub;
	size_t *order, i, k;

	if (sim_condition_unused(graph))
		refuse(v, CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED, NULL);
	for (i = 0; i < graph->count && v->result == CUDA_SUCCESS; i++) {
		CUgraphNode node = graph->nodes[i];

		result = sim_node_check(node);
		if (result != CUDA_SUCCESS) {
			refuse(v, CUDA_GRAPH_INSTANTIATE_ERROR, node);
			v->result = result;
		}
		for (k = 0; (sub = sim_node_graph(node, k)); k++)
			check(sub, v);
	}
	if (v->result != CUDA_SUCCESS)
		return;
	if (sim_order(graph, &order) == CUDA_SUCCESS)
		free(order);
	else
		refuse(v, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE, in_a_cycle(graph));
}

/* --- what a device may launch ------------------------------------------------------
 */

static int is_device_side(CUmemorytype type, CUdeviceptr at, const void *host)
{
	const struct region *r;

	if (type == CU_MEMORYTYPE_HOST)
		at = (CUdeviceptr)(uintptr_t)host;
	r = sim_region(at);
	return r && (type != CU_MEMORYTYPE_HOST || r->kind == REGION_PINNED ||
	             r->kind == REGION_REGISTERED);
}

static int can_launch(CUgraphNode node)
{
	const CUDA_MEMCPY3D *c = &node->copy;

	switch (node->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
	case CU_GRAPH_NODE_TYPE_MEMSET:
	case CU_GRAPH_NODE_TYPE_GRAPH:
	case CU_GRAPH_NODE_TYPE_CONDITIONAL:
		return 1;
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return is_device_side(c->srcMemoryType, c->srcDevice, c->srcHost) &&
		       is_device_side(c->dstMemoryType, c->dstDevice, c->dstHost);
	default:
		return 0;
	}
}

static void check_for_device(CUgraph graph, struct verdict *v, CUcontext *ctx)
{
	CUgraph sub;
	size_t i, k;

	for (i = 0; i < graph->count; i++) {
		CUgraphNode node = graph->nodes[i];
		int works = node->type != CU_GRAPH_NODE_TYPE_GRAPH &&
		            node->type != CU_GRAPH_NODE_TYPE_CONDITIONAL;

		if (!can_launch(node))
			refuse(v, CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED,
			       node);
		if (works && !*ctx)
			*ctx = node->ctx;
		if (works && *ctx != node->ctx)
			refuse(v, CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED,
			       node);
		for (k = 0; (sub = sim_node_graph(node, k)); k++)
			check_for_device(sub, v, ctx);
	}
}

/* --- the calls ----------------------------------------------------------------------
 */

static void judge(CUgraph graph, unsigned long long flags, struct verdict *v)
{
	CUcontext ctx = NULL;

	if (flags & ~(unsigned long long)FLAGS ||
	    (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH &&
	     flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH))
		refuse(v, CUDA_GRAPH_INSTANTIATE_ERROR, NULL);
	/* Of memory and of what a device changes there is only one. */
	if (graph->exec && (sim_graph_has_memory(graph) || sim_graph_updatable(graph)))
		refuse(v, CUDA_GRAPH_INSTANTIATE_ERROR, NULL);
	if (v->result == CUDA_SUCCESS)
		check(graph, v);
	if (!(flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH))
		return;
	check_for_device(graph, v, &ctx);
	if (!ctx) /* no node that does anything */
		refuse(v, CUDA_GRAPH_INSTANTIATE_ERROR, NULL);
}

static struct verdict instantiate(CUgraphExec *exec, CUgraph graph,
                                  unsigned long long flags)
{
	struct verdict v = {.result = sim_ready(), .why = CUDA_GRAPH_INSTANTIATE_ERROR};

	if (v.result != CUDA_SUCCESS)
		return v;
	if (!exec || !graph)
		refuse(&v, CUDA_GRAPH_INSTANTIATE_ERROR, NULL);
	else
		judge(graph, flags, &v);
	if (v.result != CUDA_SUCCESS)
		return v;
	v.why = CUDA_GRAPH_INSTANTIATE_SUCCESS;
	*exec = sim_new(1, sizeof **exec);
	(*exec)->graph = sim_graph_copy(graph);
	sim_order(graph, &(*exec)->order);
	(*exec)->flags =
	    flags & ~(unsigned long long)CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
	if (!graph->exec) {
		(*exec)->source = graph;
		graph->exec = *exec;
	}
	return v;
}

static CUresult with_log(CUgraphExec *exec, CUgraph graph, CUgraphNode *bad, char *text,
                         size_t length)
{
	struct verdict v = instantiate(exec, graph, 0);

	if (bad)
		*bad = v.node;
	if (text && length)
		*text = '\0';
	return v.result;
}

SIM_EXPORT CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph,
                                       CUgraphNode *bad, char *text, size_t length)
{
	SIM_CALL(cuGraphInstantiate);
	return with_log(exec, graph, bad, text, length);
}

SIM_EXPORT CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph,
                                          CUgraphNode *bad, char *text, size_t length)
{
	SIM_CALL(cuGraphInstantiate_v2);
	return with_log(exec, graph, bad, text, length);
}

/* Has no stream to upload in. */
SIM_EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                                unsigned long long flags)
{
	SIM_CALL(cuGraphInstantiateWithFlags);
	if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD)
		return CUDA_ERROR_INVALID_VALUE;
	return instantiate(exec, graph, flags).result;
}

/* Does not work on a stream, though it has a twin: `params` names one to upload in. */
static CUresult with_params(CUgraphExec *exec, CUgraph graph,
                            CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
	struct verdict v;

	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	v = instantiate(exec, graph, params->flags);
	params->result_out = v.why;
	params->hErrNode_out = v.why == CUDA_GRAPH_INSTANTIATE_ERROR ? NULL : v.node;
	return v.result;
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

SIM_EXPORT CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t *flags)
{
	SIM_CALL(cuGraphExecGetFlags);
	if (!exec || !flags)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = exec->flags;
	return CUDA_SUCCESS;
}
