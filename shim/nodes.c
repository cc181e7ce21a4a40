/* SPDX-License-Identifier: MIT */
/*
 * nodes.c - a fill node answers as the memset node that it stands for.
 *
 * The driver is asked first; only where it says that the node is no memset node is the
 * node looked at.  What a fill is asked or told then goes through its record.
 */
#include "nodes.h"

#include <string.h>

#include "fill.h"
#include "guard.h"
#include "record.h"
#include "scratch.h"
#include "verify.h"

/* What the functions of memset nodes answer on any other node, among other things. */
#define NOT_A_MEMSET CUDA_ERROR_INVALID_VALUE

int nodes_to_fill(const CUDA_MEMSET_NODE_PARAMS *set, struct fill *f)
{
	unsigned int size = set->elementSize;

	if (size != 1 && size != 2 && size != 4)
		return -1;
	if (size < 4 && set->value >> (8 * size))
		return -1;
	*f = (struct fill){.dst = set->dst,
	                   .value = set->value,
	                   .elem = size,
	                   .width = set->width,
	                   .height = set->height,
	                   .pitch = set->pitch};
	return 0;
}

void nodes_from_fill(const struct fill *f, CUDA_MEMSET_NODE_PARAMS *set)
{
	*set = (CUDA_MEMSET_NODE_PARAMS){.dst = f->dst,
	                                 .pitch = f->pitch,
	                                 .value = f->value,
	                                 .elementSize = f->elem,
	                                 .width = f->width,
	                                 .height = f->height};
}

int nodes_memset_of(const CUgraphNodeParams *params, CUDA_MEMSET_NODE_PARAMS *set)
{
	CUgraphNodeParams clean;
	const void *wanted = &clean, *given = params;

	if (!params || params->type != CU_GRAPH_NODE_TYPE_MEMSET)
		return -1;
	memset(&clean, 0, sizeof clean);
	clean.type = params->type;
	clean.memset = params->memset;
	/* Byte by byte, because that is what the driver asks of the unused ones. */
	if (memcmp(wanted, given, sizeof clean))
		return -1;
	*set = (CUDA_MEMSET_NODE_PARAMS){.dst = params->memset.dst,
	                                 .pitch = params->memset.pitch,
	                                 .value = params->memset.value,
	                                 .elementSize = params->memset.elementSize,
	                                 .width = params->memset.width,
	                                 .height = params->memset.height};
	return 0;
}

static CUgraphNodeType type_of(CUgraphNode node, CUgraphNodeType said)
{
	struct guard g;

	if (said == CU_GRAPH_NODE_TYPE_KERNEL && record_any() && guard_enter(&g)) {
		if (record_is_fill(node))
			said = CU_GRAPH_NODE_TYPE_MEMSET;
		guard_leave(&g);
	}
	return said;
}

MSS_EXPORT CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
	CUresult result;

	if (!DRV(cuGraphNodeGetType))
		return driver_missing();
	result = DRV(cuGraphNodeGetType)(node, type);
	if (result == CUDA_SUCCESS)
		*type = type_of(node, *type);
	return result;
}

/* 1: `node` is a fill, *f and *ctx are what it does, and *g has to be left. */
static int enter_fill(struct guard *g, CUgraphNode node, struct fill *f, CUcontext *ctx)
{
	if (!record_any() || !guard_enter(g))
		return 0;
	if (record_read(node, f, ctx) == 0)
		return 1;
	guard_leave(g);
	return 0;
}

MSS_EXPORT CUresult cuGraphMemsetNodeGetParams(CUgraphNode node,
                                               CUDA_MEMSET_NODE_PARAMS *set)
{
	struct guard g;
	struct fill f;
	CUcontext ctx;
	CUresult result;

	if (!DRV(cuGraphMemsetNodeGetParams))
		return driver_missing();
	result = DRV(cuGraphMemsetNodeGetParams)(node, set);
	if (result != NOT_A_MEMSET || !set || !enter_fill(&g, node, &f, &ctx))
		return result;
	nodes_from_fill(&f, set);
	guard_leave(&g);
	return CUDA_SUCCESS;
}

/* What a fill node of `ctx` becomes with these parameters, or the driver's error. */
static CUresult convert(const CUDA_MEMSET_NODE_PARAMS *set, CUcontext ctx,
                        struct fill_node *n)
{
	CUresult result = scratch_add(set, ctx);
	struct fill f;

