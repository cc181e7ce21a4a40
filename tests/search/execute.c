/* SPDX-License-Identifier: MIT */
/*
 * execute.c - a program's operations one after another, and what they do to the
 * picture.
 */
#include <string.h>

#include "search.h"

static CUresult wait(struct run *r, int stream)
{
	return note(r, cuStreamSynchronize(world.stream[stream]),
	            "cuStreamSynchronize(s%d)", stream);
}

static int launch(struct run *r, CUgraphExec exec, const char *name, int target,
                  int stream)
{
	return note(r, cuGraphLaunch(exec, world.stream[stream]),
	            "cuGraphLaunch(%s%d, s%d)", name, target, stream) == CUDA_SUCCESS &&
	       wait(r, stream) == CUDA_SUCCESS;
}

static void drop_exec(struct capture *c)
{
	if (c->exec)
		cuGraphExecDestroy(c->exec);
	c->exec = NULL;
}

/* The executable graph of what is in `graph` now. */
static void instantiate(struct run *r, struct capture *c, CUgraph graph,
                        const struct effects *effects, int number)
{
	drop_exec(c);
	if (note(r, cuGraphInstantiateWithFlags(&c->exec, graph, 0),
	         "cuGraphInstantiateWithFlags(&x%d, g%d)", number,
	         number) != CUDA_SUCCESS) {
		c->exec = NULL;
		return;
	}
	if (&c->in_exec != effects)
		c->in_exec = *effects;
}

static void first_capture(struct run *r, int number)
{
	struct capture *c = &r->capture[number];

	c->graph = record(r, number, 0, &c->in_graph, c->node);
	if (c->graph)
		instantiate(r, c, c->graph, &c->in_graph, number);
}

/* A node of some graph was given other parameters; child graphs are copies of others.
 */
static int any_changed(const struct run *r)
{
	int i;

	for (i = 0; i < CAPTURES; i++)
		if (r->capture[i].changed)
			return 1;
	return 0;
}

/*
 * Where memset nodes cannot take over other sizes, fill kernels can: then only the
 * shim's run is updated, and the other goes on with a new executable graph.
 */
static void update(struct run *r, const struct op *op)
{
	struct capture *c = &r->capture[op->target];
	CUgraphNode nodes[MAX_OPS] = {0};
	CUgraphExecUpdateResultInfo info;
	static struct effects effects;
	CUresult result;
	CUgraph graph;

	if (!c->exec)
		return;
	graph = record(r, op->target, op->variant, &effects, nodes);
	if (!graph)
		return;
	result = note(r, cuGraphExecUpdate(c->exec, graph, &info),
	              "cuGraphExecUpdate(x%d, g%d)", op->target, op->target);
	if (op->variant == 2 || c->foreign || any_changed(r)) {
		r->trace.looser[r->trace.count - 1] = 1;
		c->foreign = 1;
	}
	if (result == CUDA_SUCCESS) {
		c->in_exec = effects;
		note(r, result, "(nothing to be done anew)");
	} else {
		c->foreign = 1;
		instantiate(r, c, graph, &effects, op->target);
	}
	cuGraphDestroy(graph);
}

static void clone(struct run *r, const struct op *op)
{
	struct capture *c = &r->capture[op->target];
	CUgraphExec exec;
	CUgraph copy;

	if (!c->graph || note(r, cuGraphClone(&copy, c->graph), "cuGraphClone(&g, g%d)",
	                      op->target) != CUDA_SUCCESS)
		return;
	if (note(r, cuGraphInstantiateWithFlags(&exec, copy, 0),
	         "cuGraphInstantiateWithFlags(&clone%d, g)",
	         op->target) == CUDA_SUCCESS) {
		if (launch(r, exec, "clone", op->target, op->stream))
			effects_run(&c->in_graph, r->picture);
		cuGraphExecDestroy(exec);
	}
	cuGraphDestroy(copy);
}

/* As two child graphs, one behind the other. */
static void nest(struct run *r, const struct op *op)
{
	struct capture *c = &r->capture[op->target];
	CUgraphNode first, second;
	CUgraphExec exec;
	CUgraph outer;

	if (!c->graph)
		return;
	must(cuGraphCreate(&outer, 0));
	if (note(r, cuGraphAddChildGraphNode(&first, outer, NULL, 0, c->graph),
	         "cuGraphAddChildGraphNode(&n, g, first, g%d)",
	         op->target) == CUDA_SUCCESS &&
	    note(r, cuGraphAddChildGraphNode(&second, outer, &first, 1, c->graph),
	         "cuGraphAddChildGraphNode(&n, g, second, g%d)",
	         op->target) == CUDA_SUCCESS &&
	    note(r, cuGraphInstantiateWithFlags(&exec, outer, 0),
	         "cuGraphInstantiateWithFlags(&nest%d, g)",
	         op->target) == CUDA_SUCCESS) {
		if (launch(r, exec, "nest", op->target, op->stream)) {
			effects_run(&c->in_graph, r->picture);
			effects_run(&c->in_graph, r->picture);
		}
		cuGraphExecDestroy(exec);
	}
	cuGraphDestroy(outer);
}

