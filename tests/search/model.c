/* SPDX-License-Identifier: MIT */
/*
 * model.c - what a graph is to do to memory, on the host.
 */
#include <string.h>

#include "search.h"

const size_t space_size[SPACES] = {12288, 8192, 2048, 2048, 2048};
const char *const space_name[SPACES] = {"device", "pool", "pinned", "drain", "graph"};

size_t space_at(enum space space)
{
	size_t at = 0;
	unsigned int i;

	for (i = 0; i < (unsigned int)space; i++)
		at += space_size[i];
	return at;
}

void effects_add(struct effects *list, enum kind kind, int op, const struct place *at)
{
	if (list->count == MAX_EFFECTS)
		bail("a program with more than %d effects", MAX_EFFECTS);
	list->at[list->count++] = (struct effect){.kind = kind, .op = op, .at = *at};
}

/* As somebody else's: no operation changes them afterwards. */
void effects_join(struct effects *list, const struct effects *more)
{
	size_t i;

	for (i = 0; i < more->count; i++)
		effects_add(list, more->at[i].kind, -1, &more->at[i].at);
}

void effects_change(struct effects *list, int op, const struct place *at)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->at[i].op == op)
			list->at[i].at = *at;
}

int effects_own_memory(const struct effects *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->at[i].at.space == SPACE_GRAPH)
			return 1;
	return 0;
}

static void run(const struct effect *e, unsigned char *picture)
{
	unsigned char *to = picture + space_at(e->at.space) + e->at.set.dst;
	size_t i, n = e->at.set.width;

	switch (e->kind) {
	case OP_ADD:
		for (i = 0; i < n; i++)
			to[i] = (unsigned char)(to[i] + e->at.set.value);
		break;
	case OP_COPY:
	case OP_COPY_KERNEL:
		memmove(to, picture + space_at(e->at.from) + e->at.source, n);
		break;
	default: /* a memset, called for or a node */
		drv_apply(&e->at.set, picture + space_at(e->at.space), 0);
	}
}

void effects_run(const struct effects *list, unsigned char *picture)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		run(&list->at[i], picture);
}
