/* SPDX-License-Identifier: MIT */
/*
 * client.h - a client of CUPTI that writes down what it gets; for unit-mock-cupti.c.
 */
#ifndef CLIENT_H
#define CLIENT_H

#include "../tap.h"

#include <cupti.h>
#include <pthread.h>
#include <string.h>

void mock_cupti_play(void);

enum { MOST = 4096, BUFFER = 1000 };

/* What the client got. */
static struct {
	struct {
		uint32_t kind, correlation;
		uint64_t start, end, node, bytes;
		uint32_t channel;
		char name[16];
	} records[MOST];
	size_t n, dropped, buffers, oversized, misread;
	struct {
		uint32_t domain, id, site, type;
		uint64_t node, original;
	} calls[64];
	size_t n_calls;
	int own_thread; /* records came in the thread that played */
	pthread_t player;
	size_t buffer_size, max_records;
} got;

static void requested(uint8_t **buffer, size_t *size, size_t *max_records)
{
	*size = got.buffer_size;
	*max_records = got.max_records;
	*buffer = *size ? aligned_alloc(8, *size + 8) : NULL;
	if (*buffer)
		memset(*buffer + *size, 0x5a, 8);
}

#define TAKE(record)                                                      \
	do {                                                              \
		got.records[got.n].correlation = (record)->correlationId; \
		got.records[got.n].start = (record)->start;               \
		got.records[got.n].end = (record)->end;                   \
	} while (0)
#define TAKE_NODE(record)                                                        \
	do {                                                                     \
		TAKE(record);                                                    \
		got.records[got.n].node = (record)->graphNodeId;                 \
		got.records[got.n].channel = (record)->channelType;              \
		got.misread += (record)->graphId != (record)->graphNodeId >> 32; \
	} while (0)

static void take(const CUpti_Activity *activity)
{
	const void *any = activity;

	if (got.n == MOST)
		bail("too many records");
	got.records[got.n].kind = activity->kind;
	if (activity->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
		const CUpti_ActivityKernel10 *kernel = any;

		TAKE_NODE(kernel);
		snprintf(got.records[got.n].name, sizeof got.records[got.n].name, "%s",
		         kernel->name);
	} else if (activity->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
		const CUpti_ActivityMemset4 *set = any;

		TAKE_NODE(set);
		got.records[got.n].bytes = set->bytes;
	} else if (activity->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
		const CUpti_ActivityMemcpy6 *copy = any;

		TAKE_NODE(copy);
		got.records[got.n].bytes = copy->bytes;
	} else if (activity->kind == CUPTI_ACTIVITY_KIND_MEMCPY2) {
		const CUpti_ActivityMemcpyPtoP4 *copy = any;

		TAKE_NODE(copy);
		got.records[got.n].bytes = copy->bytes;
	} else if (activity->kind == CUPTI_ACTIVITY_KIND_GRAPH_TRACE) {
		const CUpti_ActivityGraphTrace2 *graph = any;

		TAKE(graph);
	} else {
		got.misread++;
	}
	got.n++;
}

static void completed(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size,
                      size_t valid)
{
	CUpti_Activity *activity = NULL;
	size_t dropped = 0, before = got.n, i;
	CUptiResult result;

	got.buffers++;
	got.oversized += valid > size;
	for (i = 0; i < 8; i++)
		got.oversized += buffer[size + i] != 0x5a;
	while ((result = cuptiActivityGetNextRecord(buffer, valid, &activity)) ==
	       CUPTI_SUCCESS)
		take(activity);
	got.misread += result != CUPTI_ERROR_MAX_LIMIT_REACHED;
	if (got.max_records)
		got.oversized += got.n - before > got.max_records;
	if (cuptiActivityGetNumDroppedRecords(context, stream, &dropped) ==
	    CUPTI_SUCCESS)
		got.dropped += dropped;
	got.own_thread |= pthread_equal(pthread_self(), got.player);
	free(buffer);
}

static void called(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                   const void *data)
{
	size_t n = got.n_calls++;

	if (user != &got || n == 64)
		bail("a callback too many");
	got.calls[n].domain = domain;
	got.calls[n].id = id;
	if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
		got.calls[n].site = ((const CUpti_CallbackData *)data)->callbackSite;
	} else {
		const CUpti_ResourceData *resource = data;
		const CUpti_GraphData *graph = resource->resourceDescriptor;
		uint32_t exec = 0;

		got.calls[n].type = graph->nodeType;
		(void)cuptiGetGraphNodeId(graph->node, &got.calls[n].node);
		(void)cuptiGetGraphNodeId(graph->originalNode, &got.calls[n].original);
		if (id == CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED &&
		    cuptiGetGraphExecId(graph->graphExec, &exec) == CUPTI_SUCCESS)
			got.calls[n].node = exec;
	}
}

/* Subscribes, and enables kernels, memsets and copies. */
static CUpti_SubscriberHandle client(size_t buffer_size)
{
	CUpti_SubscriberHandle subscriber;

	got.buffer_size = buffer_size;
	got.player = pthread_self();
	is(cuptiSubscribe(&subscriber, called, &got), CUPTI_SUCCESS, "subscribed");
	is(cuptiActivityRegisterCallbacks(requested, completed), CUPTI_SUCCESS,
	   "registered");
	cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET);
	cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY);
	return subscriber;
}

static void sound(void)
{
	is(got.oversized, 0, "no buffer is overrun");
	is(got.misread, 0, "every record can be read");
	ok(!got.own_thread, "records come in a thread of CUPTI's own");
}

#endif