static int same_shape(const struct effects *list, int node, const struct place *at)
{
	size_t i;

	for (i = 0; i < list->count; i++) {
		const struct place *was = &list->at[i].at;

		if (list->at[i].op == node)
			return was->space == at->space &&
			       was->set.elem == at->set.elem &&
			       was->set.width == at->set.width &&
			       was->set.height == at->set.height;
	}
	return 0;
}

/*
 * What a memset node of an executable graph may become depends on what has been set
 * aside for it; a fill may become anything.  Where the two may differ, both runs go on
 * with a new executable graph.
 */
static void loose_end(struct run *r, struct capture *c, const struct op *op)
{
	r->trace.looser[r->trace.count - 1] = 1;
	instantiate(r, c, c->graph, &c->in_graph, op->target);
	c->foreign = 0;
}

static void node_parameters(struct run *r, const struct op *op)
{
	struct capture *c = &r->capture[op->target];
	const int in_exec = op->kind == OP_EXEC_PARAMS;
	const struct place *at = &op->at[0];
	CUDA_MEMSET_NODE_PARAMS params = node_params(at);
	CUresult result;

	/* Whose node it is is unknown once an update may have made a new one. */
	if (!c->graph || !c->node[op->node] || (in_exec && (!c->exec || c->foreign)))
		return;
	if (in_exec)
		result = cuGraphExecMemsetNodeSetParams(c->exec, c->node[op->node],
		                                        &params, world.ctx);
	else
		result = cuGraphMemsetNodeSetParams(c->node[op->node], &params);
	note(r, result,
	     "%s(n%d, %s+%#llx, %#x, elements of %u, width %zu, height %zu, "
	     "pitch %zu)",
	     in_exec ? "cuGraphExecMemsetNodeSetParams" : "cuGraphMemsetNodeSetParams",
	     op->node, space_name[at->space], (unsigned long long)at->set.dst,
	     at->set.value, at->set.elem, at->set.width, at->set.height, at->set.pitch);
	if (in_exec && (!same_shape(&c->in_exec, op->node, at) ||
	                !same_shape(&c->in_graph, op->node, at))) {
		loose_end(r, c, op);
		return;
	}
	if (result != CUDA_SUCCESS)
		return;
	c->changed = 1;
	effects_change(in_exec ? &c->in_exec : &c->in_graph, op->node, at);
}

static void eager(struct run *r, int i)
{
	const struct op *op = &r->p->op[i];
	struct effects one = {0};

	if (call_memory(r, i, &op->at[0], 0) == CUDA_SUCCESS &&
	    wait(r, op->stream) == CUDA_SUCCESS) {
		effects_add(&one, op->kind, i, &op->at[0]);
		effects_run(&one, r->picture);
	}
}

static void between(struct run *r, int i)
{
	const struct op *op = &r->p->op[i];
	struct capture *c = &r->capture[op->target];
	int times;

	switch (op->kind) {
	case OP_LAUNCH:
		for (times = op->times; c->exec && times > 0; times--)
			if (launch(r, c->exec, "x", op->target, op->stream))
				effects_run(&c->in_exec, r->picture);
		break;
	case OP_UPDATE:
		update(r, op);
		break;
	case OP_INSTANTIATE:
		if (c->graph) {
			instantiate(r, c, c->graph, &c->in_graph, op->target);
			c->foreign = 0;
		}
		break;
	case OP_CLONE:
		clone(r, op);
		break;
	case OP_NEST:
		nest(r, op);
		break;
	case OP_NODE_PARAMS:
	case OP_EXEC_PARAMS:
		node_parameters(r, op);
		break;
	default:
		eager(r, i);
	}
}

void execute(struct run *r)
{
	const struct program *p = r->p;
	int i, next = 0;

	memset(r->capture, 0, sizeof r->capture);
	r->trace.count = 0;
	r->kernels = r->graphs = 0;
	memcpy(r->picture, world.dirt + p->seed % 256, PICTURE);
	memcpy(r->memory, r->picture, PICTURE);
	world_write(r->picture);
	for (i = 0; i < p->count; i++) {
		if (p->op[i].dropped)
			continue;
		if (p->op[i].capture < 0)
			between(r, i);
		else if (p->op[i].capture >= next) {
			next = p->op[i].capture + 1;
			first_capture(r, p->op[i].capture);
		}
	}
	for (i = 0; i < CAPTURES; i++) {
		drop_exec(&r->capture[i]);
		if (r->capture[i].graph)
			cuGraphDestroy(r->capture[i].graph);
	}
	world_read(r->memory);
}
