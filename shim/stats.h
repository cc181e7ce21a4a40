/* SPDX-License-Identifier: MIT */
/*
 * stats.h - what was substituted and what was not: counters, and the table at exit.
 *
 * Relaxed atomics, no lock; any thread.  By caller only when MEMSETSHIM_STATS asks.
 */
#ifndef MSS_STATS_H
#define MSS_STATS_H

#include <stdint.h>

enum reason {
	SUBSTITUTED,
#define REASON(id, text) REASON_##id,
#include "reasons.def"
#undef REASON
	REASON_COUNT
};

/* "substituted", or why not. */
const char *reason_text(enum reason reason);

/* One captured memset of `bytes`, called from the code at `caller`. */
void stats_memset(enum reason reason, uint64_t bytes, const void *caller);

void stats_capture(void);

uint64_t stats_count(enum reason reason);
uint64_t stats_bytes(void);
uint64_t stats_captures(void);

/* Forgets everything: the child of a fork starts anew. */
void stats_reset(void);

/* Writes the table where config.stats says, if it says so and CUDA was in use. */
void stats_print(void);

#endif
