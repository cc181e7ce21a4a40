/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <stdlib.h>
#include <string.h>

struct table_slot {
	uint64_t key;
	uint32_t value;
	uint32_t used;
};

/* Ids are counted up: all bits of the product's upper half differ even so. */
static size_t hash(uint64_t key)
{
	return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

static struct table_slot *find(const struct table *table, uint64_t key)
{
	size_t i = hash(key) & (table->room - 1);

	while (table->slots[i].used && table->slots[i].key != key)
		i = (i + 1) & (table->room - 1);
	return &table->slots[i];
}

int table_get(const struct table *table, uint64_t key, uint32_t *value)
{
	const struct table_slot *slot;

	if (table->room == 0)
		return 0;
	slot = find(table, key);
	if (slot->used)
		*value = slot->value;
	return (int)slot->used;
}

static int grow(struct table *table)
{
	struct table bigger = {.room = table->room ? 2 * table->room : 256};
	size_t i;

	bigger.slots = calloc(bigger.room, sizeof *bigger.slots);
	if (!bigger.slots)
		return -1;
	for (i = 0; i < table->room; i++)
		if (table->slots[i].used)
			*find(&bigger, table->slots[i].key) = table->slots[i];
	free(table->slots);
	table->slots = bigger.slots;
	table->room = bigger.room;
	return 0;
}

int table_put(struct table *table, uint64_t key, uint32_t value)
{
	struct table_slot *slot;

	if (2 * table->n >= table->room && grow(table) != 0)
		return -1;
	slot = find(table, key);
	table->n += !slot->used;
	*slot = (struct table_slot){.key = key, .value = value, .used = 1};
	return 0;
}

static size_t hash_name(const char *name)
{
	uint64_t sum = 0;

	while (*name)
		sum = (sum ^ (unsigned char)*name++) * UINT64_C(0x100000001b3);
	return hash(sum);
}

static uint32_t *find_name(const struct names *names, const char *name)
{
	size_t i = hash_name(name) & (names->n_slots - 1);

	while (names->slots[i] && strcmp(names->list[names->slots[i] - 1], name) != 0)
		i = (i + 1) & (names->n_slots - 1);
	return &names->slots[i];
}

static int grow_names(struct names *names)
{
	struct names bigger = *names;
	char **list;
	size_t i;

	bigger.n_slots = names->n_slots ? 2 * names->n_slots : 256;
	bigger.slots = calloc(bigger.n_slots, sizeof *bigger.slots);
	if (!bigger.slots)
		return -1;
	list = malloc(bigger.n_slots / 2 * sizeof *list);
	if (!list) {
		free(bigger.slots);
		return -1;
	}
	if (names->n)
		memcpy(list, names->list, names->n * sizeof *list);
	bigger.list = list;
	for (i = 0; i < names->n; i++)
		*find_name(&bigger, list[i]) = (uint32_t)i + 1;
	free(names->list);
	free(names->slots);
	names->list = list;
	names->slots = bigger.slots;
	names->n_slots = bigger.n_slots;
	return 0;
}

int names_find(struct names *names, const char *name, uint32_t *number)
{
	uint32_t *slot;
	char *copy;

	if (2 * names->n >= names->n_slots && grow_names(names) != 0)
		return -1;
	slot = find_name(names, name);
	if (!*slot) {
		copy = strdup(name);
		if (!copy)
			return -1;
		names->list[names->n++] = copy;
		*slot = (uint32_t)names->n;
	}
	*number = *slot - 1;
	return 0;
}
