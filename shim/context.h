/* SPDX-License-Identifier: MIT */
/*
 * context.h - another context current for a while.
 */
#ifndef MSS_CONTEXT_H
#define MSS_CONTEXT_H

#include "driver.h"

struct context_while {
	int pushed;
};

/*
 * Makes `ctx` current until context_leave().  0, or -1 with nothing changed: the thread
 * has no current context that lives, in which case the driver's own call decides, or
 * the driver refused.
 */
int context_enter(struct context_while *w, CUcontext ctx);
void context_leave(const struct context_while *w);

#endif
