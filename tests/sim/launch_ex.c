/* SPDX-License-Identifier: MIT */
/*
 * launch_ex.c - launches with attributes.
 */
#include <string.h>

#include "sim.h"

static const CUgraphEdgeData triggered = {
    .from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,
    .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC};

/* An event that a launch records; one of a kind is all that is asked for here. */
static CUresult take_event(struct launch_options *o, CUevent event, int flags,
                           CUgraphEdgeData edge)
{
	if ((unsigned int)flags & CU_EVENT_RECORD_EXTERNAL || o->event)
		return CUDA_ERROR_INVALID_VALUE;
	o->event = event;
	o->edge = edge;
	return sim_event_check(event);
}

static CUresult take(struct launch_options *o, const CUlaunchAttribute *a)
{
	const CUlaunchAttributeValue *v = &a->value;
	CUgraphEdgeData edge = triggered;

	switch (a->id) {
	case CU_LAUNCH_ATTRIBUTE_IGNORE:
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
		o->programmatic = v->programmaticStreamSerializationAllowed != 0;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
		if (v->programmaticEvent.triggerAtBlockStart)
			edge.from_port = CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER;
		return take_event(o, v->programmaticEvent.event,
		                  v->programmaticEvent.flags, edge);
	case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
		edge.from_port = CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER;
		edge.type = CU_GRAPH_DEPENDENCY_TYPE_DEFAULT;
		return take_event(o, v->launchCompletionEvent.event,
		                  v->launchCompletionEvent.flags, edge);
	case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY: /* of streams only */
		return CUDA_ERROR_INVALID_VALUE;
	default:
		return (unsigned int)a->id < CU_LAUNCH_ATTRIBUTE_MAX
		           ? CUDA_SUCCESS
		           : CUDA_ERROR_INVALID_VALUE;
	}
}

/* What depends on the stream. */
CUresult sim_launch_options(const struct launch_options *o, CUstream s, int active)
{
	unsigned int i;

	if (o->event && !(o->event->flags & CU_EVENT_DISABLE_TIMING))
		return CUDA_ERROR_INVALID_VALUE;
	if (o->event && o->event->ctx != s->ctx)
		return CUDA_ERROR_INVALID_HANDLE;
	for (i = 0; i < o->count; i++) {
		const CUlaunchAttribute *a = &o->attributes[i];

		if (a->id != CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE)
			continue;
		if (!active ||
		    (unsigned int)a->value.deviceUpdatableKernelNode.deviceUpdatable >
		        1)
			return CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

void sim_launch_attributes(CUgraphNode node, const struct launch_options *o)
{
	unsigned int i;

	for (i = 0; i < o->count; i++)
		if (sim_is_node_attribute(o->attributes[i].id))
			sim_attribute_set(node, o->attributes[i].id,
			                  &o->attributes[i].value);
}

static CUresult launch_ex(const CUlaunchConfig *config, CUfunction function,
                          void **params, void **extra, int per_thread)
{
	struct launch_options options = {0};
	unsigned int dims[6], i;
	CUresult result;
	CUstream s;

	if (!config || (config->numAttrs && !config->attrs))
		return CUDA_ERROR_INVALID_VALUE;
	s = config->hStream;
	result = sim_stream(&s, per_thread);
	options.attributes = config->attrs;
	options.count = config->numAttrs;
	for (i = 0; i < config->numAttrs && result == CUDA_SUCCESS; i++)
		result = take(&options, &config->attrs[i]);
	if (result != CUDA_SUCCESS)
		return result;
	memcpy(
	    dims,
	    ((unsigned int[]){config->gridDimX, config->gridDimY, config->gridDimZ,
	                      config->blockDimX, config->blockDimY, config->blockDimZ}),
	    sizeof dims);
	return sim_launch(s, function, dims, config->sharedMemBytes, params, extra,
	                  &options);
}

SIM_EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                                     void **params, void **extra)
{
	SIM_CALL(cuLaunchKernelEx);
	return launch_ex(config, function, params, extra, 0);
}

SIM_EXPORT CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config,
                                          CUfunction function, void **params,
                                          void **extra)
{
	SIM_CALL(cuLaunchKernelEx_ptsz);
	return launch_ex(config, function, params, extra, 1);
}
