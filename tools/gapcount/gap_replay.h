/* SPDX-License-Identifier: MIT */
/*
 * gap_replay.h - one replay, divided among its nodes.  Internal to the gap arithmetic.
 */
#ifndef GAP_REPLAY_H
#define GAP_REPLAY_H

#include "gap.h"

#define NO_NAME UINT32_MAX

/* What one memset or fill cost in one replay; see gap.h for the words. */
struct visit {
	uint64_t node;
	uint64_t bytes;
	uint32_t before, name, after; /* names, or NO_NAME */
	uint32_t replay;              /* index among the used replays */
	float duration, lead, exposed, tail;
	uint8_t kind, engine;
	uint8_t gaps; /* how many of lead and tail it was given: 0, 1 or 2 */
};

/* A growing array of lengths. */
struct lengths {
	double *values;
	size_t n, room;
};

/* What all used replays of a graph add up to. */
struct tally {
	struct visit *visits;
	size_t n_visits, visit_room;
	struct lengths kernel_gaps;
	uint64_t histogram[GAP_BUCKETS];
	uint64_t overlaps;
	/* Scratch of one replay. */
	struct share *shares;
	size_t share_room;
	size_t *active;
};

int lengths_add(struct lengths *lengths, double value);

/* Adds a replay's records, sorted by start, to the tally: 0, or -1 without memory. */
int replay_add(struct tally *tally, const struct gap_record *records, size_t n,
               uint32_t replay);

/* The visit's index in records of the largest bubble, or n where there is no memset. */
size_t replay_worst(struct tally *tally, const struct gap_record *records, size_t n);

void tally_free(struct tally *tally);

/* Memset or fill: what the table is about. */
static inline int is_setting(const struct gap_record *record)
{
	return record->kind == GAP_MEMSET || record->kind == GAP_FILL;
}

#endif
