/* SPDX-License-Identifier: MIT */
#include "collect.h"
#include "events.h"
#include "graphs.h"
#include "options.h"
#include "store.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	BUFFER_SIZE = 4 << 20,
	SPARE_BUFFERS = 8, /* kept for CUPTI's next request */
	BATCH = 256,
	/* channelType is there from this version of the API on (11.6). */
	API_WITH_CHANNELS = 16,
};

static const struct cupti *cupti;
static enum gap_level level;
static uint64_t most_records; /* after which tracing ends */
static atomic_int tracing;
static atomic_ullong buffers_failed;

static pthread_mutex_t spare_lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t *spare[SPARE_BUFFERS];
static int n_spare;

/* --- buffers -----------------------------------------------------------------------
 */

static void buffer_requested(uint8_t **buffer, size_t *size, size_t *max_records)
{
	*buffer = NULL;
	pthread_mutex_lock(&spare_lock);
	if (n_spare > 0)
		*buffer = spare[--n_spare];
	pthread_mutex_unlock(&spare_lock);
	if (!*buffer)
		*buffer = aligned_alloc(64, BUFFER_SIZE);
	if (!*buffer)
		atomic_fetch_add(&buffers_failed, 1);
	*size = *buffer ? BUFFER_SIZE : 0;
	*max_records = 0; /* as many as fit */
}

static void buffer_done(uint8_t *buffer)
{
	pthread_mutex_lock(&spare_lock);
	if (n_spare < SPARE_BUFFERS) {
		spare[n_spare++] = buffer;
		buffer = NULL;
	}
	pthread_mutex_unlock(&spare_lock);
	free(buffer);
}

static uint8_t engine_of(uint32_t channel_type)
{
	if (cupti->version < API_WITH_CHANNELS)
		return GAP_ENGINE_UNKNOWN;
	if (channel_type == ABI_CHANNEL_COMPUTE)
		return GAP_ENGINE_COMPUTE;
	return channel_type == ABI_CHANNEL_COPY ? GAP_ENGINE_COPY : GAP_ENGINE_UNKNOWN;
}

#define COMMON(from, what)                                                          \
	{                                                                           \
		.start = (from)->start, .end = (from)->end, .graph = (from)->graph, \
		.replay = (from)->correlation, .device = (uint16_t)(from)->device,  \
		.kind = (what)                                                      \
	}

/* 1, or 0 for a record that is none of ours. */
static int convert(const struct abi_activity *activity, struct store_record *out)
{
	const void *any = activity;

	switch (activity->kind) {
	case ABI_KIND_CONCURRENT_KERNEL: {
		const struct abi_kernel *kernel = any;

		out->record = (struct gap_record)COMMON(kernel, GAP_KERNEL);
		out->record.node = kernel->graph_node;
		out->record.engine = engine_of(kernel->channel_type);
		out->name = kernel->name;
		return 1;
	}
	case ABI_KIND_MEMSET: {
		const struct abi_memset *memset = any;

		out->record = (struct gap_record)COMMON(memset, GAP_MEMSET);
		out->record.node = memset->graph_node;
		out->record.bytes = memset->bytes;
		out->record.engine = engine_of(memset->channel_type);
		out->name = "[memset]";
		return 1;
	}
	case ABI_KIND_MEMCPY: {
		const struct abi_memcpy *memcpy = any;

		out->record = (struct gap_record)COMMON(memcpy, GAP_MEMCPY);
		out->record.node = memcpy->graph_node;
		out->record.engine = engine_of(memcpy->channel_type);
		out->name = "[memcpy]";
		return 1;
	}
	case ABI_KIND_MEMCPY2: {
		const struct abi_memcpy2 *memcpy = any;

		out->record = (struct gap_record)COMMON(memcpy, GAP_MEMCPY);
		out->record.node = memcpy->graph_node;
		out->record.engine = engine_of(memcpy->channel_type);
		out->name = "[memcpy]";
		return 1;
	}
	case ABI_KIND_GRAPH_TRACE: {
		const struct abi_graph_trace *graph = any;

		if (store_only_memsets(graph->graph))
			return 0; /* see events.h */
		out->record = (struct gap_record)COMMON(graph, GAP_OTHER);
		out->name = "[graph]";
		return 1;
	}
	default:
		return 0;
	}
}

