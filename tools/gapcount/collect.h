/* SPDX-License-Identifier: MIT */
/*
 * collect.h - CUPTI's callbacks: activity records and the making of graphs, into the
 * store.  One client in a process, as CUPTI allows no more.
 */
#ifndef COLLECT_H
#define COLLECT_H

#include "libcupti.h"
#include "gap.h"

/*
 * Subscribes and switches tracing on; `cupti` has to stay.  NULL, or why it cannot: a
 * string that stays.  Tracing ends by itself when much more than max_records have come.
 */
const char *collect_start(const struct cupti *cupti, enum gap_level level,
                          size_t max_records);

/* Has CUPTI deliver what it has; forced: also buffers that are not full. */
void collect_flush(int forced);

/* From time to time: ends the tracing when the window has long been full. */
void collect_tend(void);

void collect_stop(void);

#endif
