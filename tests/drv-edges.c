/* SPDX-License-Identifier: MIT */
/*
 * Edges: what data they may have, that no query loses it, and that one is removed by
 * naming it.
 */
#include <string.h>

#include "drv_kernels.h"

static CUdeviceptr memory;

static const CUgraphEdgeData full,
    programmatic = {.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,
                    .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC},
    launch_order = {.from_port = CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER};

static CUresult (*link_old)(CUgraph, const CUgraphNode *, const CUgraphNode *, size_t);
static CUresult (*link_new)(CUgraph, const CUgraphNode *, const CUgraphNode *,
                            const CUgraphEdgeData *, size_t);
static CUresult (*unlink_old)(CUgraph, const CUgraphNode *, const CUgraphNode *,
                              size_t);
static CUresult (*unlink_new)(CUgraph, const CUgraphNode *, const CUgraphNode *,
                              const CUgraphEdgeData *, size_t);
static CUresult (*edges_old)(CUgraph, CUgraphNode *, CUgraphNode *, size_t *);
static CUresult (*edges_new)(CUgraph, CUgraphNode *, CUgraphNode *, CUgraphEdgeData *,
                             size_t *);
static CUresult (*needs_old)(CUgraphNode, CUgraphNode *, size_t *);
static CUresult (*needs_new)(CUgraphNode, CUgraphNode *, CUgraphEdgeData *, size_t *);
static CUresult (*needed_old)(CUgraphNode, CUgraphNode *, size_t *);
static CUresult (*needed_new)(CUgraphNode, CUgraphNode *, CUgraphEdgeData *, size_t *);

static int find(void)
{
	*(void **)&link_old = drv_entry("cuGraphAddDependencies");
	*(void **)&link_new = drv_entry("cuGraphAddDependencies_v2");
	*(void **)&unlink_old = drv_entry("cuGraphRemoveDependencies");
	*(void **)&unlink_new = drv_entry("cuGraphRemoveDependencies_v2");
	*(void **)&edges_old = drv_entry("cuGraphGetEdges");
	*(void **)&edges_new = drv_entry("cuGraphGetEdges_v2");
	*(void **)&needs_old = drv_entry("cuGraphNodeGetDependencies");
	*(void **)&needs_new = drv_entry("cuGraphNodeGetDependencies_v2");
	*(void **)&needed_old = drv_entry("cuGraphNodeGetDependentNodes");
	*(void **)&needed_new = drv_entry("cuGraphNodeGetDependentNodes_v2");
	return link_new && unlink_new && edges_new && needs_new && needed_new;
}

static CUgraphNode kernel(CUgraph graph)
{
	struct drv_add a = {memory, 16, 1, {0}};
	CUDA_KERNEL_NODE_PARAMS p;
	CUgraphNode node;

	memset(&p, 0, sizeof p);
	p.func = drv_kernel("sim_add_bytes");
	p.gridDimX = p.gridDimY = p.gridDimZ = 1;
	p.blockDimX = p.blockDimY = p.blockDimZ = 1;
	p.kernelParams = drv_add_args(&a);
	must(cuGraphAddKernelNode(&node, graph, NULL, 0, &p));
	return node;
}

static CUgraphNode no_kernel(CUgraph graph)
{
	CUgraphNode node;

	must(cuGraphAddEmptyNode(&node, graph, NULL, 0));
	return node;
}

static int same(const CUgraphEdgeData *a, const CUgraphEdgeData *b)
{
	return a->from_port == b->from_port && a->to_port == b->to_port &&
	       a->type == b->type;
}

