/* SPDX-License-Identifier: MIT */
/*
 * generate.c - a program from a seed.
 */
#include <string.h>

#include "search.h"

struct generator {
	struct program *p;
	uint64_t random;
	unsigned int features;
	int graph_memory; /* is there, in the capture that is made */
	int children;
};

static struct op *append(struct generator *g, enum kind kind, int capture)
{
	struct op *op = &g->p->op[g->p->count++];

	*op = (struct op){.kind = kind, .capture = capture, .node = -1};
	return op;
}

static int room(const struct generator *g)
{
	return MAX_OPS - 6 - g->p->count;
}

static int chance(struct generator *g, unsigned int one_in)
{
	return !pick(&g->random, one_in);
}

static int stream(struct generator *g)
{
	return chance(g, 2) ? 0 : (int)pick(&g->random, STREAMS);
}

/* The place of an operation that touches memory, and what it becomes when varied. */
static int give_place(struct generator *g, struct op *op)
{
	struct place *at = op->at;

	at[0] = pick_place(&g->random, g->features, g->graph_memory > 0);
	if (op->kind == OP_COPY || op->kind == OP_COPY_KERNEL) {
		if (!pick_source(&g->random, g->features, &at[0], g->graph_memory > 0))
			return 0;
	} else if (op->kind == OP_ADD) {
		at[0].set = (struct drv_set){.elem = 1,
		                             .dst = at[0].set.dst,
		                             .width = drv_span(&at[0].set),
		                             .height = 1,
		                             .value = at[0].set.value & 0xff};
	}
	vary(&g->random, at, op->kind == OP_SET || op->kind == OP_NODE ? 2 : 0);
	/* What is odd is so in every variant. */
	if (op->kind == OP_SET && chance(g, 24) &&
	    make_odd(&g->random, &at[0], op->capture >= 0)) {
		op->odd = 1;
		at[1] = at[2] = at[0];
	}
	return 1;
}

/* A node's value has to fit its element; its pitch has to be right in every case. */
static void node_values(struct op *op)
{
	int v;

	for (v = 0; v < VARIANTS; v++) {
		struct drv_set *set = &op->at[v].set;

		if (set->elem < 4)
			set->value &= (1u << (8 * set->elem)) - 1;
		set->twin = 0;
		if (set->pitch < set->width * set->elem)
			set->pitch = set->width * set->elem;
	}
}

static enum kind captured_kind(struct generator *g, int capture)
{
	unsigned int roll = pick(&g->random, 32);

	if (roll < 13)
		return OP_SET;
	if (roll < 17)
		return OP_ADD;
	if (roll < 19)
		return OP_COPY_KERNEL;
	if (roll < 22)
		return OP_COPY;
	if (roll < 26)
		return OP_EDGE;
	if (roll < 29)
		return g->features & FEATURE_NODES ? OP_NODE : OP_SET;
	if (roll < 31) {
		if (!(g->features & FEATURE_GRAPH_MEMORY) || g->graph_memory < 0)
			return OP_SET;
		return g->graph_memory ? OP_FREE : OP_ALLOC;
	}
	return capture > 0 && !g->children ? OP_CHILD : OP_COPY;
}

/* 0 when it would run side by side with what it must not. */
static int try_captured(struct generator *g, int capture)
{
	struct op *op = append(g, captured_kind(g, capture), capture);
	int had_memory = g->graph_memory;

	op->stream = stream(g);
	op->programmatic = (g->features & FEATURE_PROGRAMMATIC) && chance(g, 3);
	if (op->kind == OP_EDGE)
		op->other =
		    (op->stream + 1 + (int)pick(&g->random, STREAMS - 1)) % STREAMS;
	if (op->kind == OP_CHILD)
		op->target = (int)pick(&g->random, (unsigned int)capture);
	if (op->kind == OP_NODE) {
		g->graph_memory = 0; /* there is none before and behind the capture */
		op->early = g->p->to_graph[capture] && chance(g, 2);
	}
	if (op->kind == OP_ALLOC || op->kind == OP_FREE) {
		op->at[0].set.value = op->at[1].set.value = op->at[2].set.value =
		    (unsigned int)random_next(&g->random) & 0xff;
	} else if (op_touches_memory(op) && op->kind != OP_CHILD) {
		int placed = give_place(g, op);

		g->graph_memory = had_memory;
		if (!placed)
			return 0;
	}
	if (op->kind == OP_NODE)
		node_values(op);
	if (!orderly(g->p))
		return 0;
	if (op->kind == OP_ALLOC)
		g->graph_memory = 1;
	if (op->kind == OP_FREE)
		g->graph_memory = -1; /* once in a capture */
	g->children += op->kind == OP_CHILD;
	return 1;
}

