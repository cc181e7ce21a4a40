/* SPDX-License-Identifier: MIT */
/*
 * nodes.h - between a memset node's parameters and struct fill.
 */
#ifndef MSS_NODES_H
#define MSS_NODES_H

#include "driver.h"
#include "plan.h"

/* 0, or -1 for an element size or a value that no memset can have. */
int nodes_to_fill(const CUDA_MEMSET_NODE_PARAMS *set, struct fill *f);

void nodes_from_fill(const struct fill *f, CUDA_MEMSET_NODE_PARAMS *set);

/*
 * The part of cuGraphAddNode's parameters that is a memset: 0, or -1 when they are for
 * another node or not as the driver wants them (unused bytes zero).
 */
int nodes_memset_of(const CUgraphNodeParams *params, CUDA_MEMSET_NODE_PARAMS *set);

#endif
