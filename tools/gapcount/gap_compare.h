/* SPDX-License-Identifier: MIT */
/*
 * gap_compare.h - two reports of the same program beside each other.
 *
 * Graphs are matched by their order: an id says only when a graph was made.  A match
 * has as many nodes in both, unless it is not known in one.
 */
#ifndef GAP_COMPARE_H
#define GAP_COMPARE_H

#include "gap.h"

struct gap_match {
	const struct gap_graph *a, *b;
};

/*
 * The replayed graphs of a and b in pairs, malloc()ed; *n of them.  NULL where there is
 * none, where their numbers differ (then nothing can be matched) or without memory.
 */
struct gap_match *gap_match(const struct gap_report *a, const struct gap_report *b,
                            unsigned *n);

/* What a replay of each graph takes, times its replays, summed up: ns. */
double gap_total(const struct gap_report *report);

/* How much longer replays take in `node` than in `graph`; 0 where it cannot be told. */
double gap_inflation(const struct gap_report *node, const struct gap_report *graph);

#endif
