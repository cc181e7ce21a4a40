/* SPDX-License-Identifier: MIT */
/*
 * What the gap counter declares of CUPTI is what the toolkit's cupti.h declares.
 */
#include "tap.h"

#if !__has_include(<cupti.h>)
int main(void)
{
	skip_all("built without cupti.h");
}
#else

#include <cupti.h>

#include "../tools/gapcount/cupti_abi.h"

#define SIZE(type, member) sizeof(((type *)0)->member)

/* A member of ours, and the one of CUPTI's: at the same place, of the same size. */
#define SAME(ours, member, theirs, other)                                              \
	do {                                                                           \
		is(offsetof(ours, member), offsetof(theirs, other), "%s: %s", #theirs, \
		   #other);                                                            \
		is(SIZE(ours, member), SIZE(theirs, other), "%s: size of %s", #theirs, \
		   #other);                                                            \
	} while (0)

#define SAME_TIMES(ours, theirs)                                \
	do {                                                    \
		SAME(ours, kind, theirs, kind);                 \
		SAME(ours, start, theirs, start);               \
		SAME(ours, end, theirs, end);                   \
		SAME(ours, device, theirs, deviceId);           \
		SAME(ours, correlation, theirs, correlationId); \
		SAME(ours, graph, theirs, graphId);             \
	} while (0)

#define SAME_NODE(ours, theirs)                              \
	do {                                                 \
		SAME_TIMES(ours, theirs);                    \
		SAME(ours, context, theirs, contextId);      \
		SAME(ours, stream, theirs, streamId);        \
		SAME(ours, graph_node, theirs, graphNodeId); \
	} while (0)

/* Since 11.6: from then on all of ours is there. */
#define SAME_CHANNEL(ours, theirs)                                             \
	do {                                                                   \
		SAME(ours, channel_type, theirs, channelType);                 \
		ok(sizeof(ours) <= sizeof(theirs), "%s: no shorter than ours", \
		   #theirs);                                                   \
	} while (0)

/* The newest that this toolkit knows, and the oldest that the counter reads. */
static void records(void)
{
	SAME_NODE(struct abi_kernel, CUpti_ActivityKernel5);
	SAME(struct abi_kernel, name, CUpti_ActivityKernel5, name);
	SAME_NODE(struct abi_memset, CUpti_ActivityMemset3);
	SAME(struct abi_memset, bytes, CUpti_ActivityMemset3, bytes);
	SAME_NODE(struct abi_memcpy, CUpti_ActivityMemcpy4);
	SAME(struct abi_memcpy, bytes, CUpti_ActivityMemcpy4, bytes);
	SAME_NODE(struct abi_memcpy2, CUpti_ActivityMemcpyPtoP3);
	SAME(struct abi_memcpy2, bytes, CUpti_ActivityMemcpyPtoP3, bytes);
	SAME_TIMES(struct abi_graph_trace, CUpti_ActivityGraphTrace);
	SAME(struct abi_activity, kind, CUpti_Activity, kind);
}

static void newer_records(void)
{
#if CUPTI_API_VERSION >= 130000
	SAME_NODE(struct abi_kernel, CUpti_ActivityKernel10);
	SAME_CHANNEL(struct abi_kernel, CUpti_ActivityKernel10);
	SAME(struct abi_kernel, name, CUpti_ActivityKernel10, name);
	SAME_NODE(struct abi_memset, CUpti_ActivityMemset4);
	SAME_CHANNEL(struct abi_memset, CUpti_ActivityMemset4);
	SAME(struct abi_memset, bytes, CUpti_ActivityMemset4, bytes);
	SAME_NODE(struct abi_memcpy, CUpti_ActivityMemcpy6);
	SAME_CHANNEL(struct abi_memcpy, CUpti_ActivityMemcpy6);
	SAME(struct abi_memcpy, bytes, CUpti_ActivityMemcpy6, bytes);
	SAME_NODE(struct abi_memcpy2, CUpti_ActivityMemcpyPtoP4);
	SAME_CHANNEL(struct abi_memcpy2, CUpti_ActivityMemcpyPtoP4);
	SAME_TIMES(struct abi_graph_trace, CUpti_ActivityGraphTrace2);
	SAME(struct abi_subscriber_params, size, CUpti_SubscriberParams, structSize);
	SAME(struct abi_subscriber_params, name, CUpti_SubscriberParams,
	     subscriberName);
	SAME(struct abi_subscriber_params, old_name, CUpti_SubscriberParams,
	     oldSubscriberName);
	SAME(struct abi_subscriber_params, old_size, CUpti_SubscriberParams,
	     oldSubscriberSize);
	is(sizeof(struct abi_subscriber_params), CUpti_SubscriberParams_STRUCT_SIZE,
	   "CUpti_SubscriberParams: its size");
	is(ABI_OLD_NAME_SIZE, CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN, "a name's size");
#endif
#if CUPTI_API_VERSION >= 16
	SAME_CHANNEL(struct abi_kernel, CUpti_ActivityKernel7);
	SAME_CHANNEL(struct abi_memset, CUpti_ActivityMemset4);
	SAME_CHANNEL(struct abi_memcpy, CUpti_ActivityMemcpy5);
#endif
}

static void callbacks(void)
{
	SAME(struct abi_api_data, site, CUpti_CallbackData, callbackSite);
	SAME(struct abi_api_data, name, CUpti_CallbackData, functionName);
	SAME(struct abi_api_data, params, CUpti_CallbackData, functionParams);
	SAME(struct abi_resource_data, context, CUpti_ResourceData, context);
	SAME(struct abi_resource_data, handle, CUpti_ResourceData, resourceHandle);
	SAME(struct abi_resource_data, descriptor, CUpti_ResourceData,
	     resourceDescriptor);
	SAME(struct abi_graph_data, graph, CUpti_GraphData, graph);
	SAME(struct abi_graph_data, original_graph, CUpti_GraphData, originalGraph);
	SAME(struct abi_graph_data, node, CUpti_GraphData, node);
	SAME(struct abi_graph_data, original_node, CUpti_GraphData, originalNode);
	SAME(struct abi_graph_data, node_type, CUpti_GraphData, nodeType);
	SAME(struct abi_graph_data, dependency, CUpti_GraphData, dependency);
	SAME(struct abi_graph_data, exec, CUpti_GraphData, graphExec);
}

#define SAME_PARAMS(theirs)                                                     \
	do {                                                                    \
		SAME(struct abi_instantiate_params, exec, theirs, phGraphExec); \
		SAME(struct abi_instantiate_params, graph, theirs, hGraph);     \
	} while (0)

static void instantiation(void)
{
	SAME_PARAMS(cuGraphInstantiate_params);
	SAME_PARAMS(cuGraphInstantiate_v2_params);
	SAME_PARAMS(cuGraphInstantiateWithFlags_params);
	SAME_PARAMS(cuGraphInstantiateWithParams_params);
	SAME_PARAMS(cuGraphInstantiateWithParams_ptsz_params);
}

#define NUMBER(ours, theirs) is(ours, theirs, "%s", #theirs)
#define CBID(ours, function) NUMBER(ours, CUPTI_DRIVER_TRACE_CBID_##function)

static void numbers(void)
{
	NUMBER(ABI_SUCCESS, CUPTI_SUCCESS);
	NUMBER(ABI_ERROR_MULTIPLE_SUBSCRIBERS,
	       CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
	NUMBER(ABI_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY);
	NUMBER(ABI_KIND_MEMSET, CUPTI_ACTIVITY_KIND_MEMSET);
	NUMBER(ABI_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	NUMBER(ABI_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMCPY2);
	NUMBER(ABI_KIND_GRAPH_TRACE, CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
	NUMBER(ABI_CHANNEL_INVALID, CUPTI_CHANNEL_TYPE_INVALID);
	NUMBER(ABI_CHANNEL_COMPUTE, CUPTI_CHANNEL_TYPE_COMPUTE);
	NUMBER(ABI_CHANNEL_COPY, CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY);
	NUMBER(ABI_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_DRIVER_API);
	NUMBER(ABI_DOMAIN_RESOURCE, CUPTI_CB_DOMAIN_RESOURCE);
	NUMBER(ABI_SITE_ENTER, CUPTI_API_ENTER);
	NUMBER(ABI_RESOURCE_GRAPHNODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED);
	NUMBER(ABI_RESOURCE_GRAPHEXEC_CREATED, CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED);
	NUMBER(ABI_RESOURCE_GRAPHNODE_CLONED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED);
	NUMBER(ABI_NODE_KERNEL, CU_GRAPH_NODE_TYPE_KERNEL);
	NUMBER(ABI_NODE_MEMCPY, CU_GRAPH_NODE_TYPE_MEMCPY);
	NUMBER(ABI_NODE_MEMSET, CU_GRAPH_NODE_TYPE_MEMSET);
	NUMBER(ABI_NODE_GRAPH, CU_GRAPH_NODE_TYPE_GRAPH);
	NUMBER(ABI_FLUSH_FORCED, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
	CBID(ABI_CBID_INSTANTIATE, cuGraphInstantiate);
	CBID(ABI_CBID_INSTANTIATE_V2, cuGraphInstantiate_v2);
	CBID(ABI_CBID_INSTANTIATE_WITH_FLAGS, cuGraphInstantiateWithFlags);
	CBID(ABI_CBID_INSTANTIATE_WITH_PARAMS, cuGraphInstantiateWithParams);
	CBID(ABI_CBID_INSTANTIATE_WITH_PARAMS_PTSZ, cuGraphInstantiateWithParams_ptsz);
	CBID(ABI_CBID_GRAPH_LAUNCH, cuGraphLaunch);
	CBID(ABI_CBID_GRAPH_LAUNCH_PTSZ, cuGraphLaunch_ptsz);
}

int main(void)
{
	records();
	newer_records();
	callbacks();
	instantiation();
	numbers();
	return done();
}
#endif
