/* SPDX-License-Identifier: MIT */
/*
 * conditional.c - conditions, and the nodes that run their bodies by them.
 */
#include <stdlib.h>

#include "sim.h"

/* A body that never ends its loop is a test's mistake, which has to show. */
#define MAX_ROUNDS 1000000

struct condition {
	CUgraphConditionalHandle handle;
	CUgraph graph; /* NULL: gone, or never asked for again */
	CUcontext ctx;
	unsigned int initial, flags, value;
	int nodes; /* that use it, copies not counted */
	struct condition *next;
};

static struct condition *conditions;

static struct condition *find(CUgraphConditionalHandle handle)
{
	struct condition *c;

	for (c = conditions; c && c->handle != handle; c = c->next)
		;
	return c;
}

/* Kernels set it by its handle; -1 where there is none. */
int sim_condition_set(CUgraphConditionalHandle handle, unsigned int value)
{
	struct condition *c = find(handle);

	if (!c)
		return -1;
	c->value = value;
	return 0;
}

void sim_conditions_forget(CUgraph graph)
{
	struct condition *c;

	for (c = conditions; c; c = c->next)
		if (c->graph == graph)
			c->graph = NULL;
}

int sim_condition_unused(CUgraph graph)
{
	struct condition *c;

	for (c = conditions; c; c = c->next)
		if (c->graph == graph && !c->nodes)
			return 1;
	return 0;
}

SIM_EXPORT CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *handle,
                                                   CUgraph graph, CUcontext ctx,
                                                   unsigned int initial,
                                                   unsigned int flags)
{
	struct condition *c;

	SIM_CALL(cuGraphConditionalHandleCreate);
	if (!ctx)
		ctx = sim_current();
	if (!handle || !graph || flags & ~(unsigned int)CU_GRAPH_COND_ASSIGN_DEFAULT ||
	    !sim_context_lives(ctx))
		return CUDA_ERROR_INVALID_VALUE;
	c = sim_new(1, sizeof *c);
	c->handle = sim_next_id();
	c->graph = graph;
	c->ctx = ctx;
	c->initial = initial;
	c->flags = flags;
	c->next = conditions;
	conditions = c;
	*handle = c->handle;
	return CUDA_SUCCESS;
}

/* The handle's graph is this one, or one that this is in. */
static int reaches(CUgraph from, CUgraph graph)
{
	while (graph && graph != from)
		graph = graph->owner ? graph->owner->graph : NULL;
	return graph != NULL;
}

CUresult sim_conditional_params(CUgraph graph, const CUDA_CONDITIONAL_NODE_PARAMS *p)
{
	struct condition *c = find(p->handle);

	if (!c || !c->graph || !reaches(c->graph, graph) ||
	    (p->ctx && p->ctx != c->ctx))
		return CUDA_ERROR_INVALID_VALUE;
	switch (p->type) {
	case CU_GRAPH_COND_TYPE_IF:
		return p->size == 1 || p->size == 2 ? CUDA_SUCCESS
		                                    : CUDA_ERROR_INVALID_VALUE;
	case CU_GRAPH_COND_TYPE_WHILE:
		return p->size == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	case CU_GRAPH_COND_TYPE_SWITCH:
		return p->size ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

void sim_conditional_make(CUgraphNode node, CUDA_CONDITIONAL_NODE_PARAMS *p)
{
	struct condition *c = find(p->handle);
	unsigned int i;

	c->nodes++;
	p->ctx = node->ctx = c->ctx;
	node->conditional = *p;
	node->bodies = sim_new(p->size, sizeof *node->bodies);
	for (i = 0; i < p->size; i++) {
		node->bodies[i] = sim_graph_new();
		node->bodies[i]->owner = node;
	}
	p->phGraph_out = node->conditional.phGraph_out = node->bodies;
}

void sim_conditional_copy(CUgraphNode node, CUgraphNode from)
{
	unsigned int i;

	node->bodies = sim_new(from->conditional.size, sizeof *node->bodies);
	node->conditional.phGraph_out = node->bodies;
	for (i = 0; i < from->conditional.size; i++) {
		node->bodies[i] = sim_graph_copy(from->bodies[i]);
		node->bodies[i]->owner = node;
	}
}

void sim_conditional_free(CUgraphNode node)
{
	struct condition *c = find(node->conditional.handle);
	unsigned int i;

	if (c && !node->original)
		c->nodes--;
	for (i = 0; i < node->conditional.size; i++)
		sim_graph_free(node->bodies[i]);
	free(node->bodies);
}

/* Of all conditions in the graph, at the beginning of its execution. */
void sim_conditions_assign(CUgraph graph)
{
	struct condition *c;
	CUgraph sub;
	size_t i, k;

	for (i = 0; i < graph->count; i++) {
		CUgraphNode node = graph->nodes[i];

		if (node->bodies) {
			c = find(node->conditional.handle);
			if (c->flags & CU_GRAPH_COND_ASSIGN_DEFAULT)
				c->value = c->initial;
		}
		for (k = 0; (sub = sim_node_graph(node, k)); k++)
			sim_conditions_assign(sub);
	}
}

static int may_be_inside(CUgraphNodeType type)
{
	return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_EMPTY ||
	       type == CU_GRAPH_NODE_TYPE_GRAPH || type == CU_GRAPH_NODE_TYPE_MEMSET ||
	       type == CU_GRAPH_NODE_TYPE_MEMCPY ||
	       type == CU_GRAPH_NODE_TYPE_CONDITIONAL;
}

/* What a body holds, at every level: some kinds only, and kernels of one context. */
static int fits(CUgraph body, CUcontext ctx)
{
	CUgraph sub;
	size_t i, k;

	for (i = 0; i < body->count; i++) {
		CUgraphNode node = body->nodes[i];

		if (!may_be_inside(node->type) ||
		    (node->type == CU_GRAPH_NODE_TYPE_KERNEL && node->ctx != ctx))
			return 0;
		for (k = 0; (sub = sim_node_graph(node, k)); k++)
			if (!fits(sub, ctx))
				return 0;
	}
	return 1;
}

CUresult sim_conditional_check(CUgraphNode node)
{
	unsigned int i;

	for (i = 0; i < node->conditional.size; i++)
		if (!fits(node->bodies[i], node->ctx))
			return CUDA_ERROR_INVALID_VALUE;
	return sim_context_lives(node->ctx) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_conditional_run(CUgraphNode node, CUcontext ctx)
{
	const struct condition *c = find(node->conditional.handle);
	unsigned int size = node->conditional.size, rounds = 0;
	CUresult result = CUDA_SUCCESS;

	switch (node->conditional.type) {
	case CU_GRAPH_COND_TYPE_IF:
		if (c->value)
			return sim_child_run(node->bodies[0], ctx);
		return size == 2 ? sim_child_run(node->bodies[1], ctx) : result;
	case CU_GRAPH_COND_TYPE_WHILE:
		while (c->value && result == CUDA_SUCCESS)
			result = ++rounds < MAX_ROUNDS
			             ? sim_child_run(node->bodies[0], ctx)
			             : CUDA_ERROR_LAUNCH_TIMEOUT;
		return result;
	default:
		return c->value < size ? sim_child_run(node->bodies[c->value], ctx)
		                       : result;
	}
}
