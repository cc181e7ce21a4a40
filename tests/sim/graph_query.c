/* SPDX-License-Identifier: MIT */
/*
 * graph_query.c - a graph's nodes and edges, asked for and changed.
 *
 * The lists follow one rule: without a place for them only the number is told; with
 * one, as many as fit are written, the rest of the places is zeroed, and the number
 * written is told.
 */
#include <stdlib.h>
#include <string.h>

#include "sim.h"

struct edges {
	CUgraphNode *from, *to;
	CUgraphEdgeData *data;
	size_t room, count;
	int lossy; /* some edge has data, and there is no place for it */
};

static void edge(struct edges *e, CUgraphNode from, CUgraphNode to,
                 const CUgraphEdgeData *data)
{
	if (!e->data && (data->type || data->from_port || data->to_port))
		e->lossy = 1;
	if (e->count < e->room) {
		if (e->from)
			e->from[e->count] = from;
		if (e->to)
			e->to[e->count] = to;
		if (e->data)
			e->data[e->count] = *data;
	}
	e->count++;
}

static CUresult told(struct edges *e, size_t *count)
{
	size_t i;

	if (!e->from && !e->to && !e->data) {
		*count = e->count;
		return CUDA_SUCCESS;
	}
	if (e->lossy)
		return CUDA_ERROR_LOSSY_QUERY;
	for (i = e->count; i < e->room; i++)
		edge(e, NULL, NULL, &SIM_FULL_EDGE);
	return CUDA_SUCCESS;
}

static CUresult graph_edges(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                            CUgraphEdgeData *data, size_t *count)
{
	struct edges e = {.from = from, .to = to, .data = data};
	CUresult result;
	size_t i, k, all;

	if (!graph || !count || !from != !to || (data && !from))
		return CUDA_ERROR_INVALID_VALUE;
	e.room = from ? *count : 0;
	for (i = 0; i < graph->count; i++) {
		const struct deps *deps = &graph->nodes[i]->deps;

		for (k = 0; k < deps->count; k++)
			edge(&e, deps->at[k].node, graph->nodes[i], &deps->at[k].edge);
	}
	all = e.count;
	result = told(&e, count);
	if (result == CUDA_SUCCESS && from && all < *count)
		*count = all;
	return result;
}

SIM_EXPORT CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                                    size_t *count)
{
	SIM_CALL(cuGraphGetEdges);
	return graph_edges(graph, from, to, NULL, count);
}

SIM_EXPORT CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from,
                                       CUgraphNode *to, CUgraphEdgeData *data,
                                       size_t *count)
{
	SIM_CALL(cuGraphGetEdges_v2);
	return graph_edges(graph, from, to, data, count);
}

static CUresult dependencies(CUgraphNode node, CUgraphNode *nodes,
                             CUgraphEdgeData *data, size_t *count)
{
	struct edges e = {.from = nodes, .data = data};
	CUresult result;
	size_t k;

	if (!node || !count || (data && !nodes))
		return CUDA_ERROR_INVALID_VALUE;
	e.room = nodes ? *count : 0;
	for (k = 0; k < node->deps.count; k++)
		edge(&e, node->deps.at[k].node, NULL, &node->deps.at[k].edge);
	result = told(&e, count);
	if (result == CUDA_SUCCESS && nodes && node->deps.count < *count)
		*count = node->deps.count;
	return result;
}

SIM_EXPORT CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes,
                                               size_t *count)
{
	SIM_CALL(cuGraphNodeGetDependencies);
	return dependencies(node, nodes, NULL, count);
}

SIM_EXPORT CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *nodes,
                                                  CUgraphEdgeData *data, size_t *count)
{
	SIM_CALL(cuGraphNodeGetDependencies_v2);
	return dependencies(node, nodes, data, count);
}

static CUresult dependents(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data,
                           size_t *count)
{
	struct edges e = {.to = nodes, .data = data};
	CUgraph graph;
	CUresult result;
	size_t i, k, all;

	if (!node || !count || (data && !nodes))
		return CUDA_ERROR_INVALID_VALUE;
	e.room = nodes ? *count : 0;
	graph = node->graph;
	for (i = 0; i < graph->count; i++) {
		const struct deps *deps = &graph->nodes[i]->deps;

		for (k = 0; k < deps->count; k++)
			if (deps->at[k].node == node)
				edge(&e, NULL, graph->nodes[i], &deps->at[k].edge);
	}
	all = e.count;
	result = told(&e, count);
	if (result == CUDA_SUCCESS && nodes && all < *count)
		*count = all;
	return result;
}

