/* SPDX-License-Identifier: MIT */
#include "outcome.h"

#include <stdlib.h>
#include <string.h>

static double median_of(double *values, size_t n)
{
	return gap_spread_of(values, n).median;
}

/* The counter times these between events: CUPTI does not (gapcount/events.h). */
static int is_by_events(const struct gap_graph *graph)
{
	return graph->nodes[GAP_MEMSET] + graph->nodes[GAP_FILL] > 0 &&
	       graph->nodes[GAP_KERNEL] + graph->nodes[GAP_MEMCPY] == 0;
}

/* All replays of a run: each graph's median, as often as `weights` replays it. */
static double total_of(const struct gap_graph **graphs,
                       const struct gap_graph **weights, unsigned n)
{
	double total = 0;
	unsigned i;

	for (i = 0; i < n; i++)
		total += graphs[i]->replay.median * weights[i]->replays;
	return total;
}

static uint32_t nodes_of(const struct gap_graph *graph)
{
	uint32_t sum = 0;
	unsigned kind;

	for (kind = 0; kind < GAP_KINDS; kind++)
		sum += graph->nodes[kind];
	return sum;
}

/* The graphs of every sample; lists[i] is malloc()ed. */
struct lists {
	const struct gap_graph ***graphs;
	unsigned *n;
	unsigned samples;
};

static int lists_make(struct lists *lists, const struct sample *samples, unsigned n)
{
	unsigned i;

	lists->samples = n;
	lists->graphs = calloc(n, sizeof *lists->graphs);
	lists->n = calloc(n, sizeof *lists->n);
	for (i = 0; lists->graphs && lists->n && i < n; i++) {
		lists->graphs[i] = sample_graphs(&samples[i], &lists->n[i]);
		if (!lists->graphs[i])
			return -1;
	}
	return lists->graphs && lists->n ? 0 : -1;
}

static void lists_free(struct lists *lists)
{
	unsigned i;

	for (i = 0; lists->graphs && i < lists->samples; i++)
		free(lists->graphs[i]);
	free(lists->graphs);
	free(lists->n);
}

static const char *find_doubt(const struct lists *lists)
{
	unsigned i;

	for (i = 1; i < lists->samples; i++)
		if (lists->n[i] != lists->n[0])
			return "the runs replayed different numbers of graphs: only "
			       "their sums are compared";
	return NULL;
}

/* before and after are taken in turn: samples 0 and 1 are a pair, and so on. */
static void compare_pairs(struct outcome *outcome, const struct lists *lists,
                          const struct sample *samples, double *scratch)
{
	size_t pairs = lists->samples / 2, i;
	double *before = scratch, *after = before + pairs;
	double *wall_before = after + pairs, *wall_after = wall_before + pairs;

	for (i = 0; i < pairs; i++) {
		size_t a = 2 * i, b = a + 1;

		before[i] = total_of(lists->graphs[a], lists->graphs[a], lists->n[a]);
		after[i] = total_of(
		    lists->graphs[b],
		    outcome->doubt ? lists->graphs[b] : lists->graphs[a], lists->n[b]);
		outcome->ratios[i] = before[i] > 0 ? after[i] / before[i] : 0;
		wall_before[i] = samples[a].wall;
		wall_after[i] = samples[b].wall;
	}
	outcome->before = median_of(before, pairs);
	outcome->after = median_of(after, pairs);
	outcome->wall_before = median_of(wall_before, pairs);
	outcome->wall_after = median_of(wall_after, pairs);
}

static int make_graphs(struct outcome *outcome, const struct lists *lists,
                       double *scratch)
{
	size_t pairs = lists->samples / 2, i;
	unsigned g;

	if (outcome->doubt || lists->samples < 2)
		return 0;
	outcome->graphs = calloc(lists->n[0] + 1, sizeof *outcome->graphs);
	if (!outcome->graphs)
		return -1;
	outcome->n_graphs = lists->n[0];
	for (g = 0; g < outcome->n_graphs; g++) {
		struct graph_outcome *graph = &outcome->graphs[g];

		graph->id = lists->graphs[0][g]->id;
		graph->nodes = nodes_of(lists->graphs[0][g]);
		graph->replays = lists->graphs[0][g]->replays;
		graph->by_events = is_by_events(lists->graphs[0][g]);
		graph->memsets_before = lists->graphs[0][g]->nodes[GAP_MEMSET];
		graph->memsets_after = lists->graphs[1][g]->nodes[GAP_MEMSET];
		for (i = 0; i < pairs; i++)
			scratch[i] = lists->graphs[2 * i][g]->replay.median;
		graph->before = median_of(scratch, pairs);
		for (i = 0; i < pairs; i++)
			scratch[i] = lists->graphs[2 * i + 1][g]->replay.median;
		graph->after = median_of(scratch, pairs);
	}
	return 0;
}

