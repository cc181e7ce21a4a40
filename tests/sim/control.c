/* SPDX-License-Identifier: MIT */
/*
 * control.c - counting, faults, callbacks and the log of every driver call.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

#define MAX_FUNCTIONS 512
#define MAX_LOG 65536

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Apart from `lock`, so that a test may ask while a driver function is at work. */
static pthread_mutex_t control = PTHREAD_MUTEX_INITIALIZER;

static struct entry {
	const char *name;
	int calls;
	int fail_at; /* the call that fails, counted like calls; 0 none */
	CUresult result;
	void (*callback)(void *);
	void *arg;
} entries[MAX_FUNCTIONS];

/* The process is ending: from here on every call says that the driver is gone. */
static atomic_int ended;

static const char **log_names;
static int log_length;
static int log_on;

/* Calls made by a callback do not call back again. */
static __thread int in_callback;

static struct entry *entry_of(const char *name)
{
	int i;

	for (i = 0; i < MAX_FUNCTIONS && entries[i].name; i++)
		if (!strcmp(entries[i].name, name))
			return &entries[i];
	if (i == MAX_FUNCTIONS) {
		fprintf(stderr, "sim: more than %d function names\n", MAX_FUNCTIONS);
		abort();
	}
	entries[i].name = strdup(name);
	return &entries[i];
}

void *sim_new(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size);

	if (!p) {
		fprintf(stderr, "sim: out of memory\n");
		abort();
	}
	return p;
}

int sim_lock(void)
{
	pthread_mutex_lock(&lock);
	return 1;
}

void sim_unlock(int *held)
{
	if (*held)
		pthread_mutex_unlock(&lock);
}

CUresult sim_enter(const char *function)
{
	void (*callback)(void *);
	CUresult result = CUDA_SUCCESS;
	struct entry *e;
	void *arg;

	pthread_mutex_lock(&control);
	e = entry_of(function);
	e->calls++;
	if (e->fail_at && e->calls == e->fail_at) {
		result = e->result;
		e->fail_at = 0;
	}
	if (log_on && log_length < MAX_LOG)
		log_names[log_length++] = e->name;
	callback = e->callback;
	arg = e->arg;
	pthread_mutex_unlock(&control);
	if (callback && !in_callback) {
		in_callback = 1;
		callback(arg);
		in_callback = 0;
	}
	return ended ? CUDA_ERROR_DEINITIALIZED : result;
}

/* Like the real driver's, this one's state does not outlive a fork. */
static void after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
	pthread_mutex_init(&control, NULL);
	sim_forked();
	sim_inject_forked();
}

__attribute__((constructor)) static void start(void)
{
	pthread_atfork(NULL, NULL, after_fork);
}

__attribute__((destructor)) static void end(void)
{
	ended = 1;
}

SIM_EXPORT void sim_reset(void)
{
	int i;

	pthread_mutex_lock(&control);
	for (i = 0; i < MAX_FUNCTIONS; i++)
		entries[i] = (struct entry){.name = entries[i].name};
	log_length = 0;
	log_on = 0;
	pthread_mutex_unlock(&control);
	sim_driver_version(0);
}

SIM_EXPORT void sim_fail(const char *function, int nth, CUresult result)
{
	struct entry *e;

	pthread_mutex_lock(&control);
	e = entry_of(function);
	e->fail_at = nth > 0 ? e->calls + nth : 0;
	e->result = result;
	pthread_mutex_unlock(&control);
}

SIM_EXPORT int sim_calls(const char *function)
{
	int calls;

	pthread_mutex_lock(&control);
	calls = entry_of(function)->calls;
	pthread_mutex_unlock(&control);
	return calls;
}

SIM_EXPORT void sim_on_call(const char *function, void (*callback)(void *), void *arg)
{
	struct entry *e;

	pthread_mutex_lock(&control);
	e = entry_of(function);
	e->callback = callback;
	e->arg = arg;
	pthread_mutex_unlock(&control);
}

SIM_EXPORT void sim_log_start(void)
{
	pthread_mutex_lock(&control);
	if (!log_names)
		log_names = sim_new(MAX_LOG, sizeof *log_names);
	log_length = 0;
	log_on = 1;
	pthread_mutex_unlock(&control);
}

SIM_EXPORT void sim_log_stop(void)
{
	pthread_mutex_lock(&control);
	log_on = 0;
	pthread_mutex_unlock(&control);
}

SIM_EXPORT const char *sim_log_entry(int i)
{
	const char *name;

	pthread_mutex_lock(&control);
	name = i >= 0 && i < log_length ? log_names[i] : NULL;
	pthread_mutex_unlock(&control);
	return name;
}

SIM_EXPORT struct sim_live sim_live(void)
{
	struct sim_live live;
	struct region *r;
	CUstream s;
	__attribute__((cleanup(sim_unlock), unused)) int held = sim_lock();

	live = (struct sim_live){.libraries = sim_libraries(), .graphs = sim_graphs()};
	for (s = sim_streams(); s; s = s->next)
		live.streams += s->ctx && s->kind == STREAM_NORMAL;
	for (r = sim_regions(); r; r = r->next)
		/* A graph's own memory lasts to the end here. */
		live.allocations += r->kind != REGION_GRAPH;
	return live;
}
