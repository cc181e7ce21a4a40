/* SPDX-License-Identifier: MIT */
#include "fill.h"

#include "capture.h"
#include "config.h"
#include "context.h"
#include "guard.h"
#include "image.h"
#include "memory.h"
#include "record.h"
#include "stats.h"

static atomic_int switched_off;

int fill_enabled(void)
{
	return !atomic_load_explicit(&switched_off, memory_order_relaxed);
}

int fill_enable(int on)
{
	return !atomic_exchange(&switched_off, !on);
}

static enum reason reason_of(enum plan_result result)
{
	switch (result) {
	case PLAN_OK:
		return SUBSTITUTED;
	case PLAN_EMPTY:
		return REASON_EMPTY;
	case PLAN_MISALIGNED:
		return REASON_MISALIGNED;
	case PLAN_TOO_LARGE:
		return REASON_GRID;
	case PLAN_SHAPE:
		break;
	}
	return REASON_SHAPE;
}

/* May a kernel do *f?  The current context is `ctx`. */
static enum reason allowed(const struct fill *f, CUcontext ctx, cuuint64_t capture)
{
	uint64_t span;
	enum reason reason = reason_of(fill_span(f, &span));

	if (reason != SUBSTITUTED)
		return reason;
	if (fill_bytes(f) > config.max_bytes)
		return REASON_MAX_BYTES;
	return memory_check(f->dst, span, ctx, capture);
}

/* The launch that does *f. */
static enum reason prepare(const struct fill *f, struct plan *p, CUkernel *kernel)
{
	enum reason reason = reason_of(plan_fill(f, p));

	if (reason != SUBSTITUTED)
		return reason;
	*kernel = image_kernel(p->kernel);
	if (!*kernel)
		return REASON_IMAGE;
	/* Before there is a node that another thread could ask about. */
	record_made();
	return SUBSTITUTED;
}

enum reason fill_node(const struct fill *f, CUcontext ctx, struct fill_node *n)
{
	CUkernel kernel;
	enum reason reason = prepare(f, &n->plan, &kernel);

	if (reason != SUBSTITUTED)
		return reason;
	plan_params(&n->plan, n->params);
	n->node = (CUDA_KERNEL_NODE_PARAMS){.gridDimX = n->plan.grid,
	                                    .gridDimY = 1,
	                                    .gridDimZ = 1,
	                                    .blockDimX = n->plan.block_x,
	                                    .blockDimY = n->plan.block_y,
	                                    .blockDimZ = 1,
	                                    .kernelParams = n->params,
	                                    .kern = kernel,
	                                    .ctx = ctx};
	return SUBSTITUTED;
}

enum reason fill_memory(const struct fill *f, CUcontext ctx)
{
	struct context_while w;
	enum reason reason;
	uint64_t span;

	if (fill_span(f, &span) != PLAN_OK)
		return REASON_SHAPE;
	if (context_enter(&w, ctx))
		return REASON_STREAM;
	reason = memory_check(f->dst, span, ctx, 0);
	context_leave(&w);
	return reason;
}

enum reason fill_allowed(const struct fill *f, CUcontext ctx)
{
	struct context_while w;
	enum reason reason;

	if (context_enter(&w, ctx))
		return REASON_STREAM;
	reason = allowed(f, ctx, 0);
	context_leave(&w);
	return reason;
}

/* The current context is the stream's. */
static enum reason launch(const struct fill *f, CUstream stream, CUcontext ctx,
                          cuuint64_t capture)
{
	void *params[PLAN_PARAMS];
	struct plan p;
	CUkernel kernel;
	enum reason reason = allowed(f, ctx, capture);
	CUresult result;

	if (reason == SUBSTITUTED)
		reason = prepare(f, &p, &kernel);
	if (reason != SUBSTITUTED)
		return reason;
	plan_params(&p, params);
	result = DRV(cuLaunchKernel)((CUfunction)kernel, p.grid, 1, 1, p.block_x,
	                             p.block_y, 1, 0, stream, params, NULL);
	if (result != CUDA_SUCCESS) {
		/* A capture that another call has invalidated meanwhile is no fault. */
		if (result != CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)
			log_once(
			    LOG_WARN,
			    "a fill kernel could not be captured (CUresult %d): the "
			    "driver's memset is used",
			    (int)result);
		return REASON_LAUNCH;
	}
	return SUBSTITUTED;
}

/* The stream's context need not be the current one. */
static enum reason substitute(const struct fill *f, CUstream stream, cuuint64_t capture)
{
	struct context_while w;
	CUcontext ctx = NULL;
	enum reason reason;

	if (!fill_enabled())
		return REASON_OFF;
	if (DRV(cuStreamGetCtx)(stream, &ctx) != CUDA_SUCCESS || context_enter(&w, ctx))
		return REASON_STREAM;
	reason = launch(f, stream, ctx, capture);
	context_leave(&w);
	return reason;
}

static int fill_attempt(const struct fill *f, CUstream stream, const void *caller)
{
	struct capture_now now;
	enum reason reason;

	if (!capture_query(stream, &now))
		return 0;
	reason = capture_edges_full(&now) ? substitute(f, stream, now.id) : REASON_EDGE;
	stats_memset(reason, fill_bytes(f), caller);
	log_trace("captured memset of %llu bytes at %#llx: %s",
	          (unsigned long long)fill_bytes(f), (unsigned long long)f->dst,
	          reason_text(reason));
	return reason == SUBSTITUTED;
}

int fill_captured(const struct fill *f, CUstream stream, const void *caller)
{
	struct guard g;
	int done;

	if (!guard_enter(&g))
		return 0;
	done = driver_usable() && fill_attempt(f, stream, caller);
	guard_leave(&g);
	return done;
}
