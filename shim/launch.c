/* SPDX-License-Identifier: MIT */
/*
 * launch.c - a kernel launched with programmatic stream serialization behind a fill.
 *
 * Captured behind a memset node such a launch gets a full edge; behind a kernel node,
 * which a fill is, a programmatic one, through which the kernel may start before the
 * fill's bytes are there to read.  An empty node in between brings the full edge back;
 * it costs nothing at replay, and it is added only where a launch asks for it.
 */
#include <stdlib.h>

#include "capture.h"
#include "guard.h"
#include "log.h"
#include "record.h"

static int asks_for_overlap(const CUlaunchConfig *config)
{
	unsigned int i;

	for (i = 0; config && config->attrs && i < config->numAttrs; i++) {
		const CUlaunchAttribute *a = &config->attrs[i];

		if (a->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION &&
		    a->value.programmaticStreamSerializationAllowed)
			return 1;
	}
	return 0;
}

/* What the stream depends on, parted: fills, which move behind the empty node. */
struct parted {
	CUgraphNode *fills, *others;
	CUgraphEdgeData *edges; /* of the others */
	size_t fill_count, other_count;
};

/* The driver's arrays are good for one call only, hence copies. */
static int part(struct parted *p, const struct capture_now *now)
{
	size_t i;

	*p = (struct parted){.fills = calloc(now->count + 1, sizeof *p->fills),
	                     .others = calloc(now->count + 1, sizeof *p->others),
	                     .edges = calloc(now->count + 1, sizeof *p->edges)};
	if (!p->fills || !p->others || !p->edges)
		return -1;
	for (i = 0; i < now->count; i++)
		p->others[i] = now->nodes[i];
	for (i = 0; i < now->count && now->edges; i++)
		p->edges[i] = now->edges[i];
	for (i = 0; i < now->count; i++) {
		CUgraphNode node = p->others[i];

		if (record_is_fill(node)) {
			p->fills[p->fill_count++] = node;
			continue;
		}
		p->others[p->other_count] = node;
		p->edges[p->other_count++] = p->edges[i];
	}
	return 0;
}

static CUresult put_empty_node(struct parted *p, const struct capture_now *now,
                               CUstream stream)
{
	CUgraphNode empty;
	CUresult result =
	    DRV(cuGraphAddEmptyNode)(&empty, now->graph, p->fills, p->fill_count);

	if (result != CUDA_SUCCESS)
		return result;
	p->others[p->other_count] = empty;
	p->edges[p->other_count++] = (CUgraphEdgeData){0};
	return DRV(cuStreamUpdateCaptureDependencies_v2)(
	    stream, p->others, p->edges, p->other_count,
	    CU_STREAM_SET_CAPTURE_DEPENDENCIES);
}

static void keep_edges_full(CUstream stream)
{
	struct capture_now now;
	struct parted p;
	CUresult result = CUDA_SUCCESS;

	/* Without edge data in its graphs a driver makes every edge a full one. */
	if (!DRV(cuStreamGetCaptureInfo_v3) || !DRV(cuGraphAddEmptyNode) ||
	    !DRV(cuStreamUpdateCaptureDependencies_v2) ||
	    !capture_query(stream, &now) || !now.count)
		return;
	if (part(&p, &now))
		result = CUDA_ERROR_OUT_OF_MEMORY;
	else if (p.fill_count)
		result = put_empty_node(&p, &now, stream);
	if (result != CUDA_SUCCESS && result != CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)
		log_once(LOG_WARN,
		         "a kernel behind a fill has a programmatic edge, not a full "
		         "one (CUresult %d)",
		         (int)result);
	free(p.fills);
	free(p.others);
	free(p.edges);
}

static void before_launch(const CUlaunchConfig *config,
                          CUstream (*handle)(CUstream stream))
{
	struct guard g;

	if (!capture_any() || !record_any() || !asks_for_overlap(config) ||
	    !guard_enter(&g))
		return;
	keep_edges_full(handle(config->hStream));
	guard_leave(&g);
}

#define HOOK_LAUNCH(name, handle)                                                    \
	MSS_NOINLINE static CUresult name##_slow(                                    \
	    const CUlaunchConfig *config, CUfunction f, void **params, void **extra) \
	{                                                                            \
		if (!DRV(name))                                                      \
			return driver_missing();                                     \
		before_launch(config, handle);                                       \
		return DRV(name)(config, f, params, extra);                          \
	}                                                                            \
	MSS_EXPORT CUresult name(const CUlaunchConfig *config, CUfunction f,         \
	                         void **params, void **extra)                        \
	{                                                                            \
		name##_fn real = DRV_IF_KNOWN(name);                                 \
                                                                                     \
		if (MSS_LIKELY(real && !capture_any()))                              \
			return real(config, f, params, extra);                       \
		return name##_slow(config, f, params, extra);                        \
	}

HOOK_LAUNCH(cuLaunchKernelEx, stream_legacy)
HOOK_LAUNCH(cuLaunchKernelEx_ptsz, stream_ptsz)
