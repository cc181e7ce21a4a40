/* SPDX-License-Identifier: MIT */
#include "gap_compare.h"

#include <stdlib.h>

static unsigned count_replayed(const struct gap_report *report)
{
	unsigned i, n = 0;

	for (i = 0; i < report->n_graphs; i++)
		n += report->graphs[i].used > 0;
	return n;
}

static const struct gap_graph *next_replayed(const struct gap_report *report,
                                             unsigned *at)
{
	while (report->graphs[*at].used == 0)
		(*at)++;
	return &report->graphs[(*at)++];
}

struct gap_match *gap_match(const struct gap_report *a, const struct gap_report *b,
                            unsigned *n)
{
	unsigned i, at_a = 0, at_b = 0;
	struct gap_match *matches;

	*n = count_replayed(a);
	if (*n == 0 || *n != count_replayed(b))
		return NULL;
	matches = calloc(*n, sizeof *matches);
	for (i = 0; matches && i < *n; i++) {
		matches[i].a = next_replayed(a, &at_a);
		matches[i].b = next_replayed(b, &at_b);
	}
	return matches;
}

double gap_total(const struct gap_report *report)
{
	double total = 0;
	unsigned i;

	for (i = 0; i < report->n_graphs; i++)
		total += report->graphs[i].replay.median * report->graphs[i].replays;
	return total;
}

double gap_inflation(const struct gap_report *node, const struct gap_report *graph)
{
	double with = 0, without = 0;
	struct gap_match *matches;
	unsigned i, n;

	matches = gap_match(node, graph, &n);
	for (i = 0; matches && i < n; i++) {
		with += matches[i].a->replay.median * matches[i].b->replays;
		without += matches[i].b->replay.median * matches[i].b->replays;
	}
	free(matches);
	return without > 0 ? with / without : 0;
}
