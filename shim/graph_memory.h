/* SPDX-License-Identifier: MIT */
/*
 * graph_memory.h - memory that a capture allocates for its own graph.
 *
 * cuMemAllocAsync in a capture makes a memory node.  Until the graph runs, the driver
 * knows nothing of the address when it is asked about it, so the hooks remember what
 * each capture has allocated and not freed.  Forgotten at the capture's end.
 */
#ifndef MSS_GRAPH_MEMORY_H
#define MSS_GRAPH_MEMORY_H

#include "driver.h"

/* 1 when there is anything to know: without, nobody needs the lock. */
int graph_memory_any(void);

void graph_memory_add(cuuint64_t id, CUdeviceptr at, uint64_t bytes, CUdevice device);
void graph_memory_drop(cuuint64_t id, CUdeviceptr at);

/*
 * 1 when the capture `id` has allocated all of [at, at + bytes) on `device` and has not
 * freed it.  Any thread.
 */
int graph_memory_has(cuuint64_t id, CUdeviceptr at, uint64_t bytes, CUdevice device);

/* The capture is over, and no longer counted (capture.h). */
void graph_memory_forget(cuuint64_t id);

/* The child of a fork has no other thread that could hold the lock. */
void graph_memory_after_fork(void);

#endif
