/* SPDX-License-Identifier: MIT */
/*
 * memory.h - may a kernel of this context write these bytes, as a memset would?
 */
#ifndef MSS_MEMORY_H
#define MSS_MEMORY_H

#include "driver.h"
#include "stats.h"

/*
 * SUBSTITUTED when every byte of [dst, dst + bytes) is device memory that kernels of
 * the current context, which is `ctx`, can write; else the reason.  bytes > 0.  Memory
 * of the graph that the capture with this id makes counts too; 0: no capture.  The
 * answer depends on the address and its memory alone.
 */
enum reason memory_check(CUdeviceptr dst, uint64_t bytes, CUcontext ctx,
                         cuuint64_t capture);

#endif
