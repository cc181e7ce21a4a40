/* SPDX-License-Identifier: MIT */
/*
 * place.c - random places: which bytes, which kind of memset, which value.
 */
#include "search.h"

/* Vigna's splitmix64. */
uint64_t random_next(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

unsigned int pick(uint64_t *state, unsigned int n)
{
	return (unsigned int)((random_next(state) >> 32) * n >> 32);
}

static enum space pick_space(uint64_t *r, unsigned int features, int graph_memory)
{
	unsigned int roll = pick(r, 16);

	if (graph_memory && roll >= 10)
		return SPACE_GRAPH;
	if (roll == 0)
		return SPACE_PINNED;
	return roll < 5 && (features & FEATURE_POOL) ? SPACE_POOL : SPACE_DEVICE;
}

/* Small ones mostly; now and then what takes several blocks. */
static size_t pick_bytes(uint64_t *r)
{
	switch (pick(r, 10)) {
	case 0:
	case 1:
	case 2:
	case 3:
		return 1 + pick(r, 16);
	case 4:
	case 5:
	case 6:
		return 1 + pick(r, 256);
	case 7:
	case 8:
		return 1 + pick(r, 1100);
	default:
		return 1 + pick(r, 10000);
	}
}

static unsigned int pick_value(uint64_t *r)
{
	unsigned int value = (unsigned int)random_next(r);

	switch (pick(r, 4)) {
	case 0:
		return 0;
	case 1:
		return value & 0xff;
	default:
		return value;
	}
}

/* Often aligned, often near the start, where others are. */
static size_t pick_offset(uint64_t *r, size_t room, unsigned int elem)
{
	size_t at = pick(r, (unsigned int)room + 1);

	if (pick(r, 2))
		at %= 1024;
	if (pick(r, 2))
		at -= at % 16;
	return at - at % elem;
}

static void pick_shape(uint64_t *r, struct drv_set *set, size_t limit)
{
	size_t bytes = pick_bytes(r);

	if (bytes > limit / 8 * 7)
		bytes = limit / 8 * 7;
	set->width = bytes / set->elem ? bytes / set->elem : 1;
	set->height = 1;
	if (!set->rows)
		return;
	set->height = 1 + (size_t)pick(r, pick(r, 4) ? 6 : 80);
	if (set->height > 0 && set->width > set->height)
		set->width /= set->height;
	else
		set->width = 1 + pick(r, 4);
	set->pitch = set->elem * (set->width + (pick(r, 3) ? pick(r, 17) : 0));
	while (drv_span(set) > limit)
		set->height /= 2;
	if (set->height == 1 && !pick(r, 4))
		set->pitch = 0;
}

struct place pick_place(uint64_t *r, unsigned int features, int graph_memory)
{
	static const unsigned int elems[] = {1, 2, 4};
	struct place at = {.space = pick_space(r, features, graph_memory)};
	size_t limit = space_size[at.space];

	at.set.elem = elems[pick(r, 3)];
	at.set.rows = !pick(r, 3);
	at.set.twin = pick(r, 2) && (features & FEATURE_TWINS);
	at.set.value = pick_value(r);
	pick_shape(r, &at.set, limit);
	at.set.dst = pick_offset(r, limit - drv_span(&at.set), at.set.elem);
	return at;
}

int make_odd(uint64_t *r, struct place *at, int captured)
{
	struct drv_set *set = &at->set;

	switch (pick(r, 5)) {
	case 0:
		set->width = 0;
		return 1;
	case 1:
		if (!set->rows)
			return 0;
		set->height = 0;
		return 1;
	case 2:
		if (set->elem == 1)
			return 0;
		set->dst += 1;
		return 1;
	case 3:
		if (!set->rows || set->height < 2 || set->width < 2)
			return 0;
		set->pitch = (set->width - 1) * set->elem;
		return 1;
	default: /* past the end: called with success, refused as part of a graph */
		if (!captured || at->space != SPACE_DEVICE)
			return 0;
		set->dst = space_size[at->space] - drv_span(set) + set->elem;
		set->dst += (set->elem - set->dst % set->elem) % set->elem;
		return 1;
	}
}

/* Not far from where it is, and inside. */
static size_t move(uint64_t *r, size_t at, size_t room, unsigned int step)
{
	size_t moved = at + step * (size_t)pick(r, 33);
	size_t back = step * (size_t)16;

	moved = moved > back ? moved - back : 0;
	moved = moved > room ? room : moved;
	return moved - moved % step;
}

void vary(uint64_t *r, struct place at[VARIANTS], int sizes)
{
	const size_t limit = space_size[at[0].space];

	if (!at[0].set.elem)
		bail("a memset of no element");
	at[1] = at[0];
	at[1].set.value = pick_value(r);
	if (pick(r, 2))
		at[1].set.dst = move(r, at[1].set.dst, limit - drv_span(&at[1].set),
		                     at[1].set.elem);
	at[2] = at[1];
	if (sizes && !at[2].set.rows) {
		size_t most = (limit - at[2].set.dst) / at[2].set.elem;

		at[2].set.width = 1 + pick(r, 2 * (unsigned int)at[2].set.width);
		if (at[2].set.width > most)
			at[2].set.width = most;
	}
	/* Memset nodes of several rows refuse that, so a node's own call has to. */
	if (sizes > 1 && at[2].set.rows && !pick(r, 3))
		at[2].set.width = 1 + pick(r, (unsigned int)at[2].set.width);
}

struct place vary_node(uint64_t *r, const struct place *at, int sizes)
{
	struct place varied[VARIANTS] = {*at};

	vary(r, varied, sizes);
	return varied[2];
}

/* Makes it a copy's: bytes, and where they come from.  0 where there is no room. */
int pick_source(uint64_t *r, unsigned int features, struct place *at, int graph_memory)
{
	size_t bytes = drv_span(&at->set);

	at->set = (struct drv_set){
	    .elem = 1, .dst = at->set.dst, .width = bytes, .height = 1};
	at->from = pick(r, 8) ? pick_space(r, features, graph_memory) : SPACE_DRAIN;
	/* A graph's own memory is worth looking at. */
	if (graph_memory && pick(r, 2))
		at->from = SPACE_GRAPH;
	if (bytes > space_size[at->from])
		return 0;
	at->source = pick_offset(r, space_size[at->from] - bytes, pick(r, 2) ? 1 : 16);
	return 1;
}
