/* SPDX-License-Identifier: MIT */
#include "events.h"
#include "store.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	MAX_LAUNCHES = 1024, /* on their way at most; more are not timed */
	NOT_READY = 600,     /* CUDA_ERROR_NOT_READY */
	/* CUDA_ERROR_STREAM_CAPTURE_*: the driver would not say. */
	CAPTURE_FIRST = 900,
	CAPTURE_LAST = 908,
	MODE_RELAXED = 2, /* CU_STREAM_CAPTURE_MODE_RELAXED */
};

struct launch {
	void *context;     /* to which the events belong */
	void *begin, *end; /* CUevents, used again and again */
	uint64_t when;
	uint32_t graph, replay;
	int device;
	struct launch *next;
};

/* As cuda.h declares them, with pointers for handles. */
static struct {
	int (*create)(void **event, unsigned flags);
	int (*destroy)(void *event);
	int (*query)(void *event);
	int (*elapsed)(float *ms, void *begin, void *end);
	int (*exchange_mode)(int *mode);
	int (*get_context)(void **context);
	int (*get_device)(int *device);
	int (*record[2])(void *event, void *stream);
	int (*capturing[2])(void *stream, int *status);
} driver;

static const struct {
	const char *name;
	void *pointer;
} functions[] = {
    {"cuEventCreate", &driver.create},
    {"cuEventDestroy_v2", &driver.destroy},
    {"cuEventQuery", &driver.query},
    {"cuEventElapsedTime", &driver.elapsed},
    {"cuThreadExchangeStreamCaptureMode", &driver.exchange_mode},
    {"cuCtxGetCurrent", &driver.get_context},
    {"cuCtxGetDevice", &driver.get_device},
    {"cuEventRecord", &driver.record[0]},
    {"cuEventRecord_ptsz", &driver.record[1]},
    {"cuStreamIsCapturing", &driver.capturing[0]},
    {"cuStreamIsCapturing_ptsz", &driver.capturing[1]},
};

static atomic_int usable;
static atomic_ulong untimed;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct launch *waiting, **last_waiting = &waiting, *spare;
static unsigned made;
static uint32_t launches;
static __thread struct launch *current; /* between enter and exit */

static void find_driver(void)
{
	void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), *found;
	size_t i;

	for (i = 0; lib && i < sizeof functions / sizeof *functions; i++) {
		found = dlsym(lib, functions[i].name);
		if (!found)
			return;
		memcpy(functions[i].pointer, &found, sizeof found);
	}
	atomic_store(&usable, lib != NULL);
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* One whose events cannot be used, or whose context may be gone. */
static void forget(struct launch *launch)
{
	if (launch->begin)
		(void)driver.destroy(launch->begin);
	if (launch->end)
		(void)driver.destroy(launch->end);
	free(launch);
	pthread_mutex_lock(&lock);
	made--;
	pthread_mutex_unlock(&lock);
}

static struct launch *make(void *context)
{
	struct launch *launch = NULL;

	pthread_mutex_lock(&lock);
	if (made < MAX_LAUNCHES)
		launch = calloc(1, sizeof *launch);
	made += launch != NULL;
	pthread_mutex_unlock(&lock);
	if (!launch)
		return NULL;
	launch->context = context;
	if (driver.create(&launch->begin, 0) == 0 &&
	    driver.create(&launch->end, 0) == 0 &&
	    driver.get_device(&launch->device) == 0)
		return launch;
	forget(launch);
	return NULL;
}

/* A spare one of the current context, or a new one. */
static struct launch *take(void)
{
	struct launch **link, *launch = NULL;
	void *context = NULL;

	if (driver.get_context(&context) != 0 || !context)
		return NULL;
	pthread_mutex_lock(&lock);
	for (link = &spare; *link; link = &(*link)->next)
		if ((*link)->context == context) {
			launch = *link;
			*link = launch->next;
			break;
		}
	pthread_mutex_unlock(&lock);
	return launch ? launch : make(context);
}

static void give_back(struct launch *launch)
{
	pthread_mutex_lock(&lock);
	launch->next = spare;
	spare = launch;
	pthread_mutex_unlock(&lock);
}

void events_enter(uint32_t graph, void *stream, int ptsz)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int status = 0;

	pthread_once(&once, find_driver);
	current = NULL;
	if (!atomic_load(&usable)) {
		untimed++;
		return;
	}
	if (driver.capturing[ptsz](stream, &status) != 0 || status != 0)
		return; /* it becomes a node, and runs when that does */
	current = take();
	if (!current) {
		events_collect();
		current = take();
	}
	if (current) {
		current->graph = graph;
		current->when = now();
		if (driver.record[ptsz](current->begin, stream) == 0)
			return;
		forget(current);
		current = NULL;
	}
	untimed++;
}

void events_exit(void *stream, int ptsz, int launched)
{
	struct launch *launch = current;

	current = NULL;
	if (!launch)
		return;
	if (!launched) {
		give_back(launch);
		return;
	}
	if (driver.record[ptsz](launch->end, stream) != 0) {
		forget(launch);
		untimed++;
		return;
	}
	pthread_mutex_lock(&lock);
	launch->replay = ++launches;
	launch->next = NULL;
	*last_waiting = launch;
	last_waiting = &launch->next;
	pthread_mutex_unlock(&lock);
}

unsigned long events_untimed(void)
{
	return atomic_load(&untimed);
}

static struct launch *take_waiting(void)
{
	struct launch *list;

	pthread_mutex_lock(&lock);
	list = waiting;
	waiting = NULL;
	last_waiting = &waiting;
	pthread_mutex_unlock(&lock);
	return list;
}

/* In front of those that came meanwhile. */
static void put_back(struct launch *list)
{
	struct launch **end = &list;

	while (*end)
		end = &(*end)->next;
	pthread_mutex_lock(&lock);
	*end = waiting;
	if (!waiting)
		last_waiting = end == &list ? &waiting : end;
	waiting = list;
	pthread_mutex_unlock(&lock);
}

/* 1 ended, 0 not yet or not known, -1 never: its context is gone. */
static int has_ended(const struct launch *launch)
{
	int result = driver.query(launch->end);

	if (result == NOT_READY || (result >= CAPTURE_FIRST && result <= CAPTURE_LAST))
		return 0;
	return result == 0 ? 1 : -1;
}

static void add_record(const struct launch *launch)
{
	struct store_record record = {.name = "[events]"};
	float ms = 0;

	if (driver.elapsed(&ms, launch->begin, launch->end) != 0)
		return;
	record.record = (struct gap_record){
	    .start = launch->when,
	    .end = launch->when + (uint64_t)(1e6 * (double)ms),
	    .graph = launch->graph,
	    .replay = launch->replay,
	    .device = (uint16_t)launch->device,
	    .kind = GAP_OTHER,
	};
	store_add(&record, 1);
}

/*
 * The driver is asked without the lock: who launches meanwhile shall not wait for it.
 * And in relaxed mode: a query would invalidate a global capture of any thread.
 */
void events_collect(void)
{
	struct launch *launch, *list;
	int mode = MODE_RELAXED, ended;

	if (!atomic_load(&usable) || driver.exchange_mode(&mode) != 0)
		return;
	list = take_waiting();
	while (list && (ended = has_ended(list)) != 0) {
		launch = list;
		list = list->next;
		if (ended > 0) {
			add_record(launch);
			give_back(launch);
		} else {
			untimed++;
			forget(launch);
		}
	}
	put_back(list);
	(void)driver.exchange_mode(&mode);
}
