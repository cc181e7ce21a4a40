/* SPDX-License-Identifier: MIT */
/*
 * deps.c - sets of dependencies: of a node, of a capturing stream, of an event.
 */
#include <stdlib.h>

#include "sim.h"

void sim_deps_add(struct deps *deps, CUgraphNode node, CUgraphEdgeData edge)
{
	size_t i;

	for (i = 0; i < deps->count; i++)
		if (deps->at[i].node == node)
			return;
	if (deps->count == deps->room) {
		size_t room = deps->room ? 2 * deps->room : 2;
		struct dep *at = sim_new(room, sizeof *at);

		for (i = 0; i < deps->count; i++)
			at[i] = deps->at[i];
		free(deps->at);
		deps->at = at;
		deps->room = room;
	}
	deps->at[deps->count++] = (struct dep){node, edge};
}

void sim_deps_join(struct deps *into, const struct deps *from)
{
	size_t i;

	for (i = 0; i < from->count; i++)
		sim_deps_add(into, from->at[i].node, from->at[i].edge);
}

void sim_deps_remove(struct deps *deps, CUgraphNode node)
{
	size_t i, kept = 0;

	for (i = 0; i < deps->count; i++)
		if (deps->at[i].node != node)
			deps->at[kept++] = deps->at[i];
	deps->count = kept;
}

void sim_deps_clear(struct deps *deps)
{
	free(deps->at);
	*deps = (struct deps){0};
}

size_t sim_next_mark(void)
{
	static size_t mark;

	return ++mark;
}

/* With a list of its own rather than recursion: chains of nodes are long. */
void sim_mark_ancestors(const struct deps *deps, size_t mark)
{
	struct deps list = {0};
	size_t i;

	sim_deps_join(&list, deps);
	for (i = 0; i < list.count; i++)
		list.at[i].node->mark = mark;
	while (list.count) {
		CUgraphNode node = list.at[--list.count].node;

		for (i = 0; i < node->deps.count; i++) {
			CUgraphNode next = node->deps.at[i].node;

			if (next->mark == mark)
				continue;
			next->mark = mark;
			sim_deps_add(&list, next, SIM_FULL_EDGE);
		}
	}
	sim_deps_clear(&list);
}

/* Programmatic edges leave a port of their own; a launch's order may be either type. */
int sim_edge_from(CUgraphNode from, const CUgraphEdgeData *edge)
{
	size_t i;

	for (i = 0; i < sizeof edge->reserved; i++)
		if (edge->reserved[i])
			return 0;
	if (edge->to_port || edge->from_port > CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER)
		return 0;
	if (edge->from_port && from->type != CU_GRAPH_NODE_TYPE_KERNEL)
		return 0;
	if (edge->type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC)
		return edge->from_port != CU_GRAPH_KERNEL_NODE_PORT_DEFAULT;
	return edge->type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT &&
	       edge->from_port != CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
}

int sim_edge_valid(CUgraphNode from, CUgraphNodeType to, const CUgraphEdgeData *edge)
{
	return sim_edge_from(from, edge) &&
	       (edge->type != CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC ||
	        to == CU_GRAPH_NODE_TYPE_KERNEL);
}
