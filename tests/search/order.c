/* SPDX-License-Identifier: MIT */
/*
 * order.c - who waits for whom in a capture, and whether that is enough.
 */
#include "search.h"

struct range {
	enum space space;
	size_t from, to;
	int written;
};

/* The operations that whatever comes next in a stream is ordered behind. */
struct clocks {
	uint64_t behind[STREAMS];
	int forked[STREAMS];
};

int op_touches_memory(const struct op *op)
{
	return op->kind != OP_EDGE && op->kind < OP_LAUNCH;
}

/* Rows count with the gaps between them. */
static int ranges_of(const struct op *op, int variant, struct range range[2])
{
	const struct place *at = &op->at[variant];

	switch (op->kind) {
	case OP_ALLOC:
	case OP_FREE:
		range[0] = (struct range){SPACE_GRAPH, 0, space_size[SPACE_GRAPH], 1};
		range[1] = (struct range){SPACE_DRAIN, 0, space_size[SPACE_DRAIN], 1};
		return 1 + (op->kind == OP_FREE);
	case OP_COPY:
	case OP_COPY_KERNEL:
		range[1] =
		    (struct range){at->from, at->source, at->source + at->set.width, 0};
		break;
	default:
		break;
	}
	range[0] =
	    (struct range){at->space, at->set.dst, at->set.dst + drv_span(&at->set), 1};
	return op->kind == OP_COPY || op->kind == OP_COPY_KERNEL ? 2 : 1;
}

static int meet(const struct range *a, const struct range *b)
{
	return a->space == b->space && a->from < b->to && b->from < a->to &&
	       (a->written || b->written);
}

static int conflict(const struct op *a, const struct op *b, int variant)
{
	struct range x[2], y[2];
	int n, m, i, k;

	/* It may do anything. */
	if (a->kind == OP_CHILD || b->kind == OP_CHILD)
		return 1;
	n = ranges_of(a, variant, x);
	m = ranges_of(b, variant, y);
	for (i = 0; i < n; i++)
		for (k = 0; k < m; k++)
			if (meet(&x[i], &y[k]))
				return 1;
	return 0;
}

/* Its own source and destination. */
static int overlaps_itself(const struct op *op, int variant)
{
	struct range range[2];

	return (op->kind == OP_COPY || op->kind == OP_COPY_KERNEL) &&
	       ranges_of(op, variant, range) == 2 && meet(&range[0], &range[1]);
}

/* As the executor forks: from the origin where nothing else did before. */
static void enter(struct clocks *c, int stream)
{
	if (stream && !c->forked[stream]) {
		c->forked[stream] = 1;
		c->behind[stream] = c->behind[0];
	}
}

static void edge(struct clocks *c, const struct op *op)
{
	enter(c, op->stream);
	if (!c->forked[op->other] && op->other)
		c->behind[op->other] = 0;
	c->forked[op->other] = 1;
	c->behind[op->other] |= c->behind[op->stream];
}

static int capture_orderly(const struct program *p, int capture, int variant)
{
	struct clocks c = {0};
	int i, k;

	for (i = 0; i < p->count; i++) {
		const struct op *op = &p->op[i];

		if (op->dropped || op->capture != capture || op->kind == OP_NODE)
			continue;
		if (op->kind == OP_EDGE) {
			edge(&c, op);
			continue;
		}
		if (overlaps_itself(op, variant))
			return 0;
		enter(&c, op->stream);
		for (k = 0; k < i; k++) {
			const struct op *before = &p->op[k];

			if (before->dropped || before->capture != capture ||
			    before->kind == OP_NODE || !op_touches_memory(before) ||
			    c.behind[op->stream] >> k & 1)
				continue;
			if (conflict(before, op, variant))
				return 0;
		}
		c.behind[op->stream] |= (uint64_t)1 << i;
	}
	return 1;
}

int orderly(const struct program *p)
{
	int c, v, i;

	for (c = 0; c < CAPTURES; c++)
		for (v = 0; v < VARIANTS; v++)
			if (!capture_orderly(p, c, v))
				return 0;
	/* Outside captures one waits for the other: only copies can go wrong. */
	for (i = 0; i < p->count; i++)
		if (p->op[i].capture < 0 && overlaps_itself(&p->op[i], 0))
			return 0;
	return 1;
}
