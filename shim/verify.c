/* SPDX-License-Identifier: MIT */
#include "verify.h"

#include <stdlib.h>
#include <string.h>

#include "fill.h"
#include "guard.h"
#include "nodes.h"
#include "record.h"
#include "scratch.h"

#define DEEPEST 64 /* child graphs within child graphs */

/* A stretch of memory that has been looked at already: fills come in crowds. */
struct known {
	CUcontext ctx;
	CUdeviceptr at;
	size_t bytes;
};

/* Memory that the graph itself allocates. */
struct own {
	CUdeviceptr at;
	size_t bytes;
};

struct list {
	CUgraphNode *nodes;
	size_t count;
	struct own *own; /* NULL until a fill asks for it */
	size_t own_count, hint;
};

/* 0, or -1 when the nodes cannot be had. */
static int list_nodes(CUgraph graph, struct list *l)
{
	*l = (struct list){0};
	if (DRV(cuGraphGetNodes)(graph, NULL, &l->count) != CUDA_SUCCESS)
		return -1;
	if (!l->count)
		return 0;
	l->nodes = calloc(l->count, sizeof *l->nodes);
	if (l->nodes &&
	    DRV(cuGraphGetNodes)(graph, l->nodes, &l->count) == CUDA_SUCCESS)
		return 0;
	free(l->nodes);
	return -1;
}

/* Once for all fills: a graph may have as many of either. */
static void list_own(struct list *l)
{
	CUDA_MEM_ALLOC_NODE_PARAMS p;
	CUgraphNodeType type;
	size_t i;

	l->own = calloc(l->count, sizeof *l->own);
	for (i = 0; l->own && i < l->count; i++) {
		memset(&p, 0, sizeof p);
		if (DRV(cuGraphNodeGetType)(l->nodes[i], &type) == CUDA_SUCCESS &&
		    type == CU_GRAPH_NODE_TYPE_MEM_ALLOC &&
		    DRV(cuGraphMemAllocNodeGetParams)(l->nodes[i], &p) == CUDA_SUCCESS)
			l->own[l->own_count++] =
			    (struct own){.at = p.dptr, .bytes = p.bytesize};
	}
}

/* The search goes on where the last one ended: fills come in the allocations' order. */
static int is_own_memory(struct list *l, CUdeviceptr at, uint64_t bytes)
{
	size_t i;

	if (!l->own)
		list_own(l);
	for (i = 0; i < l->own_count; i++) {
		size_t k = (l->hint + i) % l->own_count;
		const struct own *o = &l->own[k];

		if (at >= o->at && at - o->at < o->bytes &&
		    bytes <= o->bytes - (at - o->at)) {
			l->hint = k;
			return 1;
		}
	}
	return 0;
}

static CUresult verify_fill(struct list *l, const struct fill *f, CUcontext ctx,
                            struct known *k)
{
	CUDA_MEMSET_NODE_PARAMS set;
	CUdeviceptr base = 0;
	size_t size = 0;
	uint64_t span;

	if (fill_span(f, &span) != PLAN_OK)
		return CUDA_ERROR_INVALID_VALUE;
	if (ctx == k->ctx && f->dst >= k->at && f->dst - k->at < k->bytes &&
	    span <= k->bytes - (f->dst - k->at))
		return CUDA_SUCCESS;
	if (fill_memory(f, ctx) == SUBSTITUTED) {
		if (DRV(cuMemGetAddressRange_v2)(&base, &size, f->dst) == CUDA_SUCCESS)
			*k = (struct known){.ctx = ctx, .at = base, .bytes = size};
		return CUDA_SUCCESS;
	}
	if (is_own_memory(l, f->dst, span))
		return CUDA_SUCCESS;
	nodes_from_fill(f, &set);
	return scratch_instantiate(&set, ctx);
}

static CUresult verify(CUgraph graph, CUgraphNode *bad, struct known *k, int depth);

static CUresult verify_node(struct list *l, CUgraphNode node, CUgraphNode *bad,
                            struct known *k, int depth)
{
	CUgraphNodeType type;
	struct fill f;
	CUcontext ctx;
	CUgraph child;
	CUresult result = CUDA_SUCCESS;

	if (record_read(node, &f, &ctx) == 0) {
		result = verify_fill(l, &f, ctx, k);
		if (result != CUDA_SUCCESS)
			*bad = node;
		return result;
	}
	if (DRV(cuGraphNodeGetType)(node, &type) == CUDA_SUCCESS &&
	    type == CU_GRAPH_NODE_TYPE_GRAPH &&
	    DRV(cuGraphChildGraphNodeGetGraph)(node, &child) == CUDA_SUCCESS)
		result = verify(child, bad, k, depth + 1);
	return result;
}

static CUresult verify(CUgraph graph, CUgraphNode *bad, struct known *k, int depth)
{
	CUresult result = CUDA_SUCCESS;
	struct list l;
	size_t i;

	if (depth > DEEPEST || list_nodes(graph, &l))
		return CUDA_SUCCESS;
	for (i = 0; i < l.count && result == CUDA_SUCCESS; i++)
		result = verify_node(&l, l.nodes[i], bad, k, depth);
	free(l.own);
	free(l.nodes);
	return result;
}

CUresult verify_graph(CUgraph graph, CUgraphNode *bad)
{
	struct known k = {0};

	if (!graph || !record_any() || !DRV(cuGraphGetNodes) ||
	    !DRV(cuGraphNodeGetType) || !DRV(cuGraphChildGraphNodeGetGraph) ||
	    !DRV(cuGraphMemAllocNodeGetParams))
		return CUDA_SUCCESS;
	return verify(graph, bad, &k, 0);
}

int verify_update(CUgraph graph, CUgraphNode *bad)
{
	struct guard g;
	CUresult result;

	if (!record_any() || !guard_enter(&g))
		return 1;
	result = verify_graph(graph, bad);
	guard_leave(&g);
	return result == CUDA_SUCCESS;
}
