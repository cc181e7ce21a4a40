/* SPDX-License-Identifier: MIT */
/*
 * capture_info.c - what a program may ask of a capture in progress, and its
 * dependencies.
 */
#include <stdlib.h>

#include "sim.h"

/* On the legacy stream beside a blocking capture: an error, but it harms nothing. */
static CUresult info(CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id)
{
	if (!status)
		return CUDA_ERROR_INVALID_VALUE;
	if (s->kind == STREAM_LEGACY && sim_implicit(s->ctx))
		return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
	*status = !s->capture               ? CU_STREAM_CAPTURE_STATUS_NONE
	          : s->capture->invalidated ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
	                                    : CU_STREAM_CAPTURE_STATUS_ACTIVE;
	if (id && s->capture)
		*id = s->capture->id;
	return CUDA_SUCCESS;
}

static int has_edge_data(const struct deps *deps)
{
	size_t i;

	for (i = 0; i < deps->count; i++)
		if (deps->at[i].edge.type || deps->at[i].edge.from_port)
			return 1;
	return 0;
}

/* The arrays are good until the next call on the stream, as the real ones are. */
static void show(CUstream s)
{
	size_t i;

	free(s->shown);
	free(s->shown_edges);
	s->shown = sim_new(s->deps.count, sizeof *s->shown);
	s->shown_edges = sim_new(s->deps.count, sizeof *s->shown_edges);
	for (i = 0; i < s->deps.count; i++) {
		s->shown[i] = s->deps.at[i].node;
		s->shown_edges[i] = s->deps.at[i].edge;
	}
}

static CUresult full_info(CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id,
                          CUgraph *graph, const CUgraphNode **nodes,
                          const CUgraphEdgeData **edges, size_t *count)
{
	CUresult result = info(s, status, id);

	if (result != CUDA_SUCCESS || *status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
		return result;
	if (nodes && !edges && has_edge_data(&s->deps))
		return CUDA_ERROR_LOSSY_QUERY;
	show(s);
	if (graph)
		*graph = s->capture->graph;
	if (nodes)
		*nodes = s->shown;
	if (edges)
		*edges = s->shown_edges;
	if (count)
		*count = s->deps.count;
	return CUDA_SUCCESS;
}

static CUresult update(CUstream s, const CUgraphNode *nodes,
                       const CUgraphEdgeData *edges, size_t count, unsigned int flags)
{
	int active;
	CUresult result = sim_capturing(s, &active);
	size_t i;

	if (result != CUDA_SUCCESS)
		return result;
	if (!active)
		return CUDA_ERROR_ILLEGAL_STATE;
	if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES || (count && !nodes))
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < count; i++)
		if (!nodes[i] || nodes[i]->graph != s->capture->graph ||
		    (edges && !sim_edge_from(nodes[i], &edges[i])))
			return CUDA_ERROR_INVALID_VALUE;
	if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES)
		sim_deps_clear(&s->deps);
	for (i = 0; i < count; i++)
		sim_deps_add(&s->deps, nodes[i], edges ? edges[i] : SIM_FULL_EDGE);
	return CUDA_SUCCESS;
}

SIM_STREAM(cuStreamIsCapturing, (CUstream s, CUstreamCaptureStatus *status),
           info(s, status, NULL))
SIM_STREAM(cuStreamGetCaptureInfo,
           (CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id),
           info(s, status, id))
SIM_STREAM(cuStreamGetCaptureInfo_v2,
           (CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
            const CUgraphNode **nodes, size_t *count),
           full_info(s, status, id, graph, nodes, NULL, count))
SIM_STREAM(cuStreamGetCaptureInfo_v3,
           (CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
            const CUgraphNode **nodes, const CUgraphEdgeData **edges, size_t *count),
           full_info(s, status, id, graph, nodes, edges, count))
SIM_STREAM(cuStreamUpdateCaptureDependencies,
           (CUstream s, CUgraphNode *nodes, size_t count, unsigned int flags),
           update(s, nodes, NULL, count, flags))
SIM_STREAM(cuStreamUpdateCaptureDependencies_v2,
           (CUstream s, CUgraphNode *nodes, const CUgraphEdgeData *edges, size_t count,
            unsigned int flags),
           update(s, nodes, edges, count, flags))
