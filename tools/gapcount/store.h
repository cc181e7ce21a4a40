/* SPDX-License-Identifier: MIT */
/*
 * store.h - the records that are kept, and what is known of nodes and graphs.
 *
 * Filled by CUPTI's callbacks, from any thread; one mutex inside, held for short and
 * never while CUPTI is called.  Bounded: of each graph the first `replays` launches are
 * kept, and `max_records` records in all; what comes later is counted.  Memory that
 * cannot be had counts as full.
 */
#ifndef STORE_H
#define STORE_H

#include "gap.h"

/* A record on its way in: the name is still CUPTI's. */
struct store_record {
	struct gap_record record;
	const char *name;
};

struct store_counts {
	uint64_t dropped, timeless, not_kept, outside;
	uint64_t kept;
	uint64_t seen; /* records of graphs, kept or not */
};

void store_setup(unsigned replays, size_t max_records);

/* Is that (or NULL) the name of a fill kernel of libmemsetshim.so's? */
int store_is_fill(const char *name);

/* A node was made, of this kind. */
void store_node(uint64_t node, enum gap_kind kind);

/* It was copied; the kind goes with it, and the copy's graph has a node more. */
void store_clone(uint64_t node, uint64_t original, uint32_t graph);

/* 1 when the graph was made of memsets and fills, and of no kernel or copy. */
int store_only_memsets(uint32_t graph);

/* Decides what each record is, by its node, and keeps what the window has room for. */
void store_add(const struct store_record *records, size_t n);

void store_dropped(uint64_t n);
struct store_counts store_counts(void);

/*
 * A copy of what is there, to be analyzed while more comes in: records, names and
 * graphs of `input` (level, skip and fill_ns are the caller's).  0, or -1 without
 * memory. store_copy_free() also after a failure.
 */
int store_copy(struct gap_input *input);
void store_copy_free(struct gap_input *input);

#endif
