/* SPDX-License-Identifier: MIT */
/*
 * event.c - events, and how they carry a capture from stream to stream.
 */
#include <stdlib.h>
#include <time.h>

#include "sim.h"

static CUevent events;

CUevent sim_events(void)
{
	return events;
}

void sim_event_mark(CUevent event)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	event->at = (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
	event->recorded = 1;
}

void sim_event_place(CUevent event, struct capture *capture, CUgraphNode node,
                     CUgraphEdgeData edge)
{
	sim_deps_clear(&event->deps);
	event->capture = capture;
	if (capture)
		sim_deps_add(&event->deps, node, edge);
	else
		sim_event_mark(event);
}

CUresult sim_event_check(CUevent event)
{
	CUevent e;

	if (!sim_initialized())
		return CUDA_ERROR_NOT_INITIALIZED;
	for (e = events; e; e = e->next)
		if (e == event)
			return e->ctx ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
	return CUDA_ERROR_INVALID_HANDLE;
}

SIM_EXPORT CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
	SIM_CALL(cuEventCreate);
	sim_entered = sim_ready();
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	if (!event)
		return CUDA_ERROR_INVALID_VALUE;
	*event = sim_new(1, sizeof **event);
	(*event)->ctx = sim_current();
	(*event)->flags = flags;
	(*event)->next = events;
	events = *event;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuEventDestroy_v2(CUevent event)
{
	SIM_CALL(cuEventDestroy_v2);
	sim_entered = sim_event_check(event);
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	sim_deps_clear(&event->deps);
	event->ctx = NULL;
	return CUDA_SUCCESS;
}

/* An event that marks a place in a capture marks no moment. */
static CUresult moment(CUevent event)
{
	CUresult result = sim_event_check(event);

	if (result != CUDA_SUCCESS)
		return result;
	if (event->capture) {
		event->capture->invalidated = 1;
		return CUDA_ERROR_CAPTURED_EVENT;
	}
	return event->ctx->fault;
}

SIM_EXPORT CUresult cuEventSynchronize(CUevent event)
{
	SIM_CALL(cuEventSynchronize);
	return moment(event);
}

SIM_EXPORT CUresult cuEventQuery(CUevent event)
{
	SIM_CALL(cuEventQuery);
	sim_entered = moment(event);
	/* Watchdog threads meet this one: it counts as potentially unsafe. */
	return sim_entered != CUDA_SUCCESS ? sim_entered : sim_unsafe();
}

static CUresult elapsed(float *ms, CUevent from, CUevent to)
{
	CUresult result = moment(from);

	if (result == CUDA_SUCCESS)
		result = moment(to);
	if (result != CUDA_SUCCESS)
		return result;
	if (!from->recorded || !to->recorded ||
	    ((from->flags | to->flags) & CU_EVENT_DISABLE_TIMING))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!ms)
		return CUDA_ERROR_INVALID_VALUE;
	*ms = (float)(to->at - from->at);
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuEventElapsedTime(float *ms, CUevent from, CUevent to)
{
	SIM_CALL(cuEventElapsedTime);
	return elapsed(ms, from, to);
}

SIM_EXPORT CUresult cuEventElapsedTime_v2(float *ms, CUevent from, CUevent to)
{
	SIM_CALL(cuEventElapsedTime_v2);
	return elapsed(ms, from, to);
}

static CUresult record(CUevent event, CUstream s, unsigned int flags)
{
	int active;
	CUresult result = sim_event_check(event);

	if (result == CUDA_SUCCESS)
		result = sim_capturing(s, &active);
	if (result != CUDA_SUCCESS)
		return result;
	if (flags & CU_EVENT_RECORD_EXTERNAL) {
		if (!active)
			return CUDA_ERROR_INVALID_VALUE;
		sim_capture_node(s, CU_GRAPH_NODE_TYPE_EVENT_RECORD)->event = event;
		return CUDA_SUCCESS;
	}
	if (event->ctx != s->ctx)
		return CUDA_ERROR_INVALID_HANDLE;
	sim_deps_clear(&event->deps);
	event->capture = active ? s->capture : NULL;
	if (active)
		sim_deps_join(&event->deps, &s->deps);
	else
		sim_event_mark(event);
	return CUDA_SUCCESS;
}

SIM_STREAM(cuEventRecord, (CUevent event, CUstream s), record(event, s, 0))
SIM_STREAM(cuEventRecordWithFlags, (CUevent event, CUstream s, unsigned int flags),
           record(event, s, flags))

/* The event marks a place in a capture: the stream joins that capture. */
static CUresult join(CUstream s, CUevent event, int active)
{
	if (event->capture->ended)
		return CUDA_ERROR_CAPTURED_EVENT;
	if (event->capture->invalidated)
		return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	if (s->kind == STREAM_LEGACY) {
		event->capture->invalidated = 1;
		return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
	}
	if (active && s->capture != event->capture) {
		s->capture->invalidated = event->capture->invalidated = 1;
		return CUDA_ERROR_STREAM_CAPTURE_MERGE;
	}
	if (!active) {
		s->capture = event->capture;
		sim_deps_clear(&s->deps);
	}
	sim_deps_join(&s->deps, &event->deps);
	return CUDA_SUCCESS;
}

static CUresult wait_event(CUstream s, CUevent event, unsigned int flags)
{
	int active;
	CUresult result = sim_event_check(event);

	if (result == CUDA_SUCCESS)
		result = sim_capturing(s, &active);
	if (result != CUDA_SUCCESS)
		return result;
	if (flags & CU_EVENT_WAIT_EXTERNAL) {
		if (!active)
			return CUDA_ERROR_INVALID_VALUE;
		sim_capture_node(s, CU_GRAPH_NODE_TYPE_WAIT_EVENT)->event = event;
		return CUDA_SUCCESS;
	}
	if (event->capture)
		return join(s, event, active);
	if (active && event->recorded) {
		s->capture->invalidated = 1;
		return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
	}
	return CUDA_SUCCESS;
}

SIM_STREAM(cuStreamWaitEvent, (CUstream s, CUevent event, unsigned int flags),
           wait_event(s, event, flags))