	if (result != CUDA_SUCCESS)
		return result;
	/* Captured fills need neither, so a driver may lack them. */
	if (!DRV(cuGraphKernelNodeSetParams_v2) ||
	    !DRV(cuGraphExecKernelNodeSetParams_v2))
		return CUDA_ERROR_NOT_SUPPORTED;
	if (nodes_to_fill(set, &f) || fill_node(&f, ctx, n) != SUBSTITUTED)
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

/* Of the graph's own node; instantiation judges the memory. */
static CUresult change(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *set,
                       CUcontext ctx)
{
	struct fill_node n;
	CUresult result = convert(set, ctx, &n);

	if (result == CUDA_SUCCESS)
		result = DRV(cuGraphKernelNodeSetParams_v2)(node, &n.node);
	return result;
}

MSS_EXPORT CUresult cuGraphMemsetNodeSetParams(CUgraphNode node,
                                               const CUDA_MEMSET_NODE_PARAMS *set)
{
	struct guard g;
	struct fill f;
	CUcontext ctx;
	CUresult result;

	if (!DRV(cuGraphMemsetNodeSetParams))
		return driver_missing();
	result = DRV(cuGraphMemsetNodeSetParams)(node, set);
	if (result != NOT_A_MEMSET || !set || !enter_fill(&g, node, &f, &ctx))
		return result;
	result = change(node, set, ctx);
	guard_leave(&g);
	return result;
}

/* Since CUDA 13.2; the structure is as old as cuGraphAddNode. */
MSS_EXPORT CUresult cuGraphNodeGetParams(CUgraphNode node, CUgraphNodeParams *params)
{
	struct guard g;
	struct fill f;
	CUcontext ctx;
	CUresult result;

	if (!DRV(cuGraphNodeGetParams))
		return driver_missing();
	result = DRV(cuGraphNodeGetParams)(node, params);
	if (result != CUDA_SUCCESS || params->type != CU_GRAPH_NODE_TYPE_KERNEL ||
	    !enter_fill(&g, node, &f, &ctx))
		return result;
	memset(params, 0, sizeof *params);
	params->type = CU_GRAPH_NODE_TYPE_MEMSET;
	params->memset = (CUDA_MEMSET_NODE_PARAMS_v2){.dst = f.dst,
	                                              .pitch = f.pitch,
	                                              .value = f.value,
	                                              .elementSize = f.elem,
	                                              .width = f.width,
	                                              .height = f.height,
	                                              .ctx = ctx};
	guard_leave(&g);
	return CUDA_SUCCESS;
}

MSS_EXPORT CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *params)
{
	CUDA_MEMSET_NODE_PARAMS set;
	struct guard g;
	struct fill f;
	CUcontext ctx;
	CUresult result;

	if (!DRV(cuGraphNodeSetParams))
		return driver_missing();
	result = DRV(cuGraphNodeSetParams)(node, params);
	if (result != NOT_A_MEMSET || nodes_memset_of(params, &set) ||
	    !enter_fill(&g, node, &f, &ctx))
		return result;
	result = change(node, &set, params->memset.ctx ? params->memset.ctx : ctx);
	guard_leave(&g);
	return result;
}

/*
 * In an instantiated graph: the context stays, the memory is as good as at
 * instantiation. A memset node may refuse another shape, for lack of what has been set
 * aside for it; an executable graph does not tell, and a kernel takes any.
 */
static CUresult change_exec(CUgraphExec exec, CUgraphNode node, CUcontext was_ctx,
                            const CUDA_MEMSET_NODE_PARAMS *set, CUcontext ctx)
{
	struct fill_node n;
	struct fill f;
	CUresult result;

	if (ctx != was_ctx)
		return CUDA_ERROR_INVALID_VALUE;
	result = convert(set, ctx, &n);
	if (result != CUDA_SUCCESS)
		return result;
	(void)nodes_to_fill(set, &f);
	if (fill_allowed(&f, ctx) != SUBSTITUTED &&
	    scratch_instantiate(set, ctx) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_VALUE;
	return DRV(cuGraphExecKernelNodeSetParams_v2)(exec, node, &n.node);
}

MSS_EXPORT CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                   const CUDA_MEMSET_NODE_PARAMS *set,
                                                   CUcontext ctx)
{
	struct guard g;
	struct fill f;
	CUcontext was;
	CUresult result;

	if (!DRV(cuGraphExecMemsetNodeSetParams))
		return driver_missing();
	result = DRV(cuGraphExecMemsetNodeSetParams)(exec, node, set, ctx);
	if (result != NOT_A_MEMSET || !set || !enter_fill(&g, node, &f, &was))
		return result;
	result = change_exec(exec, node, was, set, ctx);
	guard_leave(&g);
	return result;
}

MSS_EXPORT CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                             CUgraphNodeParams *params)
{
	CUDA_MEMSET_NODE_PARAMS set;
	struct guard g;
	struct fill f;
	CUcontext was;
	CUgraphNode bad;
	CUresult result;

	if (!DRV(cuGraphExecNodeSetParams))
		return driver_missing();
	if (exec && node && params && params->type == CU_GRAPH_NODE_TYPE_GRAPH &&
	    !verify_update(params->graph.graph, &bad))
		return CUDA_ERROR_INVALID_VALUE;
	result = DRV(cuGraphExecNodeSetParams)(exec, node, params);
	if (result != NOT_A_MEMSET || nodes_memset_of(params, &set) ||
	    !enter_fill(&g, node, &f, &was))
		return result;
	result = change_exec(exec, node, was, &set,
	                     params->memset.ctx ? params->memset.ctx : was);
	guard_leave(&g);
	return result;
}
