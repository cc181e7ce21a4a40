/* SPDX-License-Identifier: MIT */
/*
 * fill.h - capture a fill kernel in the place of a memset.
 */
#ifndef MSS_FILL_H
#define MSS_FILL_H

#include "driver.h"
#include "plan.h"
#include "stats.h"

/*
 * 1 when `stream` is being captured and a fill kernel now stands in the capture for *f.
 * 0 when the driver's own memset has to be called, with nothing changed: the stream is
 * not being captured, or there is any doubt (reasons.def), which is counted.
 * `stream` is an explicit handle (capture.h); `caller` is an address in the caller.
 * Any thread.
 */
int fill_captured(const struct fill *f, CUstream stream, const void *caller);

/* The parameters of a kernel node that does a memset, and what they point to. */
struct fill_node {
	CUDA_KERNEL_NODE_PARAMS node;
	struct plan plan;
	void *params[PLAN_PARAMS];
};

/*
 * SUBSTITUTED when a kernel of `ctx` may do *f: shape, size and memory; else the
 * reason. Whatever context is current.
 */
enum reason fill_allowed(const struct fill *f, CUcontext ctx);

/* The same of the memory alone. */
enum reason fill_memory(const struct fill *f, CUcontext ctx);

/* Fills in *n for a node in `ctx`, which must stay where it is: SUBSTITUTED, or why
 * not. */
enum reason fill_node(const struct fill *f, CUcontext ctx, struct fill_node *n);

/* The substitution's switch: former state returned. */
int fill_enable(int on);
int fill_enabled(void);

#endif
