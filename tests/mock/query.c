/* SPDX-License-Identifier: MIT */
/* query.c - what a client asks CUPTI: records of a buffer, ids, times, its version. */
#include <stdio.h>
#include <time.h>

#include "mock.h"

MOCK_EXPORT CUptiResult cuptiGetVersion(uint32_t *version)
{
	ENTER(0);
	*version = script_get()->version;
	return CUPTI_SUCCESS;
}

MOCK_EXPORT CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
	static __thread char buf[32];

	ENTER(result);
	snprintf(buf, sizeof buf, "MOCK_RESULT_%d", (int)result);
	*text = buf;
	return CUPTI_SUCCESS;
}

MOCK_EXPORT CUptiResult cuptiGetTimestamp(uint64_t *timestamp)
{
	struct timespec now;

	ENTER(0);
	clock_gettime(CLOCK_REALTIME, &now);
	*timestamp = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	return CUPTI_SUCCESS;
}

MOCK_EXPORT CUptiResult cuptiGetDeviceId(CUcontext context, uint32_t *device)
{
	ENTER(0);
	*device = 0;
	return context ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_CONTEXT;
}

/* --- what is called too often to be logged -----------------------------------------
 */

static CUptiResult id_of(const char *function, const void *handle, uint64_t *id)
{
	CUptiResult result = script_fault(function);

	if (result != CUPTI_SUCCESS)
		return result;
	return graph_id_of(handle, id) ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

MOCK_EXPORT CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t *id)
{
	return id_of(__func__, node, id);
}

MOCK_EXPORT CUptiResult cuptiGetGraphId(CUgraph graph, uint32_t *id)
{
	uint64_t wide = 0;
	CUptiResult result = id_of(__func__, graph, &wide);

	*id = (uint32_t)wide;
	return result;
}

MOCK_EXPORT CUptiResult cuptiGetGraphExecId(CUgraphExec exec, uint32_t *id)
{
	uint64_t wide = 0;
	CUptiResult result = id_of(__func__, exec, &wide);

	*id = (uint32_t)wide;
	return result;
}

MOCK_EXPORT CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid,
                                                   CUpti_Activity **record)
{
	CUptiResult result = script_fault(__func__);
	uint8_t *next = buffer;
	size_t size;

	if (result != CUPTI_SUCCESS)
		return result;
	if (!buffer || !record)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (*record) {
		size = record_size((*record)->kind);
		if (!size)
			return CUPTI_ERROR_INVALID_KIND;
		next = (uint8_t *)*record + size;
	}
	if (next >= buffer + valid)
		return CUPTI_ERROR_MAX_LIMIT_REACHED;
	*record = (CUpti_Activity *)(void *)next;
	return CUPTI_SUCCESS;
}

MOCK_EXPORT CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context,
                                                          uint32_t stream,
                                                          size_t *dropped)
{
	CUptiResult result = script_fault(__func__);

	(void)context;
	(void)stream;
	if (result != CUPTI_SUCCESS)
		return result;
	if (!dropped)
		return CUPTI_ERROR_INVALID_PARAMETER;
	*dropped = buffer_take_dropped();
	return CUPTI_SUCCESS;
}
