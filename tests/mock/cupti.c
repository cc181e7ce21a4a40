/* SPDX-License-Identifier: MIT */
/*
 * cupti.c - a mock of libcupti that plays what a script says: see mock.h.
 *
 * Only what a client of activity records and graph callbacks calls is here.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "mock.h"

enum { CALLBACK_IDS = 2048 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUpti_CallbackFunc subscribed; /* under the lock, as what follows */
static void *subscribed_user;
static char subscribed_name[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN];
static CUpti_BuffersCallbackRequestFunc request;
static CUpti_BuffersCallbackCompleteFunc complete;

static atomic_char wanted[CUPTI_CB_DOMAIN_SIZE][CALLBACK_IDS];
static atomic_char kinds[CUPTI_ACTIVITY_KIND_COUNT];
static atomic_int apis;   /* calls of the program's are recorded, some of them */
static atomic_int forked; /* a child of a client: it has no CUPTI */

static void after_fork(void)
{
	atomic_store(&forked, subscribed != NULL);
}

__attribute__((constructor)) static void start(void)
{
	pthread_atfork(NULL, NULL, after_fork);
}

/* One line, one write: other threads and processes may log as well. */
__attribute__((format(printf, 1, 2))) static void log_call(const char *fmt, ...)
{
	const char *path = getenv("MOCK_CUPTI_LOG");
	char line[256];
	va_list args;
	int fd, n;

	if (!path || !*path)
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (fd < 0)
		mock_fail("cannot write %s", path);
	va_start(args, fmt);
	n = vsnprintf(line, sizeof line - 1, fmt, args);
	va_end(args);
	n = n < (int)sizeof line - 1 ? n : (int)sizeof line - 2;
	line[n++] = '\n';
	if (write(fd, line, (size_t)n) != n)
		mock_fail("cannot write %s", path);
	close(fd);
}

CUptiResult mock_enter(const char *function, unsigned long argument)
{
	CUptiResult result = script_fault(function);

	if (result != CUPTI_SUCCESS)
		log_call("%s %lu fails: %d", function, argument, (int)result);
	else
		log_call("%s %lu", function, argument);
	return atomic_load(&forked) ? CUPTI_ERROR_NOT_INITIALIZED : result;
}

/* --- for the other files -----------------------------------------------------------
 */

int mock_enabled(CUpti_ActivityKind kind)
{
	return atomic_load(&kinds[kind]);
}

/* Until 13.0, they come with the records of API calls. */
int mock_correlates(void)
{
	return script_get()->version >= 130000 || atomic_load(&apis) ||
	       mock_enabled(CUPTI_ACTIVITY_KIND_DRIVER) ||
	       mock_enabled(CUPTI_ACTIVITY_KIND_RUNTIME);
}

void mock_call_back(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
{
	CUpti_CallbackFunc function;
	void *user;

	pthread_mutex_lock(&lock);
	function = subscribed;
	user = subscribed_user;
	pthread_mutex_unlock(&lock);
	if (function && id < CALLBACK_IDS && atomic_load(&wanted[domain][id]))
		function(user, domain, id, data);
}

void mock_buffer_request(uint8_t **buffer, size_t *size, size_t *max_records)
{
	CUpti_BuffersCallbackRequestFunc function;

	*buffer = NULL;
	*size = *max_records = 0;
	pthread_mutex_lock(&lock);
	function = request;
	pthread_mutex_unlock(&lock);
	if (function)
		function(buffer, size, max_records);
	log_call("buffer requested %zu", *size);
}

void mock_buffer_done(uint8_t *buffer, size_t size, size_t valid)
{
	CUpti_BuffersCallbackCompleteFunc function;

	pthread_mutex_lock(&lock);
	function = complete;
	pthread_mutex_unlock(&lock);
	log_call("buffer completed %zu", valid);
	function(NULL, 0, buffer, size, valid);
}

/* --- exported ----------------------------------------------------------------------
 */

void mock_cupti_play(void)
{
	log_call("mock_cupti_play");
	if (!atomic_load(&forked))
		play(PLAY_PAUSE);
}

/* 0, or an error, and then the name of the one who has CUPTI. */
static CUptiResult subscribe(CUpti_SubscriberHandle *subscriber,
                             CUpti_CallbackFunc function, void *user, const char *name,
                             char *old, size_t old_size)
{
	const char *busy = script_get()->busy;

	if (!subscriber)
		return CUPTI_ERROR_INVALID_PARAMETER;
	pthread_mutex_lock(&lock);
	if (!busy && subscribed)
		busy = subscribed_name;
	if (busy) {
		if (old && old_size)
			snprintf(old, old_size, "%s", busy);
		pthread_mutex_unlock(&lock);
		return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
	}
	subscribed = function;
	subscribed_user = user;
	snprintf(subscribed_name, sizeof subscribed_name, "CUPTI for %s", name);
	*subscriber = (CUpti_SubscriberHandle)&subscribed;
	pthread_mutex_unlock(&lock);
	return CUPTI_SUCCESS;
}

MOCK_EXPORT CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber,
                                       CUpti_CallbackFunc function, void *user)
{
	ENTER(0);
	return subscribe(subscriber, function, user, "", NULL, 0);
}