/*
 * Tracing makes a memset node longer by more than a kernel node, so a memset's bubble
 * at node level is longer than in truth.  What tracing adds to a replay is known, from
 * its times at both levels.  Were all nodes kernels, it would add to each what it adds
 * to a kernel of this graph, as the runs with the library show.  What it adds beyond
 * that is spread over the time in which no kernel ran; the bubbles' share of it comes
 * off what the memsets seem to cost.
 */
static double predict(const struct graph_outcome *graph, const struct gap_graph *before,
                      uint32_t nodes_after)
{
	double added_before = graph->traced_before - graph->before;
	double added_after = graph->traced_after - graph->after;
	double a_kernel = nodes_after ? added_after / nodes_after : 0;
	double beyond = added_before - a_kernel * graph->nodes;
	double kernelless = before->bubble + before->kernel_idle;
	double rest = graph->recoverable;

	if (kernelless <= 0)
		return 0;
	if (beyond > 0)
		rest -= beyond * before->bubble / kernelless;
	return rest > 0 ? rest : 0;
}

static int begins_with_memset(const struct gap_graph *graph)
{
	return graph->median.n_slots > 0 && graph->median.slots[0].kind == GAP_MEMSET;
}

static int explain(struct outcome *outcome, const struct sample *nodes)
{
	struct lists lists = {0};
	int err = lists_make(&lists, nodes, 2);
	unsigned g;

	if (!err && !outcome->doubt && lists.n[0] == outcome->n_graphs &&
	    lists.n[1] == outcome->n_graphs) {
		outcome->explained = 1;
		for (g = 0; g < outcome->n_graphs; g++) {
			struct graph_outcome *graph = &outcome->graphs[g];
			const struct gap_graph *before = lists.graphs[0][g];
			const struct gap_graph *after = lists.graphs[1][g];

			graph->memsets_before = before->nodes[GAP_MEMSET];
			graph->memsets_after = after->nodes[GAP_MEMSET];
			graph->traced_before = before->replay.median;
			graph->traced_after = after->replay.median;
			graph->recoverable = before->recoverable;
			graph->predicted = predict(graph, before, nodes_of(after));
			graph->starts_late =
			    !graph->by_events && begins_with_memset(before);
		}
	}
	lists_free(&lists);
	return err;
}

static int same_output(const struct sample *samples, unsigned n)
{
	unsigned i;

	for (i = 1; i < n; i++)
		if (samples[i].out_hash != samples[0].out_hash)
			return 0;
	return 1;
}

int outcome_make(struct outcome *outcome, const struct sample *pairs, unsigned n,
                 const struct sample *nodes, double margin)
{
	struct lists lists = {0};
	double *scratch = calloc(4 * (size_t)n + 1, sizeof *scratch);
	double *sorted = calloc((size_t)n + 1, sizeof *sorted);
	int err = -1;

	memset(outcome, 0, sizeof *outcome);
	outcome->ratios = calloc((size_t)n + 1, sizeof *outcome->ratios);
	if (n == 0 || !scratch || !sorted || !outcome->ratios ||
	    lists_make(&lists, pairs, 2 * n) != 0)
		goto out;
	outcome->doubt = find_doubt(&lists);
	compare_pairs(outcome, &lists, pairs, scratch);
	memcpy(sorted, outcome->ratios, n * sizeof *sorted);
	outcome->ratio = estimate_of(sorted, n);
	outcome->verdict =
	    outcome->before > 0 ? verdict_of(&outcome->ratio, margin) : VERDICT_UNCLEAR;
	outcome->same_output = same_output(pairs, 2 * n);
	err = make_graphs(outcome, &lists, scratch);
	if (!err && nodes)
		err = explain(outcome, nodes);
out:
	lists_free(&lists);
	free(scratch);
	free(sorted);
	return err;
}

void outcome_free(struct outcome *outcome)
{
	free(outcome->ratios);
	free(outcome->graphs);
	memset(outcome, 0, sizeof *outcome);
}
