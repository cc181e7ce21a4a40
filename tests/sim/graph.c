/* SPDX-License-Identifier: MIT */
/*
 * graph.c - graphs as objects: nodes, copies, and the ways to make and end them.
 */
#include <stdlib.h>
#include <string.h>

#include "sim.h"

static int graphs;

int sim_graphs(void)
{
	return graphs;
}

CUgraph sim_graph_new(void)
{
	graphs++;
	return sim_new(1, sizeof(struct CUgraph_st));
}

static void append(CUgraph graph, CUgraphNode node)
{
	if (graph->count == graph->room) {
		size_t room = graph->room ? 2 * graph->room : 16;
		CUgraphNode *nodes = sim_new(room, sizeof *nodes);

		if (graph->count)
			memcpy(nodes, graph->nodes, graph->count * sizeof *nodes);
		free(graph->nodes);
		graph->nodes = nodes;
		graph->room = room;
	}
	graph->nodes[graph->count++] = node;
}

CUgraphNode sim_graph_add(CUgraph graph, CUgraphNodeType type, const struct deps *deps)
{
	CUgraphNode node = sim_new(1, sizeof *node);

	node->type = type;
	node->graph = graph;
	sim_deps_join(&node->deps, deps);
	append(graph, node);
	return node;
}

CUresult sim_graph_add_with(CUgraphNode *out, CUgraph graph, const CUgraphNode *nodes,
                            const CUgraphEdgeData *edges, size_t count,
                            CUgraphNodeType type)
{
	struct deps deps = {0};
	CUresult result = CUDA_SUCCESS;
	size_t i;

	if (!out || !graph || (count && !nodes) || (edges && !nodes))
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < count && result == CUDA_SUCCESS; i++) {
		CUgraphEdgeData edge = edges ? edges[i] : SIM_FULL_EDGE;

		if (!nodes[i] || nodes[i]->graph != graph ||
		    !sim_edge_valid(nodes[i], type, &edge))
			result = CUDA_ERROR_INVALID_VALUE;
		else
			sim_deps_add(&deps, nodes[i], edge);
	}
	if (deps.count != count) /* the same dependency twice */
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		*out = sim_graph_add(graph, type, &deps);
	sim_deps_clear(&deps);
	return result;
}

CUresult sim_graph_add_for(CUgraphNode *out, CUgraph graph, const CUgraphNode *nodes,
                           size_t count, CUgraphNodeType type)
{
	return sim_graph_add_with(out, graph, nodes, NULL, count, type);
}

CUgraph sim_node_graph(CUgraphNode node, size_t i)
{
	if (node->bodies)
		return i < node->conditional.size ? node->bodies[i] : NULL;
	return i == 0 ? node->child : NULL;
}

int sim_graph_has(CUgraph graph, CUgraphNodeType type)
{
	CUgraph sub;
	size_t i, k;

	for (i = 0; i < graph->count; i++) {
		if (graph->nodes[i]->type == type)
			return 1;
		for (k = 0; (sub = sim_node_graph(graph->nodes[i], k)); k++)
			if (sim_graph_has(sub, type))
				return 1;
	}
	return 0;
}

int sim_graph_has_memory(CUgraph graph)
{
	return sim_graph_has(graph, CU_GRAPH_NODE_TYPE_MEM_ALLOC) ||
	       sim_graph_has(graph, CU_GRAPH_NODE_TYPE_MEM_FREE);
}

/* The memory of a node, and a condition's bodies, exist once. */
int sim_graph_may_copy(CUgraph graph)
{
	return !sim_graph_has_memory(graph) &&
	       !sim_graph_has(graph, CU_GRAPH_NODE_TYPE_CONDITIONAL);
}

void sim_node_own(CUgraphNode node, CUgraph child)
{
	node->child = child;
	child->owner = node;
}

static void free_node(CUgraphNode node)
{
	sim_deps_clear(&node->deps);
	sim_launch_clear(&node->launch);
	free(node->attributes);
	if (node->child)
		sim_graph_free(node->child);
	if (node->bodies)
		sim_conditional_free(node);
	free(node);
}

void sim_graph_free(CUgraph graph)
{
	size_t i;

	sim_conditions_forget(graph);
	sim_kept_release(graph);
	if (graph->exec)
		graph->exec->source = NULL;
	for (i = 0; i < graph->count; i++)
		free_node(graph->nodes[i]);
	free(graph->nodes);
	free(graph);
	graphs--;
}

static CUgraphNode copy_node(CUgraph graph, CUgraphNode from)
{
	CUgraphNode node = sim_new(1, sizeof *node);

	*node = *from;
	node->graph = graph;
	node->original = from;
	node->deps = (struct deps){0};
	node->attributes = NULL;
	sim_attributes_copy(node, from);
	if (from->launch.kernel)
		sim_launch_copy(&node->launch, &from->launch);
	if (from->child)
		sim_node_own(node, sim_graph_copy(from->child));
	if (from->bodies)
		sim_conditional_copy(node, from);
	append(graph, node);
	return node;
}

CUgraph sim_graph_copy(CUgraph graph)
{
	CUgraph copy = sim_graph_new();
	size_t i, k;

	sim_kept_copy(copy, graph);
	for (i = 0; i < graph->count; i++) {
		graph->nodes[i]->index = i;
		copy_node(copy, graph->nodes[i]);
	}
	for (i = 0; i < graph->count; i++) {
		const struct deps *deps = &graph->nodes[i]->deps;

		for (k = 0; k < deps->count; k++)
			sim_deps_add(&copy->nodes[i]->deps,
			             copy->nodes[deps->at[k].node->index],
			             deps->at[k].edge);
	}
	return copy;
}

SIM_EXPORT CUresult cuGraphCreate(CUgraph *graph, unsigned int flags)
{
	SIM_CALL(cuGraphCreate);
	if (!sim_initialized())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!graph || flags)
		return CUDA_ERROR_INVALID_VALUE;
	*graph = sim_graph_new();
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuGraphDestroy(CUgraph graph)
{
	SIM_CALL(cuGraphDestroy);
	if (!graph || graph->owner)
		return CUDA_ERROR_INVALID_VALUE;
	sim_graph_free(graph);
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuGraphClone(CUgraph *clone, CUgraph graph)
{
	SIM_CALL(cuGraphClone);
	if (!clone || !graph || !sim_graph_may_copy(graph))
		return CUDA_ERROR_INVALID_VALUE;
	*clone = sim_graph_copy(graph);
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuGraphNodeFindInClone(CUgraphNode *found, CUgraphNode node,
                                           CUgraph clone)
{
	size_t i;

	SIM_CALL(cuGraphNodeFindInClone);
	if (!found || !node || !clone)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < clone->count; i++)
		if (clone->nodes[i]->original == node) {
			*found = clone->nodes[i];
			return CUDA_SUCCESS;
		}
	return CUDA_ERROR_INVALID_VALUE;
}

SIM_EXPORT CUresult cuGraphDestroyNode(CUgraphNode node)
{
	CUgraph graph;
	size_t i, kept = 0;

	SIM_CALL(cuGraphDestroyNode);
	if (!node || sim_is_updatable(node) || sim_graph_has_memory(node->graph))
		return CUDA_ERROR_INVALID_VALUE;
	graph = node->graph;
	for (i = 0; i < graph->count; i++) {
		sim_deps_remove(&graph->nodes[i]->deps, node);
		if (graph->nodes[i] != node)
			graph->nodes[kept++] = graph->nodes[i];
	}
	graph->count = kept;
	sim_capture_forget_node(node);
	free_node(node);
	return CUDA_SUCCESS;
}
