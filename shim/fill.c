/* SPDX-License-Identifier: MIT */
#include "fill.h"

#include "capture.h"
#include "config.h"
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

/* The current context is the stream's. */
static enum reason launch(const struct fill *f, uint64_t span, CUstream stream,
                          CUcontext ctx)
{
	void *params[PLAN_PARAMS];
	struct plan p;
	enum reason reason = memory_check(f->dst, span, ctx);
	CUkernel kernel;
	CUresult result;

	if (reason != SUBSTITUTED)
		return reason;
	reason = reason_of(plan_fill(f, &p));
	if (reason != SUBSTITUTED)
		return reason;
	kernel = image_kernel(p.kernel);
	if (!kernel)
		return REASON_IMAGE;
	/* Before there is a node that another thread could ask about. */
	record_made();
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

/* Makes the stream's context current for the while: the two may differ. */
static enum reason launch_in_context(const struct fill *f, uint64_t span,
                                     CUstream stream)
{
	CUcontext ctx = NULL, current = NULL;
	CUdevice device;
	enum reason reason;
	int tries;

	if (DRV(cuStreamGetCtx)(stream, &ctx) != CUDA_SUCCESS || !ctx ||
	    DRV(cuCtxGetCurrent)(&current) != CUDA_SUCCESS)
		return REASON_STREAM;
	if (ctx == current)
		return launch(f, span, stream, ctx);
	/* Without a current context that lives the driver's own call decides. */
	if (DRV(cuCtxGetDevice)(&device) != CUDA_SUCCESS ||
	    DRV(cuCtxPushCurrent_v2)(ctx) != CUDA_SUCCESS)
		return REASON_STREAM;
	reason = launch(f, span, stream, ctx);
	/* The program's state must come back: a refusal may be a passing one. */
	for (tries = 0; DRV(cuCtxPopCurrent_v2)(&ctx) != CUDA_SUCCESS; tries++)
		if (tries) {
			log_once(LOG_ERROR,
			         "the driver keeps the stream's context current");
			break;
		}
	return reason;
}

static enum reason substitute(const struct fill *f, CUstream stream)
{
	uint64_t span;
	enum reason reason;

	if (!fill_enabled())
		return REASON_OFF;
	reason = reason_of(fill_span(f, &span));
	if (reason != SUBSTITUTED)
		return reason;
	if (fill_bytes(f) > config.max_bytes)
		return REASON_MAX_BYTES;
	return launch_in_context(f, span, stream);
}

static int fill_attempt(const struct fill *f, CUstream stream, const void *caller)
{
	struct capture_now now;
	enum reason reason;

	if (!capture_query(stream, &now))
		return 0;
	reason = capture_edges_full(&now) ? substitute(f, stream) : REASON_EDGE;
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
