/* SPDX-License-Identifier: MIT */
/*
 * table.h - two small hash tables: numbers to numbers, and strings to small numbers.
 *
 * They grow and never shrink; nothing is taken out.  Not thread-safe: their owner
 * locks. All zero is an empty table.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stddef.h>
#include <stdint.h>

struct table {
	struct table_slot *slots; /* a power of two of them */
	size_t n, room;
};

/* 1, and the value; 0 when the key is not there. */
int table_get(const struct table *table, uint64_t key, uint32_t *value);

/* A key that is there gets the new value.  0, or -1 without memory. */
int table_put(struct table *table, uint64_t key, uint32_t value);

struct names {
	char **list; /* n copies; they stay where they are */
	size_t n, room;
	uint32_t *slots; /* a power of two of them: index + 1 */
	size_t n_slots;
};

/* The name's number, a new one where it is new: 0, or -1 without memory. */
int names_find(struct names *names, const char *name, uint32_t *number);

#endif