static void make_capture(struct generator *g, int capture)
{
	static const CUstreamCaptureMode modes[] = {CU_STREAM_CAPTURE_MODE_GLOBAL,
	                                            CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
	                                            CU_STREAM_CAPTURE_MODE_RELAXED};
	int wanted = 1 + (int)pick(&g->random, 8), tries = 3 * wanted;

	g->graph_memory = g->children = 0;
	g->p->mode[capture] = modes[pick(&g->random, 3)];
	g->p->to_graph[capture] = (g->features & FEATURE_TO_GRAPH) && chance(g, 4);
	while (wanted > 0 && tries-- > 0 && room(g) > 0) {
		int count = g->p->count;

		if (try_captured(g, capture))
			wanted--;
		else
			g->p->count = count;
	}
	g->graph_memory = 0;
}

/* An explicit node of the capture's, or -1. */
static int a_node(struct generator *g, int capture)
{
	int found = -1, i;

	for (i = 0; i < g->p->count; i++)
		if (g->p->op[i].kind == OP_NODE && g->p->op[i].capture == capture &&
		    (found < 0 || chance(g, 2)))
			found = i;
	return found;
}

static void launch(struct generator *g, int target)
{
	struct op *op = append(g, OP_LAUNCH, -1);

	op->target = target;
	op->stream = stream(g);
	op->times = chance(g, 3) ? 2 : 1;
}

static void eager(struct generator *g)
{
	static const enum kind kinds[] = {OP_SET, OP_SET, OP_ADD, OP_COPY,
	                                  OP_COPY_KERNEL};
	struct op *op = append(g, kinds[pick(&g->random, 5)], -1);

	op->stream = stream(g);
	if (!give_place(g, op) || !orderly(g->p))
		g->p->count--;
}

/* New parameters for a node, in the graph or in the executable one. */
static void node_parameters(struct generator *g, enum kind kind, int target, int node)
{
	struct op *op = append(g, kind, -1);

	op->target = target;
	op->node = node;
	if (kind == OP_EXEC_PARAMS)
		op->at[0] = vary_node(&g->random, &g->p->op[node].at[0],
		                      (g->features & FEATURE_EXEC_WIDTH) != 0);
	else
		op->at[0] = pick_place(&g->random, g->features, 0);
	node_values(op);
}

static void between(struct generator *g, int captures)
{
	int target = (int)pick(&g->random, (unsigned int)captures);
	unsigned int roll = pick(&g->random, 12);
	int node = a_node(g, target);

	if (roll < 2) {
		eager(g);
	} else if (roll < 5 && (g->features & FEATURE_UPDATE)) {
		struct op *op = append(g, OP_UPDATE, -1);

		op->target = target;
		op->variant = (int)pick(&g->random, VARIANTS);
		launch(g, target);
	} else if (roll == 5 && (g->features & FEATURE_CLONE)) {
		append(g, OP_CLONE, -1)->target = target;
	} else if (roll == 6 && (g->features & FEATURE_NEST)) {
		append(g, OP_NEST, -1)->target = target;
	} else if (roll < 9 && node >= 0) {
		node_parameters(g, OP_NODE_PARAMS, target, node);
		if (chance(g, 2))
			append(g, OP_INSTANTIATE, -1)->target = target;
		launch(g, target);
	} else if (roll < 11 && node >= 0 && (g->features & FEATURE_EXEC_PARAMS)) {
		node_parameters(g, OP_EXEC_PARAMS, target, node);
		launch(g, target);
	} else {
		launch(g, target);
	}
}

/* The memset that goes wrong in the self-check: one that can. */
static void choose_corrupted(struct program *p, enum corruption how)
{
	int i;

	p->corrupted = -1;
	for (i = 0; i < p->count; i++)
		if (how != CORRUPT_NOTHING && p->op[i].kind == OP_SET &&
		    p->op[i].capture >= 0 && !p->op[i].odd &&
		    (how != CORRUPT_WIDTH || p->op[i].at[0].set.width > 1) &&
		    (how != CORRUPT_PLACE ||
		     p->op[i].at[0].set.dst >= p->op[i].at[0].set.elem))
			p->corrupted = i;
}

void generate(struct program *p, uint64_t seed, unsigned int features,
              enum corruption corruption)
{
	struct generator g = {.p = p, .features = features};
	int captures, c, more;

	memset(p, 0, sizeof *p);
	p->seed = seed;
	g.random = seed * 0x2545f4914f6cdd1du + 1;
	captures = (int)pick(&g.random, 8);
	captures = captures < 4 ? 1 : captures < 7 ? 2 : 3;
	for (c = 0; c < captures; c++) {
		make_capture(&g, c);
		launch(&g, c);
		for (more = (int)pick(&g.random, 3); more > 0 && room(&g) > 0; more--)
			between(&g, c + 1);
	}
	choose_corrupted(p, corruption);
}
