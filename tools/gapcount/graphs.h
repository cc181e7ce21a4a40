/* SPDX-License-Identifier: MIT */
/*
 * graphs.h - what the nodes of a graph are, asked of the driver before it is
 * instantiated.
 *
 * CUPTI's own word for it, in the callback for a node's making, is "kernel" for every
 * captured node (seen with 13.0), so it is not enough.
 */
#ifndef GRAPHS_H
#define GRAPHS_H

#include "libcupti.h"
#include "gap.h"

/* Tells the store of each node of a CUgraph, child graphs included. */
void graphs_learn(const struct cupti *cupti, void *graph);

/* From CUgraphNodeType. */
enum gap_kind graphs_kind(int node_type);

#endif
