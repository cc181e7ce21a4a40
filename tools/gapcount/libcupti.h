/* SPDX-License-Identifier: MIT */
/*
 * libcupti.h - CUPTI's functions, found at run time: the program's own copy where it
 * has one, since a second copy in a process would be a second client of the driver.
 */
#ifndef GAPCOUNT_CUPTI_H
#define GAPCOUNT_CUPTI_H

#include "cupti_abi.h"

/* NEED: without it there is no counting.  MAY: absent from older versions. */
#define CUPTI_FUNCTIONS(NEED, MAY)                                                 \
	NEED(int, cuptiGetVersion, (uint32_t * version))                           \
	NEED(int, cuptiSubscribe,                                                  \
	     (void **subscriber, abi_callback *function, void *user))              \
	MAY(int, cuptiUnsubscribe, (void *subscriber))                             \
	MAY(int, cuptiSubscribe_v2,                                                \
	    (void **subscriber, abi_callback *function, void *user,                \
	     struct abi_subscriber_params *params))                                \
	NEED(int, cuptiEnableCallback,                                             \
	     (uint32_t enable, void *subscriber, int domain, uint32_t id))         \
	NEED(int, cuptiActivityRegisterCallbacks,                                  \
	     (abi_buffer_requested * requested, abi_buffer_completed * completed)) \
	NEED(int, cuptiActivityEnable, (int kind))                                 \
	NEED(int, cuptiActivityDisable, (int kind))                                \
	NEED(int, cuptiActivityFlushAll, (uint32_t flags))                         \
	NEED(int, cuptiActivityGetNextRecord,                                      \
	     (uint8_t * buffer, size_t valid, struct abi_activity * *record))      \
	NEED(int, cuptiActivityGetNumDroppedRecords,                               \
	     (void *context, uint32_t stream, size_t *dropped))                    \
	MAY(int, cuptiActivityEnableDriverApi, (uint32_t id, uint8_t enable))      \
	NEED(int, cuptiGetGraphNodeId, (void *node, uint64_t *id))                 \
	MAY(int, cuptiGetGraphExecId, (void *exec, uint32_t *id))                  \
	MAY(int, cuptiGetResultString, (int result, const char **string))

struct cupti {
#define CUPTI_POINTER(type, name, params) type(*name) params;
	CUPTI_FUNCTIONS(CUPTI_POINTER, CUPTI_POINTER)
#undef CUPTI_POINTER
	char *path;       /* where it was found */
	uint32_t version; /* as cuptiGetVersion counts */
};

/*
 * Finds and loads it; `given` (may be NULL) is tried before all but what the program
 * has loaded.  NULL, or why there is none: a constant string.
 */
const char *cupti_open(struct cupti *cupti, const char *given);

/* "13.0.1", or "API 24" where versions were not yet counted like that. */
void cupti_version_text(uint32_t version, char *buf, size_t size);

#endif
