/* SPDX-License-Identifier: MIT */
#include "graph_memory.h"

#include <pthread.h>
#include <stdlib.h>

#include "capture.h"

/* More than this, of captures that nobody ended, is forgotten: oldest first. */
#define MOST 65536

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block {
	cuuint64_t id;
	CUdeviceptr at;
	uint64_t bytes;
	CUdevice device;
} * blocks;
static size_t count, room;
static atomic_int any; /* of them; a capture without any takes no lock */

/* The lock is held.  Without memory for it the block stays unknown. */
static void add(struct block new)
{
	struct block *larger;

	if (count == room && room < MOST) {
		larger = realloc(blocks, (room ? 2 * room : 64) * sizeof *blocks);
		if (!larger)
			return;
		blocks = larger;
		room = room ? 2 * room : 64;
	}
	if (count == room) {
		size_t i, half = count / 2;

		for (i = half; i < count; i++)
			blocks[i - half] = blocks[i];
		count -= half;
	}
	blocks[count++] = new;
	atomic_store_explicit(&any, 1, memory_order_relaxed);
}

/* The lock is held.  Order is kept, for the sake of the oldest. */
static void drop(cuuint64_t id, CUdeviceptr at, int all)
{
	size_t i, kept = 0;

	for (i = 0; i < count; i++)
		if (blocks[i].id != id || (!all && blocks[i].at != at))
			blocks[kept++] = blocks[i];
	count = kept;
	atomic_store_explicit(&any, count != 0, memory_order_relaxed);
}

int graph_memory_any(void)
{
	return atomic_load_explicit(&any, memory_order_relaxed);
}

void graph_memory_add(cuuint64_t id, CUdeviceptr at, uint64_t bytes, CUdevice device)
{
	pthread_mutex_lock(&lock);
	add((struct block){.id = id, .at = at, .bytes = bytes, .device = device});
	pthread_mutex_unlock(&lock);
}

void graph_memory_drop(cuuint64_t id, CUdeviceptr at)
{
	pthread_mutex_lock(&lock);
	drop(id, at, 0);
	pthread_mutex_unlock(&lock);
}

int graph_memory_has(cuuint64_t id, CUdeviceptr at, uint64_t bytes, CUdevice device)
{
	size_t i;
	int found = 0;

	if (!graph_memory_any())
		return 0;
	pthread_mutex_lock(&lock);
	for (i = count; i > 0 && !found; i--) {
		const struct block *b = &blocks[i - 1];

		found = b->id == id && b->device == device && at >= b->at &&
		        at - b->at < b->bytes && bytes <= b->bytes - (at - b->at);
	}
	pthread_mutex_unlock(&lock);
	return found;
}

void graph_memory_forget(cuuint64_t id)
{
	if (!graph_memory_any())
		return;
	pthread_mutex_lock(&lock);
	drop(id, 0, 1);
	/*
	 * An invalidated capture has no id to be known by.  Whoever has added something
	 * of an open capture held the lock after counting it, so the count is seen
	 * here.
	 */
	if (!capture_any()) {
		count = 0;
		atomic_store_explicit(&any, 0, memory_order_relaxed);
	}
	pthread_mutex_unlock(&lock);
}

void graph_memory_after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
	count = 0;
	atomic_store_explicit(&any, 0, memory_order_relaxed);
}