SIM_EXPORT CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes,
                                                 size_t *count)
{
	SIM_CALL(cuGraphNodeGetDependentNodes);
	return dependents(node, nodes, NULL, count);
}

SIM_EXPORT CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node,
                                                    CUgraphNode *nodes,
                                                    CUgraphEdgeData *data,
                                                    size_t *count)
{
	SIM_CALL(cuGraphNodeGetDependentNodes_v2);
	return dependents(node, nodes, data, count);
}

static CUresult list_nodes(CUgraph graph, CUgraphNode *nodes, size_t *count, int roots)
{
	size_t i, n = 0, room;

	/* Room for none is an error (seen for cuGraphGetNodes on driver 580). */
	if (!graph || !count || (nodes && !*count))
		return CUDA_ERROR_INVALID_VALUE;
	room = nodes ? *count : 0;
	for (i = 0; i < graph->count; i++) {
		if (roots && graph->nodes[i]->deps.count)
			continue;
		if (n < room)
			nodes[n] = graph->nodes[i];
		n++;
	}
	for (i = n; i < room; i++)
		nodes[i] = NULL;
	if (!nodes || n < room)
		*count = n;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
	SIM_CALL(cuGraphGetNodes);
	return list_nodes(graph, nodes, count, 0);
}

SIM_EXPORT CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes,
                                        size_t *count)
{
	SIM_CALL(cuGraphGetRootNodes);
	return list_nodes(graph, nodes, count, 1);
}

SIM_EXPORT CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
	SIM_CALL(cuGraphNodeGetType);
	if (!node || !type)
		return CUDA_ERROR_INVALID_VALUE;
	*type = node->type;
	return CUDA_SUCCESS;
}

static const struct dep *edge_between(CUgraphNode from, CUgraphNode to)
{
	size_t k;

	for (k = 0; k < to->deps.count; k++)
		if (to->deps.at[k].node == from)
			return &to->deps.at[k];
	return NULL;
}

/* One that is removed has to have the very data that are named. */
static int may_change(CUgraphNode from, CUgraphNode to, const CUgraphEdgeData *data,
                      int present)
{
	const struct dep *dep = edge_between(from, to);

	if (present)
		return dep && dep->edge.from_port == data->from_port &&
		       dep->edge.to_port == data->to_port &&
		       dep->edge.type == data->type;
	return !dep && sim_edge_valid(from, to->type, data);
}

/* Every pair is looked at before any is changed. */
static CUresult change_edges(CUgraph graph, const CUgraphNode *from,
                             const CUgraphNode *to, const CUgraphEdgeData *data,
                             size_t count, int present)
{
	size_t i;

	if (!graph || (count && (!from || !to)) ||
	    (present && count && sim_graph_has_memory(graph)))
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < count; i++)
		if (!from[i] || !to[i] || from[i]->graph != graph ||
		    to[i]->graph != graph || from[i] == to[i] ||
		    !may_change(from[i], to[i], data ? &data[i] : &SIM_FULL_EDGE,
		                present))
			return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < count; i++)
		if (present)
			sim_deps_remove(&to[i]->deps, from[i]);
		else
			sim_deps_add(&to[i]->deps, from[i],
			             data ? data[i] : SIM_FULL_EDGE);
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from,
                                           const CUgraphNode *to, size_t count)
{
	SIM_CALL(cuGraphAddDependencies);
	return change_edges(graph, from, to, NULL, count, 0);
}

SIM_EXPORT CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from,
                                              const CUgraphNode *to,
                                              const CUgraphEdgeData *data, size_t count)
{
	SIM_CALL(cuGraphAddDependencies_v2);
	return change_edges(graph, from, to, data, count, 0);
}

SIM_EXPORT CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from,
                                              const CUgraphNode *to, size_t count)
{
	SIM_CALL(cuGraphRemoveDependencies);
	return change_edges(graph, from, to, NULL, count, 1);
}

SIM_EXPORT CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from,
                                                 const CUgraphNode *to,
                                                 const CUgraphEdgeData *data,
                                                 size_t count)
{
	SIM_CALL(cuGraphRemoveDependencies_v2);
	return change_edges(graph, from, to, data, count, 1);
}
