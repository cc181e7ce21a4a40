/* SPDX-License-Identifier: MIT */
/*
 * dot.c - a graph as a picture's description: nodes by their place, not their address,
 * so that equal graphs give equal files.
 */
#include <stdio.h>

#include "sim.h"

static const char *const names[] = {
    [CU_GRAPH_NODE_TYPE_KERNEL] = "KERNEL",
    [CU_GRAPH_NODE_TYPE_MEMCPY] = "MEMCPY",
    [CU_GRAPH_NODE_TYPE_MEMSET] = "MEMSET",
    [CU_GRAPH_NODE_TYPE_HOST] = "HOST",
    [CU_GRAPH_NODE_TYPE_GRAPH] = "GRAPH",
    [CU_GRAPH_NODE_TYPE_EMPTY] = "EMPTY",
    [CU_GRAPH_NODE_TYPE_WAIT_EVENT] = "WAIT_EVENT",
    [CU_GRAPH_NODE_TYPE_EVENT_RECORD] = "EVENT_RECORD",
    [CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL] = "EXT_SEMAS_SIGNAL",
    [CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT] = "EXT_SEMAS_WAIT",
    [CU_GRAPH_NODE_TYPE_MEM_ALLOC] = "MEM_ALLOC",
    [CU_GRAPH_NODE_TYPE_MEM_FREE] = "MEM_FREE",
    [CU_GRAPH_NODE_TYPE_BATCH_MEM_OP] = "BATCH_MEM_OP",
    [CU_GRAPH_NODE_TYPE_CONDITIONAL] = "CONDITIONAL",
};

/* *id is the next graph's number. */
static void print(FILE *to, CUgraph graph, unsigned int *id)
{
	unsigned int own = (*id)++;
	CUgraph sub;
	size_t i, k;

	fprintf(to, "subgraph cluster_%u {\n", own);
	for (i = 0; i < graph->count; i++) {
		CUgraphNode node = graph->nodes[i];

		node->index = i;
		fprintf(to, "\"graph_%u_node_%zu\"[label=\"%zu %s%s%s\"];\n", own, i, i,
		        names[node->type], node->launch.kernel ? " " : "",
		        node->launch.kernel ? node->launch.kernel->type->name : "");
	}
	for (i = 0; i < graph->count; i++) {
		const struct deps *deps = &graph->nodes[i]->deps;

		for (k = 0; k < deps->count; k++)
			fprintf(to,
			        "\"graph_%u_node_%zu\" -> \"graph_%u_node_%zu\"%s;\n",
			        own, deps->at[k].node->index, own, i,
			        deps->at[k].edge.type ? "[style=dashed]" : "");
	}
	fputs("}\n", to);
	for (i = 0; i < graph->count; i++)
		for (k = 0; (sub = sim_node_graph(graph->nodes[i], k)); k++)
			print(to, sub, id);
}

SIM_EXPORT CUresult cuGraphDebugDotPrint(CUgraph graph, const char *path,
                                         unsigned int flags)
{
	unsigned int id = 1;
	FILE *to;

	SIM_CALL(cuGraphDebugDotPrint);
	if (!graph || !path ||
	    flags & ~((CU_GRAPH_DEBUG_DOT_FLAGS_CONDITIONAL_NODE_PARAMS << 1) - 1u))
		return CUDA_ERROR_INVALID_VALUE;
	to = fopen(path, "w");
	if (!to)
		return CUDA_ERROR_OPERATING_SYSTEM;
	fputs("digraph dot {\n", to);
	print(to, graph, &id);
	fputs("}\n", to);
	return fclose(to) ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
}