MOCK_EXPORT CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle *subscriber,
                                          CUpti_CallbackFunc function, void *user,
                                          CUpti_SubscriberParams *params)
{
	ENTER(0);
	if (!params)
		return subscribe(subscriber, function, user, "", NULL, 0);
	if (params->structSize != CUpti_SubscriberParams_STRUCT_SIZE)
		return CUPTI_ERROR_INVALID_PARAMETER;
	return subscribe(subscriber, function, user,
	                 params->subscriberName ? params->subscriberName : "",
	                 params->oldSubscriberName, params->oldSubscriberSize);
}

static int is_subscriber(CUpti_SubscriberHandle subscriber)
{
	return subscriber == (CUpti_SubscriberHandle)&subscribed;
}

MOCK_EXPORT CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber)
{
	ENTER(0);
	if (!is_subscriber(subscriber))
		return CUPTI_ERROR_INVALID_PARAMETER;
	pthread_mutex_lock(&lock);
	subscribed = NULL;
	pthread_mutex_unlock(&lock);
	return CUPTI_SUCCESS;
}

MOCK_EXPORT CUptiResult cuptiEnableCallback(uint32_t enable,
                                            CUpti_SubscriberHandle subscriber,
                                            CUpti_CallbackDomain domain,
                                            CUpti_CallbackId id)
{
	ENTER(id);
	if (!is_subscriber(subscriber) || domain >= CUPTI_CB_DOMAIN_SIZE ||
	    id >= CALLBACK_IDS)
		return CUPTI_ERROR_INVALID_PARAMETER;
	atomic_store(&wanted[domain][id], enable != 0);
	return CUPTI_SUCCESS;
}

MOCK_EXPORT CUptiResult cuptiEnableDomain(uint32_t enable,
                                          CUpti_SubscriberHandle subscriber,
                                          CUpti_CallbackDomain domain)
{
	size_t i;

	ENTER(domain);
	if (!is_subscriber(subscriber) || domain >= CUPTI_CB_DOMAIN_SIZE)
		return CUPTI_ERROR_INVALID_PARAMETER;
	for (i = 0; i < CALLBACK_IDS; i++)
		atomic_store(&wanted[domain][i], enable != 0);
	return CUPTI_SUCCESS;
}

MOCK_EXPORT CUptiResult
cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
                               CUpti_BuffersCallbackCompleteFunc completed)
{
	ENTER(0);
	if (!requested || !completed)
		return CUPTI_ERROR_INVALID_PARAMETER;
	pthread_mutex_lock(&lock);
	request = requested;
	complete = completed;
	pthread_mutex_unlock(&lock);
	return CUPTI_SUCCESS;
}

MOCK_EXPORT CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
	ENTER(kind);
	if (kind >= CUPTI_ACTIVITY_KIND_COUNT)
		return CUPTI_ERROR_INVALID_KIND;
	atomic_store(&kinds[kind], 1);
	return CUPTI_SUCCESS;
}

MOCK_EXPORT CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind)
{
	ENTER(kind);
	if (kind >= CUPTI_ACTIVITY_KIND_COUNT)
		return CUPTI_ERROR_INVALID_KIND;
	atomic_store(&kinds[kind], 0);
	return CUPTI_SUCCESS;
}

MOCK_EXPORT CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId id,
                                                     uint8_t enable)
{
	ENTER(id);
	atomic_fetch_add(&apis, enable ? 1 : -1);
	return CUPTI_SUCCESS;
}

MOCK_EXPORT CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute,
                                                  size_t *size, void *value)
{
	ENTER(attribute);
	return size && value ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

MOCK_EXPORT CUptiResult cuptiActivityFlushPeriod(uint32_t ms)
{
	ENTER(ms);
	return CUPTI_SUCCESS;
}

MOCK_EXPORT CUptiResult cuptiActivityFlushAll(uint32_t flags)
{
	int registered;

	ENTER(flags);
	pthread_mutex_lock(&lock);
	registered = request != NULL;
	pthread_mutex_unlock(&lock);
	if (!registered)
		return CUPTI_ERROR_INVALID_OPERATION;
	play(flags & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED ? PLAY_ALL : PLAY_NOTHING);
	return CUPTI_SUCCESS;
}
