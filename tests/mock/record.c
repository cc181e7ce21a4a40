/* SPDX-License-Identifier: MIT */
/* record.c - activity records, as CUPTI 13.0 lays them out. */
#include <string.h>

#include "mock.h"

static CUpti_ActivityKind kind_of(const struct statement *what)
{
	switch (what->verb) {
	case VERB_MEMSET:
		return CUPTI_ACTIVITY_KIND_MEMSET;
	case VERB_MEMCPY:
		return CUPTI_ACTIVITY_KIND_MEMCPY;
	case VERB_MEMCPY2:
		return CUPTI_ACTIVITY_KIND_MEMCPY2;
	case VERB_GRAPH:
		return CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
	default:
		return CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
	}
}

size_t record_size(CUpti_ActivityKind kind)
{
	switch (kind) {
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
		return sizeof(CUpti_ActivityKernel10);
	case CUPTI_ACTIVITY_KIND_MEMSET:
		return sizeof(CUpti_ActivityMemset4);
	case CUPTI_ACTIVITY_KIND_MEMCPY:
		return sizeof(CUpti_ActivityMemcpy6);
	case CUPTI_ACTIVITY_KIND_MEMCPY2:
		return sizeof(CUpti_ActivityMemcpyPtoP4);
	case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
		return sizeof(CUpti_ActivityGraphTrace2);
	default:
		return 0;
	}
}

/* Graph level switches the records of graphs' nodes off; MEMCPY2 comes with MEMCPY. */
int record_wanted(const struct statement *what)
{
	CUpti_ActivityKind kind = kind_of(what);

	if (!mock_enabled(kind))
		return 0;
	if (kind == CUPTI_ACTIVITY_KIND_GRAPH_TRACE)
		return 1;
	if (kind == CUPTI_ACTIVITY_KIND_MEMCPY2 &&
	    !mock_enabled(CUPTI_ACTIVITY_KIND_MEMCPY))
		return 0;
	return !what->graph || !mock_enabled(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
}

#define FILL(record)                                         \
	do {                                                 \
		(record)->start = what->start;               \
		(record)->end = what->end;                   \
		(record)->deviceId = (uint32_t)what->device; \
		(record)->correlationId = (uint32_t)launch;  \
		(record)->graphId = (uint32_t)what->graph;   \
		(record)->contextId = 1;                     \
		(record)->streamId = 7;                      \
	} while (0)

#define FILL_NODE(record, usual)                                              \
	do {                                                                  \
		FILL(record);                                                 \
		(record)->graphNodeId = what->graph << 32 | what->node;       \
		(record)->channelID = 3;                                      \
		(record)->channelType =                                       \
		    what->channel ? (CUpti_ChannelType)what->channel : usual; \
	} while (0)

/* Members that nobody was told are not 0: nobody may rely on them. */
static size_t begin(void *record, CUpti_ActivityKind kind)
{
	CUpti_Activity *activity = record;
	size_t size = record_size(kind);

	memset(record, 0xa5, size);
	activity->kind = kind;
	return size;
}

size_t record_make(uint8_t *out, const struct statement *what)
{
	uint64_t launch = mock_correlates() ? what->correlation : 0;
	CUpti_ActivityKind kind = kind_of(what);
	size_t size = begin(out, kind);
	void *record = out;

	if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
		CUpti_ActivityKernel10 *kernel = record;

		FILL_NODE(kernel, CUPTI_CHANNEL_TYPE_COMPUTE);
		kernel->name = what->name;
	} else if (kind == CUPTI_ACTIVITY_KIND_MEMSET) {
		CUpti_ActivityMemset4 *set = record;

		FILL_NODE(set, CUPTI_CHANNEL_TYPE_COMPUTE);
		set->bytes = what->number;
	} else if (kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
		CUpti_ActivityMemcpy6 *copy = record;

		FILL_NODE(copy, CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY);
		copy->bytes = what->number;
	} else if (kind == CUPTI_ACTIVITY_KIND_MEMCPY2) {
		CUpti_ActivityMemcpyPtoP4 *copy = record;

		FILL_NODE(copy, CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY);
		copy->bytes = what->number;
	} else {
		CUpti_ActivityGraphTrace2 *graph = record;

		FILL(graph);
	}
	return size;
}
