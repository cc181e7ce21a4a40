/* SPDX-License-Identifier: MIT */
/*
 * record.h - the node is the record: which memset does a kernel node stand for?
 *
 * Nothing is remembered about nodes, so the answer holds for clones, for child graphs
 * and after changes just as well.  Any thread; the program sees to it that nobody
 * destroys the node meanwhile, as for the driver's own functions.
 */
#ifndef MSS_RECORD_H
#define MSS_RECORD_H

#include "driver.h"
#include "plan.h"

/* 1 once this process has made a fill node: before that no node has to be looked at. */
int record_any(void);
void record_made(void);

/* The memset that `node` does and its context: 0, or -1 when it is not a fill. */
int record_read(CUgraphNode node, struct fill *f, CUcontext *ctx);

/* 1 when `node` is a fill. */
int record_is_fill(CUgraphNode node);

#endif
