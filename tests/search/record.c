/* SPDX-License-Identifier: MIT */
/*
 * record.c - one capture: begin, operations, joins, end, explicit nodes.
 */
#include "search.h"

struct recording {
	struct run *r;
	int c, variant;
	int joined[STREAMS]; /* takes part */
	CUdeviceptr memory;  /* the graph's own; 0 none */
	CUgraph graph;       /* one that is captured into */
	CUgraphNode *nodes;
	struct effects *effects;
};

static void edge(struct recording *rec, int from, int to)
{
	note(rec->r, cuEventRecord(world.event[from], world.stream[from]),
	     "cuEventRecord(e%d, s%d)", from, from);
	note(rec->r, cuStreamWaitEvent(world.stream[to], world.event[from], 0),
	     "cuStreamWaitEvent(s%d, e%d)", to, from);
	rec->joined[to] = 1;
}

/* A stream that nothing has forked comes from the origin. */
static void enter(struct recording *rec, int stream)
{
	if (!rec->joined[stream])
		edge(rec, 0, stream);
}

static void allocate(struct recording *rec, int i)
{
	const struct op *op = &rec->r->p->op[i];
	struct place at = op->at[rec->variant];
	CUdeviceptr memory = 0;

	if (rec->memory)
		return;
	at.space = SPACE_GRAPH;
	at.set = (struct drv_set){.elem = 1,
	                          .value = at.set.value,
	                          .width = space_size[SPACE_GRAPH],
	                          .height = 1};
	if (note(rec->r,
	         cuMemAllocAsync(&memory, at.set.width, world.stream[op->stream]),
	         "cuMemAllocAsync(&graph, %zu, s%d)", at.set.width,
	         op->stream) != CUDA_SUCCESS)
		return;
	rec->memory = memory;
	if (call_set(rec->r, i, &at, memory) == CUDA_SUCCESS)
		effects_add(rec->effects, OP_SET, i, &at);
}

static void release(struct recording *rec, int i, int stream)
{
	struct place at = {.space = SPACE_DRAIN,
	                   .set = {.elem = 1, .width = space_size[SPACE_DRAIN]},
	                   .from = SPACE_GRAPH};
	CUstream s = world.stream[stream];

	if (!rec->memory)
		return;
	if (note(rec->r,
	         cuMemcpyDtoDAsync(world.base[SPACE_DRAIN], rec->memory, at.set.width,
	                           s),
	         "cuMemcpyDtoDAsync(drain, graph, %zu bytes, s%d)", at.set.width,
	         stream) == CUDA_SUCCESS)
		effects_add(rec->effects, OP_COPY, i, &at);
	note(rec->r, cuMemFreeAsync(rec->memory, s), "cuMemFreeAsync(graph, s%d)",
	     stream);
	rec->memory = 0;
}

/* The model has one graph's own memory at a time. */
static void child(struct recording *rec, const struct op *op)
{
	struct capture *other = &rec->r->capture[op->target];

	if (other->exec && !(rec->memory && effects_own_memory(&other->in_exec)) &&
	    note(rec->r, cuGraphLaunch(other->exec, world.stream[op->stream]),
	         "cuGraphLaunch(x%d, s%d)", op->target, op->stream) == CUDA_SUCCESS)
		effects_join(rec->effects, &other->in_exec);
}

static void one(struct recording *rec, int i)
{
	const struct op *op = &rec->r->p->op[i];
	const struct place *at = &op->at[rec->variant];

	enter(rec, op->stream);
	switch (op->kind) {
	case OP_EDGE:
		edge(rec, op->stream, op->other);
		break;
	case OP_ALLOC:
		allocate(rec, i);
		break;
	case OP_FREE:
		release(rec, i, op->stream);
		break;
	case OP_CHILD:
		child(rec, op);
		break;
	default:
		if (!rec->memory &&
		    (at->space == SPACE_GRAPH || at->from == SPACE_GRAPH))
			break;
		if (call_memory(rec->r, i, at, rec->memory) == CUDA_SUCCESS)
			effects_add(rec->effects, op->kind, i, at);
	}
}

