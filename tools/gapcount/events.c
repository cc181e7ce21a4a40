/* SPDX-License-Identifier: MIT */
#include "events.h"
#include "store.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum {
	MAX_LAUNCHES = 1024, /* on their way at most; more are not timed */
	NOT_READY = 600,     /* CUDA_ERROR_NOT_READY */
};

struct launch {
	void *begin, *end; /* CUevents, used again and again */
	uint64_t when;
	uint32_t graph, replay;
	struct launch *next;
};

/* As cuda.h declares them, with pointers for handles. */
static struct {
	int (*create)(void **event, unsigned flags);
	int (*query)(void *event);
	int (*elapsed)(float *ms, void *begin, void *end);
	int (*record[2])(void *event, void *stream);
	int (*capturing[2])(void *stream, int *status);
} driver;
static int usable;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct launch *waiting, **last_waiting = &waiting, *spare;
static unsigned made;
static uint32_t launches;
static __thread struct launch *current; /* between enter and exit */

static void find_driver(void)
{
	void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);

	if (!lib)
		return;
	*(void **)&driver.create = dlsym(lib, "cuEventCreate");
	*(void **)&driver.query = dlsym(lib, "cuEventQuery");
	*(void **)&driver.elapsed = dlsym(lib, "cuEventElapsedTime");
	*(void **)&driver.record[0] = dlsym(lib, "cuEventRecord");
	*(void **)&driver.record[1] = dlsym(lib, "cuEventRecord_ptsz");
	*(void **)&driver.capturing[0] = dlsym(lib, "cuStreamIsCapturing");
	*(void **)&driver.capturing[1] = dlsym(lib, "cuStreamIsCapturing_ptsz");
	usable = driver.create && driver.query && driver.elapsed && driver.record[0] &&
	         driver.record[1] && driver.capturing[0] && driver.capturing[1];
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static struct launch *make(void)
{
	struct launch *launch = calloc(1, sizeof *launch);

	if (launch && driver.create(&launch->begin, 0) == 0 &&
	    driver.create(&launch->end, 0) == 0)
		return launch;
	free(launch); /* the event, if there is one, is the context's */
	return NULL;
}

static struct launch *take(void)
{
	struct launch *launch;
	unsigned may_make = 0;

	pthread_mutex_lock(&lock);
	launch = spare;
	if (launch)
		spare = launch->next;
	else if (made < MAX_LAUNCHES)
		may_make = ++made;
	pthread_mutex_unlock(&lock);
	return may_make ? make() : launch;
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
	if (!usable || driver.capturing[ptsz](stream, &status) != 0 || status != 0)
		return;
	current = take();
	if (!current) {
		events_collect();
		current = take();
	}
	if (!current)
		return;
	current->graph = graph;
	current->when = now();
	if (driver.record[ptsz](current->begin, stream) == 0)
		return;
	give_back(current);
	current = NULL;
}

void events_exit(void *stream, int ptsz)
{
	struct launch *launch = current;

	current = NULL;
	if (!launch)
		return;
	if (driver.record[ptsz](launch->end, stream) != 0) {
		give_back(launch);
		return;
	}
	pthread_mutex_lock(&lock);
	launch->replay = ++launches;
	launch->next = NULL;
	*last_waiting = launch;
	last_waiting = &launch->next;
	pthread_mutex_unlock(&lock);
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

/* The driver is asked without the lock: who launches meanwhile shall not wait for it.
 */
void events_collect(void)
{
	struct store_record record = {.name = "[events]"};
	struct launch *launch, *list = usable ? take_waiting() : NULL;
	float ms = 0;

	/* One that never ends, its context being gone, is not waited for. */
	while (list && driver.query(list->end) != NOT_READY) {
		launch = list;
		list = list->next;
		if (driver.elapsed(&ms, launch->begin, launch->end) == 0) {
			record.record = (struct gap_record){
			    .start = launch->when,
			    .end = launch->when + (uint64_t)(1e6 * (double)ms),
			    .graph = launch->graph,
			    .replay = launch->replay,
			    .kind = GAP_OTHER,
			};
			store_add(&record, 1);
		}
		give_back(launch);
	}
	put_back(list);
}
