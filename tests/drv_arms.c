/* SPDX-License-Identifier: MIT */
#include "drv_arms.h"

#include <string.h>

CUcontext arms_ctx;
CUstream arms_stream;
CUdeviceptr arms_memory;

unsigned long long arm_noted(struct arm *a, const char *what, int line,
                             unsigned long long value)
{
	if (a->notes == ARM_NOTES)
		bail("too many notes");
	a->note[a->notes++] = (struct arm_note){what, line, value};
	return value;
}

/* The address as an offset: the arms may have other memory. */
void arm_note_set(struct arm *a, CUgraphNode node)
{
	CUDA_MEMSET_NODE_PARAMS set;

	memset(&set, 0, sizeof set);
	if (arm_note(a, cuGraphMemsetNodeGetParams(node, &set)) != CUDA_SUCCESS)
		return;
	arm_note(a, set.dst - a->memory);
	arm_note(a, set.pitch);
	arm_note(a, set.value);
	arm_note(a, set.elementSize);
	arm_note(a, set.width);
	arm_note(a, set.height);
}

/* Nodes in the order in which the driver gives them: that of their making. */
static size_t place(const CUgraphNode *nodes, size_t n, CUgraphNode node)
{
	size_t i;

	for (i = 0; i < n && nodes[i] != node; i++)
		;
	return i;
}

static int compare_edges(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct arm_edge));
}

static void shape_edges(struct arm *a, CUgraph graph, const CUgraphNode *nodes,
                        size_t count)
{
	CUresult (*get_edges)(CUgraph, CUgraphNode *, CUgraphNode *, CUgraphEdgeData *,
	                      size_t *);
	CUgraphNode from[ARM_EDGES], to[ARM_EDGES];
	CUgraphEdgeData data[ARM_EDGES];
	size_t n = 0, i, first = a->edges;

	*(void **)&get_edges = drv_entry("cuGraphGetEdges_v2");
	must(get_edges(graph, NULL, NULL, NULL, &n));
	if (first + n > ARM_EDGES)
		bail("too many edges");
	if (!n)
		return;
	memset(data, 0, sizeof data);
	must(get_edges(graph, from, to, data, &n));
	for (i = 0; i < n; i++) {
		struct arm_edge *e = &a->edge[a->edges++];

		/* Compared whole, padding too. */
		memset(e, 0, sizeof *e);
		e->from = place(nodes, count, from[i]);
		e->to = place(nodes, count, to[i]);
		e->data = data[i];
	}
	qsort(&a->edge[first], n, sizeof *a->edge, compare_edges);
}

void arm_shape(struct arm *a, CUgraph graph)
{
	CUgraphNode nodes[ARM_NODES];
	size_t n = drv_nodes(graph), i;
	CUgraph child;

	if (a->nodes + n > ARM_NODES)
		bail("too many nodes");
	if (!n)
		return;
	must(cuGraphGetNodes(graph, nodes, &n));
	for (i = 0; i < n; i++) {
		CUgraphNodeType type;

		must(cuGraphNodeGetType(nodes[i], &type));
		a->type[a->nodes++] = (int)type;
		if (type == CU_GRAPH_NODE_TYPE_MEMSET) {
			a->memsets++;
			a->kernels += drv_type(nodes[i]) == CU_GRAPH_NODE_TYPE_KERNEL;
		}
	}
	shape_edges(a, graph, nodes, n);
	for (i = 0; i < n; i++) {
		if (drv_type(nodes[i]) != CU_GRAPH_NODE_TYPE_GRAPH)
			continue;
		must(cuGraphChildGraphNodeGetGraph(nodes[i], &child));
		arm_shape(a, child);
	}
}

void arm_launch(struct arm *a, CUgraphExec exec)
{
	unsigned char before[ARM_ROOM], after[ARM_ROOM];
	struct arm_run *r = &a->run[a->runs];
	size_t i;

	if (a->runs == ARM_RUNS)
		bail("too many launches");
	must(cuCtxPushCurrent(a->ctx));
	drv_dirty(before, ARM_ROOM, (unsigned int)a->runs++);
	drv_write(a->memory, before, ARM_ROOM);
	must(cuCtxPopCurrent(NULL));
	arm_note(a, cuGraphLaunch(exec, a->stream));
	arm_note(a, cuStreamSynchronize(a->stream));
	must(cuCtxPushCurrent(a->ctx));
	drv_read(after, a->memory, ARM_ROOM);
	must(cuCtxPopCurrent(NULL));
	*r = (struct arm_run){.hash = 14695981039346656037u};
	for (i = 0; i < ARM_ROOM; i++) {
		r->hash = (r->hash ^ after[i]) * 1099511628211u;
		r->changed += after[i] != before[i];
	}
}

