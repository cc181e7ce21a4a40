/* SPDX-License-Identifier: MIT */
/* gap_rows.h - the visits of a graph as the rows of its table.  Internal. */
#ifndef GAP_ROWS_H
#define GAP_ROWS_H

#include "gap_replay.h"

/*
 * Fills in graph->rows and what a replay's memsets add up to (hidden, bubble, idle,
 * recoverable); graph->kernel_gap, fill_ns and used are there.  Sorts the visits.
 * 0, or -1 without memory.
 */
int rows_make(struct gap_graph *graph, struct tally *tally, const char *const *names);

#endif