/* Behind all that the graph has. */
static void add_node(struct recording *rec, CUgraph graph, int i)
{
	const struct place *at = &rec->r->p->op[i].at[rec->variant];
	CUDA_MEMSET_NODE_PARAMS params = node_params(at);
	CUgraphNode before[4 * MAX_OPS + 16];
	size_t n = drv_nodes(graph);

	if (n > sizeof before / sizeof *before)
		bail("a graph of %zu nodes", n);
	if (n)
		must(cuGraphGetNodes(graph, before, &n));
	if (note(rec->r,
	         cuGraphAddMemsetNode(&rec->nodes[i], graph, before, n, &params,
	                              world.ctx),
	         "cuGraphAddMemsetNode(&n%d, g%d, behind %zu, %s+%#llx, %#x, "
	         "elements of %u, width %zu, height %zu, pitch %zu)",
	         i, rec->c, n, space_name[at->space], (unsigned long long)at->set.dst,
	         at->set.value, at->set.elem, at->set.width, at->set.height,
	         at->set.pitch) == CUDA_SUCCESS)
		effects_add(rec->effects, OP_NODE, i, at);
	else
		rec->nodes[i] = NULL;
}

static void add_nodes(struct recording *rec, CUgraph graph, int early)
{
	const struct program *p = rec->r->p;
	int i;

	for (i = 0; i < p->count; i++)
		if (p->op[i].kind == OP_NODE && p->op[i].capture == rec->c &&
		    !p->op[i].dropped && p->op[i].early == early)
			add_node(rec, graph, i);
}

static CUresult begin_to_graph(struct recording *rec, CUstreamCaptureMode mode)
{
	CUgraphNode last = NULL, nodes[MAX_OPS];
	size_t n;

	must(cuGraphCreate(&rec->graph, 0));
	add_nodes(rec, rec->graph, 1);
	n = drv_nodes(rec->graph);
	if (n) {
		must(cuGraphGetNodes(rec->graph, nodes, &n));
		last = nodes[n - 1];
	} else {
		must(cuGraphAddEmptyNode(&last, rec->graph, NULL, 0));
	}
	return note(
	    rec->r,
	    world.begin_to_graph(world.stream[0], rec->graph, &last, NULL, 1, mode),
	    "cuStreamBeginCaptureToGraph(s0, g%d, behind one, mode %d)", rec->c,
	    (int)mode);
}

/* All that took part join the origin; NULL when the capture is no good. */
static CUgraph end(struct recording *rec)
{
	CUgraph graph = NULL;
	CUresult result;
	int s;

	for (s = 1; s < STREAMS; s++)
		if (rec->joined[s])
			edge(rec, s, 0);
	release(rec, -1, 0);
	result = note(rec->r, cuStreamEndCapture(world.stream[0], &graph),
	              "cuStreamEndCapture(s0, &g%d): variant %d", rec->c, rec->variant);
	if (result == CUDA_SUCCESS)
		return graph;
	if (rec->graph)
		cuGraphDestroy(rec->graph);
	return NULL;
}

CUgraph record(struct run *r, int c, int variant, struct effects *effects,
               CUgraphNode *nodes)
{
	struct recording rec = {.r = r,
	                        .c = c,
	                        .variant = variant,
	                        .joined = {1},
	                        .nodes = nodes,
	                        .effects = effects};
	const CUstreamCaptureMode mode = r->p->mode[c];
	CUresult result;
	CUgraph graph;
	int i;

	effects->count = 0;
	if (r->p->to_graph[c])
		result = begin_to_graph(&rec, mode);
	else
		result = note(r, cuStreamBeginCapture(world.stream[0], mode),
		              "cuStreamBeginCapture(s0, mode %d)", (int)mode);
	if (result != CUDA_SUCCESS)
		return NULL;
	for (i = 0; i < r->p->count; i++)
		if (r->p->op[i].capture == c && !r->p->op[i].dropped &&
		    r->p->op[i].kind != OP_NODE)
			one(&rec, i);
	graph = end(&rec);
	if (!graph)
		return NULL;
	add_nodes(&rec, graph, 0);
	r->graphs++;
	if (r->count_kernels)
		r->kernels += kernels_in(graph);
	return graph;
}

size_t kernels_in(CUgraph graph)
{
	CUgraphNode nodes[4 * MAX_OPS + 16];
	CUDA_KERNEL_NODE_PARAMS params;
	size_t n = drv_nodes(graph), kernels = 0, i;

	if (!n || n > sizeof nodes / sizeof *nodes || !world.kernel_params)
		return 0;
	must(cuGraphGetNodes(graph, nodes, &n));
	for (i = 0; i < n; i++)
		kernels += world.kernel_params(nodes[i], &params) == CUDA_SUCCESS;
	return kernels;
}