void arm_graph(struct arm *a, CUgraph graph)
{
	CUgraphExec exec;
	int i;

	arm_shape(a, graph);
	if (arm_note(a, cuGraphInstantiateWithFlags(&exec, graph, 0)) != CUDA_SUCCESS)
		return;
	for (i = 0; i < ARM_REPLAYS; i++)
		arm_launch(a, exec);
	must(cuGraphExecDestroy(exec));
}

void arm_set(struct arm *a, size_t at, unsigned int value, size_t bytes)
{
	arm_note(
	    a, cuMemsetD8Async(a->memory + at, (unsigned char)value, bytes, a->stream));
}

CUgraphNode arm_add(struct arm *a, CUgraph graph, const CUgraphNode *behind,
                    size_t count, size_t at, unsigned int value, size_t bytes)
{
	CUDA_MEMSET_NODE_PARAMS set = {.dst = a->memory + at,
	                               .value = value,
	                               .elementSize = 1,
	                               .width = bytes,
	                               .height = 1};
	CUgraphNode node;

	must(cuGraphAddMemsetNode(&node, graph, behind, count, &set, a->ctx));
	return node;
}

void arm_begin(struct arm *a, CUstreamCaptureMode mode)
{
	must(cuStreamBeginCapture(a->stream, mode));
}

CUgraph arm_end(struct arm *a)
{
	CUgraph graph = NULL;

	must(cuStreamEndCapture(a->stream, &graph));
	return graph;
}

static int same_notes(const struct arm *n, const struct arm *o)
{
	size_t i;

	for (i = 0; i < n->notes && i < o->notes; i++)
		if (n->note[i].value != o->note[i].value ||
		    n->note[i].line != o->note[i].line) {
			printf("# %s (line %d): natively %#llx, shimmed %#llx\n",
			       n->note[i].what, n->note[i].line, n->note[i].value,
			       o->note[i].value);
			return 0;
		}
	if (n->notes != o->notes)
		printf("# %zu results natively, %zu shimmed\n", n->notes, o->notes);
	return n->notes == o->notes;
}

static int same_runs(const struct arm *n, const struct arm *o)
{
	size_t i;

	if (n->runs != o->runs)
		return 0;
	for (i = 0; i < n->runs; i++)
		if (n->run[i].hash != o->run[i].hash) {
			printf("# launch %zu: natively %zu bytes changed, shimmed "
			       "%zu\n",
			       i, n->run[i].changed, o->run[i].changed);
			return 0;
		}
	return 1;
}

static void one(struct arm *a, CUgraph (*scenario)(struct arm *a))
{
	CUgraph graph;

	drv_shim(a->on);
	graph = scenario(a);
	if (graph) {
		arm_graph(a, graph);
		must(cuGraphDestroy(graph));
	}
	drv_shim(1);
}

static int same_shapes(const struct arm *n, const struct arm *o)
{
	return n->nodes == o->nodes && n->edges == o->edges &&
	       !memcmp(n->type, o->type, sizeof n->type) &&
	       !memcmp(n->edge, o->edge, sizeof n->edge);
}

struct arms arms_run(CUgraph (*scenario)(struct arm *a), size_t left, CUcontext ctx,
                     CUstream stream, CUdeviceptr memory)
{
	static struct arm n, o;

	memset(&n, 0, sizeof n);
	n.ctx = ctx;
	n.stream = stream;
	n.memory = memory;
	o = n;
	o.on = 1;
	one(&n, scenario);
	one(&o, scenario);
	return (struct arms){.results = same_notes(&n, &o),
	                     .shapes = same_shapes(&n, &o),
	                     .kinds = !n.kernels && o.kernels + left == o.memsets,
	                     .bytes = same_runs(&n, &o),
	                     .notes = n.notes,
	                     .nodes = n.nodes,
	                     .edges = n.edges,
	                     .memsets = o.memsets,
	                     .kernels = o.kernels,
	                     .runs = n.runs};
}

void arms_start(void)
{
	arms_ctx = drv_start();
	if (drv_shim(1) < 0)
		bail("the shim is not loaded");
	if (!drv_entry("cuGraphGetEdges_v2"))
		skip_all("this driver's graphs have no edge data");
	arms_stream = drv_stream();
	arms_memory = drv_alloc(ARM_ROOM);
	/* Loaded now: a capture of another thread's might forbid it. */
	drv_kernel("sim_copy_bytes");
}
