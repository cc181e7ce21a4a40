/* SPDX-License-Identifier: MIT */
/*
 * stream.c - streams.  Work outside capture is done at once, so there is nothing to
 * wait for.
 */
#include <stdlib.h>

#include "sim.h"

static CUstream streams;

CUstream sim_streams(void)
{
	return streams;
}

static CUstream new_stream(CUcontext ctx, enum stream_kind kind)
{
	CUstream s = sim_new(1, sizeof *s);

	s->ctx = ctx;
	s->kind = kind;
	s->thread = pthread_self();
	s->id = sim_next_id();
	s->next = streams;
	streams = s;
	return s;
}

/* A context's legacy stream, or its stream of this thread. */
static CUstream default_stream(CUcontext ctx, enum stream_kind kind)
{
	CUstream s;

	for (s = streams; s; s = s->next)
		if (s->ctx == ctx && s->kind == kind &&
		    (kind == STREAM_LEGACY || pthread_equal(s->thread, pthread_self())))
			return s;
	return new_stream(ctx, kind);
}

/* NULL means the legacy stream or the thread's own, by the entry point. */
CUresult sim_stream(CUstream *stream, int per_thread)
{
	CUstream s = *stream;

	if (!sim_initialized())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!s)
		s = per_thread ? CU_STREAM_PER_THREAD : CU_STREAM_LEGACY;
	if (s == CU_STREAM_LEGACY || s == CU_STREAM_PER_THREAD) {
		CUcontext ctx = sim_current();

		if (!ctx)
			return CUDA_ERROR_INVALID_CONTEXT;
		if (!sim_context_lives(ctx))
			return CUDA_ERROR_CONTEXT_IS_DESTROYED;
		*stream = default_stream(
		    ctx, s == CU_STREAM_LEGACY ? STREAM_LEGACY : STREAM_PER_THREAD);
		return CUDA_SUCCESS;
	}
	for (s = streams; s; s = s->next)
		if (s == *stream)
			return s->ctx ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
	return CUDA_ERROR_INVALID_HANDLE;
}

static void kill_stream(CUstream s)
{
	sim_capture_abandon(s);
	sim_deps_clear(&s->deps);
	free(s->shown);
	free(s->shown_edges);
	s->shown = NULL;
	s->shown_edges = NULL;
	s->ctx = NULL;
}

void sim_streams_forget(CUcontext ctx)
{
	CUstream s;
	CUevent e;

	for (s = streams; s; s = s->next)
		if (s->ctx == ctx)
			kill_stream(s);
	for (e = sim_events(); e; e = e->next)
		if (e->ctx == ctx)
			e->ctx = NULL;
}

CUstream sim_stream_new(CUcontext ctx, unsigned int flags, int priority)
{
	CUstream s = new_stream(ctx, STREAM_NORMAL);

	s->flags = flags;
	s->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
	return s;
}

static CUresult create(CUstream *stream, unsigned int flags, int priority)
{
	CUresult result = sim_ready();

	if (result != CUDA_SUCCESS)
		return result;
	if (!stream || (flags & ~(unsigned int)CU_STREAM_NON_BLOCKING))
		return CUDA_ERROR_INVALID_VALUE;
	*stream = sim_stream_new(sim_current(), flags, priority);
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned int flags)
{
	SIM_CALL(cuStreamCreate);
	return create(stream, flags, 0);
}

SIM_EXPORT CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags,
                                               int priority)
{
	SIM_CALL(cuStreamCreateWithPriority);
	return create(stream, flags, priority);
}

SIM_EXPORT CUresult cuStreamDestroy_v2(CUstream stream)
{
	SIM_CALL(cuStreamDestroy_v2);
	if (!stream)
		return CUDA_ERROR_INVALID_HANDLE;
	sim_entered = sim_stream(&stream, 0);
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	if (stream->kind != STREAM_NORMAL)
		return CUDA_ERROR_INVALID_HANDLE;
	kill_stream(stream);
	return CUDA_SUCCESS;
}

/* Forbidden on a capturing stream, whatever the mode. */
static CUresult wait_for(CUstream s)
{
	int active;
	CUresult result = sim_capturing(s, &active);

	if (result == CUDA_SUCCESS && active) {
		s->capture->invalidated = 1;
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	}
	return result;
}

SIM_STREAM(cuStreamSynchronize, (CUstream s), wait_for(s))
SIM_STREAM(cuStreamQuery, (CUstream s), wait_for(s))
SIM_STREAM(cuStreamGetCtx, (CUstream s, CUcontext *ctx),
           ctx ? (*ctx = s->ctx, CUDA_SUCCESS) : CUDA_ERROR_INVALID_VALUE)
SIM_STREAM(cuStreamGetDevice, (CUstream s, CUdevice *device),
           device ? (*device = s->ctx->device, CUDA_SUCCESS) : CUDA_ERROR_INVALID_VALUE)
SIM_STREAM(cuStreamGetFlags, (CUstream s, unsigned int *flags),
           flags ? (*flags = s->flags, CUDA_SUCCESS) : CUDA_ERROR_INVALID_VALUE)
SIM_STREAM(cuStreamGetPriority, (CUstream s, int *priority),
           priority ? (*priority = s->priority, CUDA_SUCCESS)
                    : CUDA_ERROR_INVALID_VALUE)
SIM_STREAM(cuStreamGetId, (CUstream s, unsigned long long *id),
           id ? (*id = s->id, CUDA_SUCCESS) : CUDA_ERROR_INVALID_VALUE)