/* Between two kernels, with each kind of data. */
static void between_kernels(const CUgraphEdgeData *data, const char *name)
{
	CUgraphNode from, to, got[2][2] = {{NULL, NULL}, {NULL, NULL}};
	CUgraphEdgeData told[2];
	CUresult old = same(data, &full) ? CUDA_SUCCESS : CUDA_ERROR_LOSSY_QUERY;
	size_t n = 2;
	CUgraph graph;

	memset(told, 0x55, sizeof told);
	must(cuGraphCreate(&graph, 0));
	from = kernel(graph);
	to = kernel(graph);
	is(link_new(graph, &from, &to, data, 1), CUDA_SUCCESS, "%s: added", name);
	ok(link_new(graph, &from, &to, data, 1) != CUDA_SUCCESS, "%s: but once", name);
	is(edges_new(graph, got[0], got[1], told, &n), CUDA_SUCCESS, "%s: told", name);
	ok(n == 1 && got[0][0] == from && got[1][0] == to && same(&told[0], data),
	   "%s: as it is", name);
	n = 2;
	is(needs_new(to, got[0], told, &n), CUDA_SUCCESS, "%s: as a dependency", name);
	ok(n == 1 && got[0][0] == from && same(&told[0], data), "%s: as it is", name);
	n = 2;
	is(needed_new(from, got[0], told, &n), CUDA_SUCCESS, "%s: as a dependent",
	   name);
	ok(n == 1 && got[0][0] == to && same(&told[0], data), "%s: as it is", name);
	n = 2;
	is(edges_old(graph, got[0], got[1], &n), old, "%s: the old query", name);
	n = 2;
	is(needs_old(to, got[0], &n), old, "%s: of dependencies", name);
	n = 2;
	is(needed_old(from, got[0], &n), old, "%s: of dependents", name);
	n = 2;
	is(edges_new(graph, got[0], got[1], NULL, &n), old,
	   "%s: the new one without a place for data", name);
	n = 0;
	must(edges_new(graph, NULL, NULL, NULL, &n));
	is(n, 1, "%s: the number can be asked for", name);
	if (old != CUDA_SUCCESS)
		ok(unlink_old(graph, &from, &to, 1) != CUDA_SUCCESS,
		   "%s: not removed as a full one", name);
	is(unlink_new(graph, &from, &to, data, 1), CUDA_SUCCESS, "%s: removed", name);
	must(edges_new(graph, NULL, NULL, NULL, &n));
	is(n, 0, "%s: gone", name);
	ok(unlink_new(graph, &from, &to, data, 1) != CUDA_SUCCESS, "%s: once", name);
	must(cuGraphDestroy(graph));
}

static void refused(CUgraph graph, CUgraphNode from, CUgraphNode to,
                    CUgraphEdgeData data, const char *what)
{
	is(link_new(graph, &from, &to, &data, 1), CUDA_ERROR_INVALID_VALUE,
	   "invalid: %s", what);
}

static void what_may_not_be(void)
{
	CUgraphNode k[2], m[2];
	CUgraphEdgeData to_port = full, spare = full, no_port = full;
	size_t n = 0;
	CUgraph graph;
	int i;

	to_port.to_port = 1;
	spare.reserved[0] = 1;
	no_port.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
	must(cuGraphCreate(&graph, 0));
	for (i = 0; i < 2; i++) {
		k[i] = kernel(graph);
		m[i] = no_kernel(graph);
	}
	refused(graph, m[0], k[0], programmatic, "programmatic, from an empty node");
	refused(graph, m[0], k[0], launch_order, "a kernel's port, from an empty node");
	refused(graph, k[0], m[0], programmatic, "programmatic, to an empty node");
	refused(graph, k[0], k[1], to_port, "a port of arrival");
	refused(graph, k[0], k[1], spare, "a reserved byte");
	refused(graph, k[0], k[1], no_port, "programmatic, from the full port");
	must(edges_new(graph, NULL, NULL, NULL, &n));
	is(n, 0, "and no edge came of these");
	must(cuGraphDestroy(graph));
}

/* A full one, by the old functions. */
static void old_forms(void)
{
	CUgraphNode from, to, got[2];
	size_t n = 2;
	CUgraph graph;

	must(cuGraphCreate(&graph, 0));
	from = no_kernel(graph);
	to = kernel(graph);
	is(link_old(graph, &from, &to, 1), CUDA_SUCCESS, "old form: added");
	must(needs_old(to, got, &n));
	ok(n == 1 && got[0] == from && !got[1],
	   "old form: told, and the room that is left is nulled");
	is(unlink_old(graph, &from, &to, 1), CUDA_SUCCESS, "old form: removed");
	must(cuGraphDestroy(graph));
}

int main(void)
{
	drv_start();
	if (!find())
		skip_all("this driver has no edge data");
	memory = drv_alloc(64);
	drv_kernel("sim_add_bytes");
	between_kernels(&full, "full");
	between_kernels(&programmatic, "programmatic");
	between_kernels(&launch_order, "launch order");
	what_may_not_be();
	old_forms();
	return done();
}
