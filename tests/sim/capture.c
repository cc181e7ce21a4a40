/* SPDX-License-Identifier: MIT */
/*
 * capture.c - stream capture: begin, end, and what it forbids.
 */
#include <stdlib.h>

#include "sim.h"

static struct capture *captures; /* in progress */
static struct capture *ended;    /* events may still point to them */
static __thread CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

/*
 * A potentially unsafe call.  Relaxed threads may make it; thread-local ones unless
 * they have a capture of their own in progress that is not relaxed; global ones also
 * unless any thread has a capture in global mode.
 */
CUresult sim_unsafe(void)
{
	CUresult result = CUDA_SUCCESS;
	struct capture *c;

	if (thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_SUCCESS;
	for (c = captures; c; c = c->next) {
		int own = pthread_equal(c->thread, pthread_self());

		if (c->mode == CU_STREAM_CAPTURE_MODE_RELAXED)
			continue;
		if (!own && (c->mode != CU_STREAM_CAPTURE_MODE_GLOBAL ||
		             thread_mode != CU_STREAM_CAPTURE_MODE_GLOBAL))
			continue;
		c->invalidated = 1;
		result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	}
	return result;
}

struct capture *sim_implicit(CUcontext ctx)
{
	CUstream s;

	for (s = sim_streams(); s; s = s->next)
		if (s->ctx == ctx && s->capture && s->kind != STREAM_LEGACY &&
		    !(s->flags & CU_STREAM_NON_BLOCKING))
			return s->capture;
	return NULL;
}

/* No mode allows this one: it would wait for work that has not begun. */
CUresult sim_capture_unwaitable(CUcontext ctx)
{
	CUresult result = CUDA_SUCCESS;
	CUstream s;

	for (s = sim_streams(); s; s = s->next)
		if (s->ctx == ctx && s->capture) {
			s->capture->invalidated = 1;
			result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
		}
	return result;
}

CUresult sim_capturing(CUstream stream, int *active)
{
	CUresult result = sim_ready();
	struct capture *blocking;

	*active = 0;
	if (result != CUDA_SUCCESS)
		return result;
	if (stream->ctx->fault != CUDA_SUCCESS)
		return stream->ctx->fault;
	if (stream->kind == STREAM_LEGACY) {
		blocking = sim_implicit(stream->ctx);
		if (!blocking)
			return CUDA_SUCCESS;
		blocking->invalidated = 1;
		return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
	}
	if (!stream->capture)
		return CUDA_SUCCESS;
	if (stream->capture->invalidated)
		return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	*active = 1;
	return CUDA_SUCCESS;
}

CUgraphNode sim_capture_node(CUstream stream, CUgraphNodeType type)
{
	struct deps *deps = &stream->deps;
	CUgraphNode node;
	size_t i;

	/* What may not be programmatic waits for all of what is before it. */
	for (i = 0; i < deps->count; i++)
		if (!sim_edge_valid(deps->at[i].node, type, &deps->at[i].edge))
			deps->at[i].edge = SIM_FULL_EDGE;
	node = sim_graph_add(stream->capture->graph, type, deps);
	node->ctx = stream->ctx;
	node->priority = stream->priority;
	sim_deps_clear(&stream->deps);
	sim_deps_add(&stream->deps, node, SIM_FULL_EDGE);
	return node;
}

void sim_capture_forget_node(CUgraphNode node)
{
	CUstream s;
	CUevent e;

	for (s = sim_streams(); s; s = s->next)
		sim_deps_remove(&s->deps, node);
	for (e = sim_events(); e; e = e->next)
		sim_deps_remove(&e->deps, node);
}

static void finish(struct capture *capture)
{
	struct capture **p;
	CUstream s;
	CUevent e;

	for (s = sim_streams(); s; s = s->next)
		if (s->capture == capture) {
			s->capture = NULL;
			sim_deps_clear(&s->deps);
		}
	for (e = sim_events(); e; e = e->next)
		if (e->capture == capture)
			sim_deps_clear(&e->deps);
	for (p = &captures; *p != capture; p = &(*p)->next)
		;
	*p = capture->next;
	capture->next = ended;
	ended = capture;
	capture->ended = 1;
}

static void drop_graph(struct capture *capture)
{
	if (!capture->into_existing)
		sim_graph_free(capture->graph);
	capture->graph = NULL;
}

void sim_capture_abandon(CUstream stream)
{
	struct capture *capture = stream->capture;

	if (!capture)
		return;
	capture->invalidated = 1;
	stream->capture = NULL;
	if (capture->origin == stream) {
		finish(capture);
		drop_graph(capture);
	}
}

static CUresult check_begin(CUstream s, CUstreamCaptureMode mode)
{
	CUresult result = sim_ready();

	if (result != CUDA_SUCCESS)
		return result;
	if (mode != CU_STREAM_CAPTURE_MODE_GLOBAL &&
	    mode != CU_STREAM_CAPTURE_MODE_THREAD_LOCAL &&
	    mode != CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_ERROR_INVALID_VALUE;
	if (s->kind == STREAM_LEGACY)
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	return s->capture ? CUDA_ERROR_ILLEGAL_STATE : s->ctx->fault;
}

static CUresult begin(CUstream s, CUgraph graph, CUstreamCaptureMode mode)
{
	struct capture *c;
	CUresult result = check_begin(s, mode);

	if (result != CUDA_SUCCESS)
		return result;
	c = sim_new(1, sizeof *c);
	c->id = sim_next_id();
	c->mode = mode;
	c->thread = pthread_self();
	c->into_existing = graph != NULL;
	c->graph = graph ? graph : sim_graph_new();
	c->origin = s;
	c->next = captures;
	captures = c;
	s->capture = c;
	sim_deps_clear(&s->deps);
	return CUDA_SUCCESS;
}

static CUresult begin_to_graph(CUstream s, CUgraph graph, const CUgraphNode *nodes,
                               const CUgraphEdgeData *edges, size_t count,
                               CUstreamCaptureMode mode)
{
	CUresult result;
	size_t i;

	if (!graph || (count && !nodes))
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < count; i++)
		if (!nodes[i] || nodes[i]->graph != graph ||
		    (edges && !sim_edge_from(nodes[i], &edges[i])))
			return CUDA_ERROR_INVALID_VALUE;
	result = begin(s, graph, mode);
	for (i = 0; result == CUDA_SUCCESS && i < count; i++)
		sim_deps_add(&s->deps, nodes[i], edges ? edges[i] : SIM_FULL_EDGE);
	return result;
}

/* 1 when a stream's last work is not among what the origin stream has come to. */
static int unjoined(const struct capture *c)
{
	size_t mark = sim_next_mark(), i;
	CUstream s;

	sim_mark_ancestors(&c->origin->deps, mark);
	for (s = sim_streams(); s; s = s->next) {
		if (s->capture != c || s == c->origin)
			continue;
		for (i = 0; i < s->deps.count; i++)
			if (s->deps.at[i].node->mark != mark)
				return 1;
	}
	return 0;
}

static CUresult end(CUstream s, CUgraph *graph)
{
	struct capture *c = s->capture;
	CUresult result = CUDA_SUCCESS;

	if (!c)
		return CUDA_ERROR_ILLEGAL_STATE;
	if (!graph && !c->into_existing)
		return CUDA_ERROR_INVALID_VALUE;
	if (c->origin != s) {
		c->invalidated = 1;
		return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
	}
	/* The capture is over all the same (seen on driver 580). */
	if (c->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
	    !pthread_equal(c->thread, pthread_self()))
		result = CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
	else if (c->invalidated)
		result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	else if (unjoined(c))
		result = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
	finish(c);
	if (graph)
		*graph = result == CUDA_SUCCESS ? c->graph : NULL;
	if (result != CUDA_SUCCESS)
		drop_graph(c);
	return result;
}

SIM_STREAM(cuStreamBeginCapture, (CUstream s),
           begin(s, NULL, CU_STREAM_CAPTURE_MODE_GLOBAL))
SIM_STREAM(cuStreamBeginCapture_v2, (CUstream s, CUstreamCaptureMode mode),
           begin(s, NULL, mode))
SIM_STREAM(cuStreamBeginCaptureToGraph,
           (CUstream s, CUgraph graph, const CUgraphNode *nodes,
            const CUgraphEdgeData *edges, size_t count, CUstreamCaptureMode mode),
           begin_to_graph(s, graph, nodes, edges, count, mode))
SIM_STREAM(cuStreamEndCapture, (CUstream s, CUgraph *graph), end(s, graph))

SIM_EXPORT CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
	CUstreamCaptureMode before;

	SIM_CALL(cuThreadExchangeStreamCaptureMode);
	if (!mode || (unsigned int)*mode > CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_ERROR_INVALID_VALUE;
	before = thread_mode;
	thread_mode = *mode;
	*mode = before;
	return CUDA_SUCCESS;
}