static void buffer_completed(void *context, uint32_t stream, uint8_t *buffer,
                             size_t size, size_t valid)
{
	struct store_record batch[BATCH];
	struct abi_activity *activity = NULL;
	size_t n = 0, dropped = 0;

	(void)size;
	while (valid > 0 && cupti->cuptiActivityGetNextRecord(
	                        buffer, valid, &activity) == ABI_SUCCESS) {
		n += (size_t)convert(activity, &batch[n]);
		if (n == BATCH) {
			store_add(batch, n);
			n = 0;
		}
	}
	store_add(batch, n);
	if (cupti->cuptiActivityGetNumDroppedRecords(context, stream, &dropped) ==
	        ABI_SUCCESS &&
	    dropped > 0)
		store_dropped(dropped);
	buffer_done(buffer);
}

/* --- graphs ------------------------------------------------------------------------
 */

/*
 * A graph's nodes are looked at when it is about to be instantiated.  Then its nodes
 * are copied; a copy's id has the id of the executable graph in its upper half.
 */
static void on_instantiate(const struct abi_api_data *call)
{
	const struct abi_instantiate_params *params = call->params;

	if (call->site == ABI_SITE_ENTER && params)
		graphs_learn(cupti, params->graph);
}

static void on_node(uint32_t id, const struct abi_graph_data *graph)
{
	uint64_t node, original;

	if (!graph || cupti->cuptiGetGraphNodeId(graph->node, &node) != ABI_SUCCESS)
		return;
	if (id == ABI_RESOURCE_GRAPHNODE_CREATED)
		store_node(node, graphs_kind(graph->node_type));
	else if (id == ABI_RESOURCE_GRAPHNODE_CLONED &&
	         cupti->cuptiGetGraphNodeId(graph->original_node, &original) ==
	             ABI_SUCCESS)
		store_clone(node, original, (uint32_t)(node >> 32));
}

/* Only at graph level, where it matters how CUPTI times a replay. */
static void on_launch(const struct abi_api_data *call, int ptsz)
{
	const struct abi_launch_params *params = call->params;
	uint32_t graph;

	if (!params || !cupti->cuptiGetGraphExecId)
		return;
	if (call->site != ABI_SITE_ENTER)
		events_exit(params->stream, ptsz, call->result && *call->result == 0);
	else if (cupti->cuptiGetGraphExecId(params->exec, &graph) == ABI_SUCCESS &&
	         store_only_memsets(graph))
		events_enter(graph, params->stream, ptsz);
}

static void on_callback(void *user, int domain, uint32_t id, const void *data)
{
	(void)user;
	if (domain == ABI_DOMAIN_DRIVER_API &&
	    (id == ABI_CBID_GRAPH_LAUNCH || id == ABI_CBID_GRAPH_LAUNCH_PTSZ))
		on_launch(data, id == ABI_CBID_GRAPH_LAUNCH_PTSZ);
	else if (domain == ABI_DOMAIN_DRIVER_API)
		on_instantiate(data);
	else if (domain == ABI_DOMAIN_RESOURCE)
		on_node(id, ((const struct abi_resource_data *)data)->descriptor);
}

/* --- start and end -----------------------------------------------------------------
 */

static const int node_kinds[] = {ABI_KIND_CONCURRENT_KERNEL, ABI_KIND_MEMSET,
                                 ABI_KIND_MEMCPY, ABI_KIND_MEMCPY2};
static const int graph_kinds[] = {ABI_KIND_GRAPH_TRACE};

static const int *kinds(size_t *n)
{
	*n = level == GAP_LEVEL_GRAPH ? 1 : sizeof node_kinds / sizeof *node_kinds;
	return level == GAP_LEVEL_GRAPH ? graph_kinds : node_kinds;
}

static const char *failed(const char *what, int result)
{
	static char text[256];
	const char *why = NULL;

	if (cupti->cuptiGetResultString)
		(void)cupti->cuptiGetResultString(result, &why);
	snprintf(text, sizeof text, "%s failed: %s (%d)", what,
	         why ? why : "CUPTI error", result);
	return text;
}

static const char *subscribe(void **subscriber)
{
	static char text[192];
	char other[ABI_OLD_NAME_SIZE] = "";
	struct abi_subscriber_params params = {
	    .size = sizeof params,
	    .name = "gapcount",
	    .old_name = other,
	    .old_size = sizeof other,
	};
	int result;

	/* From 13.2 on the new call wants new calls for all the rest. */
	if (cupti->cuptiSubscribe_v2 && cupti->version < 130200)
		result =
		    cupti->cuptiSubscribe_v2(subscriber, on_callback, NULL, &params);
	else
		result = cupti->cuptiSubscribe(subscriber, on_callback, NULL);
	if (result == ABI_ERROR_MULTIPLE_SUBSCRIBERS) {
		snprintf(text, sizeof text,
		         "another tool has CUPTI already: %.*s. Only one can",
		         (int)sizeof other - 1,
		         *other ? other
		                : "a profiler, a debugger or the program itself");
		return text;
	}
	return result == ABI_SUCCESS ? NULL : failed("cuptiSubscribe", result);
}

