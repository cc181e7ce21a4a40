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
 * the current context, which is `ctx`, can write; else the reason.  bytes > 0.  The
 * answer depends on the address and its memory alone.
 */
enum reason memory_check(CUdeviceptr dst, uint64_t bytes, CUcontext ctx);

#endif
