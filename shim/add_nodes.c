/* SPDX-License-Identifier: MIT */
/*
 * add_nodes.c - explicit memset nodes: a fill node is added in their place.
 *
 * In doubt the driver adds its memset node, with the program's own arguments.
 */
#include "config.h"
#include "fill.h"
#include "guard.h"
#include "log.h"
#include "nodes.h"
#include "stats.h"

static enum reason add(CUgraphNode *node, CUgraph graph, const CUgraphNode *nodes,
                       size_t count, const struct fill *f, CUcontext ctx)
{
	struct fill_node n;
	enum reason reason;

	if (!fill_enabled())
		return REASON_OFF;
	if (!config.nodes)
		return REASON_NODES;
	if (!DRV(cuGraphAddKernelNode_v2) || !DRV(cuGraphKernelNodeGetParams_v2) ||
	    !DRV(cuGraphKernelNodeSetParams_v2) ||
	    !DRV(cuGraphExecKernelNodeSetParams_v2))
		return REASON_NODES;
	reason = fill_allowed(f, ctx);
	if (reason == SUBSTITUTED)
		reason = fill_node(f, ctx, &n);
	if (reason != SUBSTITUTED)
		return reason;
	/* Wrong dependencies, say: the driver's own call will tell. */
	if (DRV(cuGraphAddKernelNode_v2)(node, graph, nodes, count, &n.node) !=
	    CUDA_SUCCESS)
		return REASON_LAUNCH;
	return SUBSTITUTED;
}

/* 1 when *node is a fill now; 0 when the driver's own call has to be made. */
static int add_fill(CUgraphNode *node, CUgraph graph, const CUgraphNode *nodes,
                    size_t count, const CUDA_MEMSET_NODE_PARAMS *set, CUcontext ctx,
                    const void *caller)
{
	enum reason reason = REASON_SHAPE;
	struct guard g;
	struct fill f;

	if (!node || !graph || !set || !ctx || !guard_enter(&g))
		return 0;
	if (driver_usable() && nodes_to_fill(set, &f) == 0) {
		reason = add(node, graph, nodes, count, &f, ctx);
		stats_memset(reason, fill_bytes(&f), caller);
		log_trace("memset node of %llu bytes at %#llx: %s",
		          (unsigned long long)fill_bytes(&f), (unsigned long long)f.dst,
		          reason_text(reason));
	}
	guard_leave(&g);
	return reason == SUBSTITUTED;
}

MSS_EXPORT CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph,
                                         const CUgraphNode *nodes, size_t count,
                                         const CUDA_MEMSET_NODE_PARAMS *set,
                                         CUcontext ctx)
{
	if (!DRV(cuGraphAddMemsetNode))
		return driver_missing();
	if (add_fill(node, graph, nodes, count, set, ctx, __builtin_return_address(0)))
		return CUDA_SUCCESS;
	return DRV(cuGraphAddMemsetNode)(node, graph, nodes, count, set, ctx);
}

static int add_fill_for(CUgraphNode *node, CUgraph graph, const CUgraphNode *nodes,
                        size_t count, const CUgraphNodeParams *params,
                        const void *caller)
{
	CUDA_MEMSET_NODE_PARAMS set;

	return nodes_memset_of(params, &set) == 0 &&
	       add_fill(node, graph, nodes, count, &set, params->memset.ctx, caller);
}

MSS_EXPORT CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph,
                                   const CUgraphNode *nodes, size_t count,
                                   CUgraphNodeParams *params)
{
	if (!DRV(cuGraphAddNode))
		return driver_missing();
	if (add_fill_for(node, graph, nodes, count, params,
	                 __builtin_return_address(0)))
		return CUDA_SUCCESS;
	return DRV(cuGraphAddNode)(node, graph, nodes, count, params);
}

/* A memset node's dependencies are full ones; the driver judges what is not. */
static int edges_full(const CUgraphEdgeData *edges, size_t count)
{
	size_t i;

	for (i = 0; edges && i < count; i++)
		if (edges[i].type || edges[i].from_port || edges[i].to_port)
			return 0;
	return 1;
}

MSS_EXPORT CUresult cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph,
                                      const CUgraphNode *nodes,
                                      const CUgraphEdgeData *edges, size_t count,
                                      CUgraphNodeParams *params)
{
	if (!DRV(cuGraphAddNode_v2))
		return driver_missing();
	if (edges_full(edges, count) && add_fill_for(node, graph, nodes, count, params,
	                                             __builtin_return_address(0)))
		return CUDA_SUCCESS;
	return DRV(cuGraphAddNode_v2)(node, graph, nodes, edges, count, params);
}