static const struct {
	int domain;
	uint32_t id;
	int needed; /* the others are of later versions */
	int graph_level;
} watched[] = {
    {ABI_DOMAIN_DRIVER_API, ABI_CBID_GRAPH_LAUNCH, 0, 1},
    {ABI_DOMAIN_DRIVER_API, ABI_CBID_GRAPH_LAUNCH_PTSZ, 0, 1},
    {ABI_DOMAIN_RESOURCE, ABI_RESOURCE_GRAPHNODE_CREATED, 1, 0},
    {ABI_DOMAIN_RESOURCE, ABI_RESOURCE_GRAPHNODE_CLONED, 1, 0},
    {ABI_DOMAIN_DRIVER_API, ABI_CBID_INSTANTIATE, 1, 0},
    {ABI_DOMAIN_DRIVER_API, ABI_CBID_INSTANTIATE_V2, 0, 0},
    {ABI_DOMAIN_DRIVER_API, ABI_CBID_INSTANTIATE_WITH_FLAGS, 0, 0},
    {ABI_DOMAIN_DRIVER_API, ABI_CBID_INSTANTIATE_WITH_PARAMS, 0, 0},
    {ABI_DOMAIN_DRIVER_API, ABI_CBID_INSTANTIATE_WITH_PARAMS_PTSZ, 0, 0},
};

static const char *watch_graphs(void *subscriber)
{
	size_t i;
	int result;

	for (i = 0; i < sizeof watched / sizeof *watched; i++) {
		if (watched[i].graph_level && level != GAP_LEVEL_GRAPH)
			continue;
		result = cupti->cuptiEnableCallback(1, subscriber, watched[i].domain,
		                                    watched[i].id);
		if (result != ABI_SUCCESS && watched[i].needed)
			return failed("cuptiEnableCallback", result);
	}
	return NULL;
}

/*
 * CUPTI's documentation gives correlation ids only where some API is traced, and the
 * launch would do.  13.0 gives them anyway, and tracing launches costs host time.
 */
static void trace_launches(void)
{
	if (!cupti->cuptiActivityEnableDriverApi || cupti->version >= 130000)
		return;
	(void)cupti->cuptiActivityEnableDriverApi(ABI_CBID_GRAPH_LAUNCH, 1);
	(void)cupti->cuptiActivityEnableDriverApi(ABI_CBID_GRAPH_LAUNCH_PTSZ, 1);
}

static const char *trace_records(void)
{
	const int *kind;
	size_t i, n;
	int result;

	result =
	    cupti->cuptiActivityRegisterCallbacks(buffer_requested, buffer_completed);
	if (result != ABI_SUCCESS)
		return failed("cuptiActivityRegisterCallbacks", result);
	kind = kinds(&n);
	for (i = 0; i < n; i++) {
		result = cupti->cuptiActivityEnable(kind[i]);
		if (result == ABI_SUCCESS)
			continue;
		while (i-- > 0)
			(void)cupti->cuptiActivityDisable(kind[i]);
		return failed("cuptiActivityEnable", result);
	}
	trace_launches();
	return NULL;
}

const char *collect_start(const struct cupti *found, enum gap_level wanted,
                          size_t max_records)
{
	const char *failure;
	void *subscriber;

	cupti = found;
	level = wanted;
	most_records = 5 * (uint64_t)max_records;
	failure = subscribe(&subscriber);
	if (failure)
		return failure;
	failure = watch_graphs(subscriber);
	if (!failure)
		failure = trace_records();
	/* Nobody shall find CUPTI taken by a client that does nothing. */
	if (failure && cupti->cuptiUnsubscribe)
		(void)cupti->cuptiUnsubscribe(subscriber);
	atomic_store(&tracing, !failure);
	return failure;
}

void collect_flush(int forced)
{
	(void)cupti->cuptiActivityFlushAll(forced ? ABI_FLUSH_FORCED : 0);
	events_collect();
}

void collect_stop(void)
{
	const int *kind;
	size_t i, n;

	if (!atomic_exchange(&tracing, 0))
		return;
	kind = kinds(&n);
	for (i = 0; i < n; i++)
		(void)cupti->cuptiActivityDisable(kind[i]);
	if (atomic_load(&buffers_failed))
		gapcount_say("memory was short: CUPTI dropped records");
}

void collect_tend(void)
{
	if (store_counts().seen > most_records)
		collect_stop();
}
