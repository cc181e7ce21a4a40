/* SPDX-License-Identifier: MIT */
/*
 * outcome.h - what the runs of compare come to.  Pure: samples in, figures out.
 *
 * Times are ns.  The result is from graph level, where tracing costs next to nothing;
 * the explanation is from node level, where it costs much, and unevenly.
 */
#ifndef OUTCOME_H
#define OUTCOME_H

#include "sample.h"
#include "verdict.h"

struct graph_outcome {
	uint32_t id;    /* in the first run without the library */
	uint32_t nodes; /* without it */
	uint32_t memsets_before, memsets_after;
	unsigned replays;
	double before, after; /* a replay: medians over the runs of their medians */
	int by_events;        /* timed between events: a graph of memsets alone */
	int starts_late; /* begins with a memset, which CUPTI leaves out of `before` */

	/* Of the two runs at node level; else 0. */
	double traced_before, traced_after; /* a replay, at node level */
	double recoverable; /* by the run without the library, at node level */
	double predicted;   /* that, less what tracing adds: see outcome.c */
};

struct outcome {
	struct estimate ratio; /* after / before, one of each pair of runs */
	enum verdict verdict;
	double *ratios;                 /* in the order of the pairs; n as in ratio */
	double before, after;           /* all replays of one run: medians */
	double wall_before, wall_after; /* seconds: medians */
	struct graph_outcome *graphs;
	unsigned n_graphs;
	int explained;     /* the node level's figures are there */
	int same_output;   /* stdout was the same in all kept runs */
	const char *doubt; /* why runs cannot be matched graph by graph, or NULL */
};

/*
 * pairs: n pairs at graph level, without the library first.  nodes: two samples at node
 * level, or NULL.  0, or -1 without memory.
 */
int outcome_make(struct outcome *outcome, const struct sample *pairs, unsigned n,
                 const struct sample *nodes, double margin);

void outcome_free(struct outcome *outcome);

#endif
