/* SPDX-License-Identifier: MIT */
/* gap_rows.c - from visits to nodes, from nodes to rows. */
#include "gap_rows.h"

#include <stdlib.h>
#include <string.h>

/* One graph node: its visits are next to each other. */
struct node {
	const struct visit *visits;
	size_t n;
	uint64_t bytes;
	uint32_t before, name, after;
	uint8_t kind, engine;
};

static float bubble_of(const struct visit *visit)
{
	return visit->lead + visit->exposed + visit->tail;
}

/* See gap.h.  A fill is what a memset could become: there is nothing to recover. */
static double recoverable_of(const struct visit *visit, const struct gap_graph *graph)
{
	double rest = bubble_of(visit) - visit->gaps * graph->kernel_gap.median;

	if (visit->kind == GAP_FILL)
		return 0;
	if (visit->duration > 0)
		rest -= graph->fill_ns * (double)(visit->exposed / visit->duration);
	return rest > 0 ? rest : 0;
}

static int by_node(const void *a, const void *b)
{
	const struct visit *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return (x->replay > y->replay) - (x->replay < y->replay);
}

static int by_key(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

#define BY(field)                 \
	if (x->field != y->field) \
	return x->field < y->field ? -1 : 1
	BY(kind);
	BY(name);
	BY(before);
	BY(after);
	BY(bytes);
	BY(engine);
#undef BY
	return 0;
}

static int by_gain(const void *a, const void *b)
{
	const struct gap_row *x = a, *y = b;
	double mine = x->recoverable, yours = y->recoverable;

	if (mine == yours) {
		mine = x->bubble.median * x->nodes;
		yours = y->bubble.median * y->nodes;
	}
	return (mine < yours) - (mine > yours);
}

/*
 * The neighbour that most visits have.  Which node of another branch ends last can
 * differ from replay to replay; the table wants one line for one node.
 */
static uint32_t majority(const struct visit *visits, size_t n, int after)
{
	uint32_t winner = NO_NAME, name;
	size_t lead = 0, i;

	for (i = 0; i < n; i++) {
		name = after ? visits[i].after : visits[i].before;
		if (lead == 0)
			winner = name;
		if (winner == name)
			lead++;
		else
			lead--;
	}
	return winner;
}

static size_t find_nodes(struct node *nodes, const struct tally *tally)
{
	const struct visit *visits = tally->visits;
	size_t first, end, n = 0;

	for (first = 0; first < tally->n_visits; first = end) {
		const struct visit *visit = &visits[first];

		for (end = first + 1; end < tally->n_visits; end++)
			if (visits[end].node != visit->node)
				break;
		nodes[n] = (struct node){
		    .visits = visit,
		    .n = end - first,
		    .bytes = visit->bytes,
		    .before = majority(visit, end - first, 0),
		    .name = visit->name,
		    .after = majority(visit, end - first, 1),
		    .kind = visit->kind,
		    .engine = visit->engine,
		};
		n++;
	}
	return n;
}

static char *copy_name(const char *const *names, uint32_t name)
{
	return strdup(name == NO_NAME ? "" : names[name]);
}

enum { DURATION, LEAD, TAIL, BUBBLE, QUANTITIES };

/* nodes: those of one row.  values: room for all visits, four times. */
static int make_row(struct gap_row *row, const struct node *nodes, size_t n,
                    const struct gap_graph *graph, const char *const *names,
                    double *values, size_t room)
{
	struct gap_spread *spreads[] = {&row->duration, &row->lead, &row->tail,
	                                &row->bubble};
	size_t i, k, count = 0;

	for (i = 0; i < n; i++) {
		for (k = 0; k < nodes[i].n; k++, count++) {
			const struct visit *visit = &nodes[i].visits[k];

			values[DURATION * room + count] = visit->duration;
			values[LEAD * room + count] = visit->lead;
			values[TAIL * room + count] = visit->tail;
			values[BUBBLE * room + count] = bubble_of(visit);
			row->hidden += bubble_of(visit) == 0;
			row->recoverable += recoverable_of(visit, graph);
		}
	}
	for (i = 0; i < QUANTITIES; i++)
		*spreads[i] = gap_spread_of(values + i * room, count);
	row->hidden /= graph->used;
	row->recoverable /= graph->used;
	row->nodes = (double)count / graph->used;
	row->kind = nodes->kind;
	row->engine = nodes->engine;
	row->bytes = nodes->bytes;
	row->before = copy_name(names, nodes->before);
	row->name = copy_name(names, nodes->name);
	row->after = copy_name(names, nodes->after);
	return row->before && row->name && row->after ? 0 : -1;
}

static int make_rows(struct gap_graph *graph, struct node *nodes, size_t n,
                     const char *const *names, double *values, size_t room)
{
	size_t first, end;

	qsort(nodes, n, sizeof *nodes, by_key);
	graph->rows = calloc(n ? n : 1, sizeof *graph->rows);
	if (!graph->rows)
		return -1;
	for (first = 0; first < n; first = end) {
		for (end = first + 1; end < n; end++)
			if (by_key(&nodes[first], &nodes[end]) != 0)
				break;
		if (make_row(&graph->rows[graph->n_rows++], nodes + first, end - first,
		             graph, names, values, room) != 0)
			return -1;
	}
	qsort(graph->rows, graph->n_rows, sizeof *graph->rows, by_gain);
	return 0;
}

/* The medians over the replays of what all memsets in one add up to. */
static void make_totals(struct gap_graph *graph, const struct tally *tally,
                        double *values)
{
	double *hidden = values, *bubble = hidden + graph->used;
	double *idle = bubble + graph->used, *gain = idle + graph->used;
	size_t i;

	memset(values, 0, 4 * (size_t)graph->used * sizeof *values);
	for (i = 0; i < tally->n_visits; i++) {
		const struct visit *visit = &tally->visits[i];

		hidden[visit->replay] += bubble_of(visit) == 0;
		bubble[visit->replay] += bubble_of(visit);
		idle[visit->replay] += visit->lead + visit->tail;
		gain[visit->replay] += recoverable_of(visit, graph);
	}
	graph->hidden = gap_spread_of(hidden, graph->used).median;
	graph->bubble = gap_spread_of(bubble, graph->used).median;
	graph->idle = gap_spread_of(idle, graph->used).median;
	graph->recoverable = gap_spread_of(gain, graph->used).median;
}

int rows_make(struct gap_graph *graph, struct tally *tally, const char *const *names)
{
	size_t room = tally->n_visits + graph->used + 1;
	struct node *nodes = malloc((tally->n_visits + 1) * sizeof *nodes);
	double *values = malloc(QUANTITIES * room * sizeof *values);
	int err = -1;

	if (nodes && values && graph->used > 0) {
		make_totals(graph, tally, values);
		if (tally->n_visits)
			qsort(tally->visits, tally->n_visits, sizeof *tally->visits,
			      by_node);
		err = make_rows(graph, nodes, find_nodes(nodes, tally), names, values,
		                room);
	}
	free(nodes);
	free(values);
	return err;
}
