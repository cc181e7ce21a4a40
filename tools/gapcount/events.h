/* SPDX-License-Identifier: MIT */
/*
 * events.h - launches timed between events of our own, for graphs that are nothing but
 * memsets and fills: CUPTI begins a replay at its first kernel or copy (seen
 * with 13.0), so that a graph of memsets alone has no time.
 *
 * From the callbacks at both ends of cuGraphLaunch; any thread.  A launch that cannot
 * be timed (into a capture, or when the driver refuses) is not.
 */
#ifndef EVENTS_H
#define EVENTS_H

#include <stdint.h>

/* ptsz: the per-thread default stream's variant of the driver's functions. */
void events_enter(uint32_t graph, void *stream, int ptsz);
void events_exit(void *stream, int ptsz, int launched);

/* Launches that could not be timed, for whatever reason. */
unsigned long events_untimed(void);

/* Records of the launches that have ended go to the store. */
void events_collect(void);

#endif
