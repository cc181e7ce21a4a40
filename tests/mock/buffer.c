/* SPDX-License-Identifier: MIT */
/*
 * buffer.c - records into the client's buffers, and the thread that gives them back.
 *
 * Filled by whoever plays, one at a time.  The client's callback never runs in a thread
 * that holds a lock of ours, but a flush waits for it, as with CUPTI.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "mock.h"

enum { QUEUE = 4 };

struct buffer {
	uint8_t *data;
	size_t size, used, max; /* max records; 0: what fits */
	size_t *offsets;        /* of each record */
	size_t n, room;
};

static struct buffer current;
static uint64_t shuffling; /* state of the generator; 0: no */
static atomic_size_t dropped;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct buffer queue[QUEUE]; /* under the lock, oldest first */
static size_t queued, working;
static int started;

void buffer_shuffle(uint64_t seed)
{
	shuffling = seed ? seed : 1;
}

void buffer_drop(uint64_t n)
{
	atomic_fetch_add(&dropped, n);
}

size_t buffer_take_dropped(void)
{
	return atomic_exchange(&dropped, 0);
}

static size_t any_below(size_t n)
{
	shuffling ^= shuffling << 13;
	shuffling ^= shuffling >> 7;
	shuffling ^= shuffling << 17;
	return (size_t)(shuffling % n);
}

/* The records of a buffer change places. */
static void shuffle(struct buffer *b)
{
	uint8_t *copy = mock_new(1, b->used), *out = b->data;
	size_t i, k, at;

	memcpy(copy, b->data, b->used);
	for (i = b->n; i > 1; i--) {
		k = any_below(i);
		at = b->offsets[i - 1];
		b->offsets[i - 1] = b->offsets[k];
		b->offsets[k] = at;
	}
	for (i = 0; i < b->n; i++) {
		const void *record = copy + b->offsets[i];
		size_t size = record_size(((const CUpti_Activity *)record)->kind);

		memcpy(out, record, size);
		out += size;
	}
	free(copy);
}

static void *work(void *unused)
{
	struct buffer b;

	(void)unused;
	pthread_mutex_lock(&lock);
	for (;;) {
		while (!queued)
			pthread_cond_wait(&changed, &lock);
		b = queue[0];
		memmove(queue, queue + 1, --queued * sizeof *queue);
		working = 1;
		pthread_mutex_unlock(&lock);
		mock_buffer_done(b.data, b.size, b.used);
		free(b.offsets);
		pthread_mutex_lock(&lock);
		working = 0;
		pthread_cond_broadcast(&changed);
	}
	return NULL;
}

static void start(void)
{
	sigset_t all, before;
	pthread_t thread;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&thread, NULL, work, NULL) != 0)
		mock_fail("no thread");
	pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void buffer_deliver(void)
{
	if (!current.data)
		return;
	if (shuffling)
		shuffle(&current);
	pthread_mutex_lock(&lock);
	if (!started)
		start();
	started = 1;
	while (queued == QUEUE)
		pthread_cond_wait(&changed, &lock);
	queue[queued++] = current;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	current = (struct buffer){.data = NULL};
}

void buffer_wait(void)
{
	pthread_mutex_lock(&lock);
	while (queued || working)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static int fits(size_t size)
{
	return current.data && current.used + size <= current.size &&
	       (!current.max || current.n < current.max);
}

void buffer_add(const uint8_t *record, size_t size)
{
	if (!fits(size)) {
		buffer_deliver();
		mock_buffer_request(&current.data, &current.size, &current.max);
		if ((uintptr_t)current.data % ACTIVITY_RECORD_ALIGNMENT)
			mock_fail("the client's buffer is not aligned");
	}
	if (!fits(size)) {
		buffer_drop(1);
		return;
	}
	if (current.n == current.room) {
		current.room = current.room ? 2 * current.room : 1024;
		current.offsets =
		    realloc(current.offsets, current.room * sizeof *current.offsets);
		if (!current.offsets)
			mock_fail("out of memory");
	}
	current.offsets[current.n++] = current.used;
	memcpy(current.data + current.used, record, size);
	current.used += size;
}
