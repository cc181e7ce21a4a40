/* SPDX-License-Identifier: MIT */
/* gap_replay.c - sweeps over one replay and gives each stretch of time to one node. */
#include "gap_replay.h"

#include <stdlib.h>
#include <string.h>

/* What one record of the replay at hand was given. */
struct share {
	double lead, exposed, tail;
	uint32_t before;
	uint8_t gaps;
};

struct sweep {
	struct tally *tally;
	const struct gap_record *records;
	size_t n, next;            /* next: the first that has not started */
	size_t n_active, n_others; /* others: active ones that are no memsets */
	size_t last;               /* ended last, or n */
	uint64_t now;
	int counting; /* kernel gaps, histogram and overlaps go to the tally */
	int failed;
};

int lengths_add(struct lengths *lengths, double value)
{
	size_t room = lengths->room ? 2 * lengths->room : 256;
	double *values;

	if (lengths->n == lengths->room) {
		values = realloc(lengths->values, room * sizeof *values);
		if (!values)
			return -1;
		lengths->values = values;
		lengths->room = room;
	}
	lengths->values[lengths->n++] = value;
	return 0;
}

static unsigned bucket_of(double length)
{
	unsigned bucket = 0;
	double limit = 250;

	while (bucket < GAP_BUCKETS - 1 && length >= limit) {
		bucket++;
		limit *= 2;
	}
	return bucket;
}

/* Nothing ran between the end of `last` and the start of `next`. */
static void sweep_gap(struct sweep *s, double length)
{
	const struct gap_record *next = &s->records[s->next];
	const struct gap_record *last = &s->records[s->last];
	struct share *shares = s->tally->shares;

	if (is_setting(next)) {
		shares[s->next].lead = length;
		shares[s->next].gaps++;
	} else if (is_setting(last)) {
		shares[s->last].tail = length;
		shares[s->last].gaps++;
	}
	if (!s->counting)
		return;
	s->tally->histogram[bucket_of(length)]++;
	/* A fill is a kernel, too. */
	if (next->kind != GAP_MEMSET && last->kind != GAP_MEMSET &&
	    lengths_add(&s->tally->kernel_gaps, length) != 0)
		s->failed = 1;
}

/* Up to `until` the same records run. */
static void sweep_run(struct sweep *s, uint64_t until)
{
	double length = (double)(until - s->now) / (double)s->n_active;
	size_t i;

	for (i = 0; s->n_others == 0 && i < s->n_active; i++)
		s->tally->shares[s->tally->active[i]].exposed += length;
	s->now = until;
}

static void sweep_start(struct sweep *s)
{
	const struct gap_record *record = &s->records[s->next];

	if (s->n_active == 0) {
		if (s->last < s->n)
			sweep_gap(s, (double)(record->start - s->now));
		s->now = record->start;
	} else if (s->counting && !is_setting(record) && s->n_others > 0) {
		s->tally->overlaps++;
	}
	if (s->last < s->n)
		s->tally->shares[s->next].before = s->records[s->last].name;
	s->tally->active[s->n_active++] = s->next++;
	if (!is_setting(record))
		s->n_others++;
}

/*
 * Takes out what has ended by now.  Of two that end together the one that is no memset
 * counts as the last: the gap that follows is not the memset's doing alone.
 */
static void sweep_end(struct sweep *s)
{
	size_t i = 0, ended = s->n;

	while (i < s->n_active) {
		size_t candidate = s->tally->active[i];

		if (s->records[candidate].end > s->now) {
			i++;
			continue;
		}
		if (ended == s->n || is_setting(&s->records[ended]))
			ended = candidate;
		if (!is_setting(&s->records[candidate]))
			s->n_others--;
		s->tally->active[i] = s->tally->active[--s->n_active];
	}
	s->last = ended;
}

static uint64_t first_end(const struct sweep *s)
{
	uint64_t end = UINT64_MAX;
	size_t i;

	for (i = 0; i < s->n_active; i++)
		if (s->records[s->tally->active[i]].end < end)
			end = s->records[s->tally->active[i]].end;
	return end;
}

static int sweep(struct tally *tally, const struct gap_record *records, size_t n,
                 int counting)
{
	struct sweep s = {.tally = tally, .records = records, .n = n, .last = n};
	uint64_t end, start;
	size_t i;

	s.counting = counting;
	for (i = 0; i < n; i++)
		tally->shares[i] = (struct share){.before = NO_NAME};
	while (s.next < n || s.n_active > 0) {
		start = s.next < n ? records[s.next].start : UINT64_MAX;
		end = first_end(&s);
		if (s.n_active > 0)
			sweep_run(&s, start < end ? start : end);
		if (s.n_active > 0 && end <= start)
			sweep_end(&s);
		else
			sweep_start(&s);
	}
	return s.failed ? -1 : 0;
}

static int reserve(struct tally *tally, size_t n)
{
	struct share *shares;
	size_t *active;

	if (n <= tally->share_room)
		return 0;
	shares = realloc(tally->shares, n * sizeof *shares);
	if (shares)
		tally->shares = shares;
	active = realloc(tally->active, n * sizeof *active);
	if (active)
		tally->active = active;
	if (!shares || !active)
		return -1;
	tally->share_room = n;
	return 0;
}

static int reserve_visits(struct tally *tally, size_t more)
{
	size_t room = tally->visit_room ? 2 * tally->visit_room : 256;
	struct visit *visits;

	if (tally->n_visits + more <= tally->visit_room)
		return 0;
	while (room < tally->n_visits + more)
		room *= 2;
	visits = realloc(tally->visits, room * sizeof *visits);
	if (!visits)
		return -1;
	tally->visits = visits;
	tally->visit_room = room;
	return 0;
}

/* The first record that starts when this one has ended. */
static uint32_t name_after(const struct gap_record *records, size_t n, size_t which)
{
	size_t low = which + 1, high = n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (records[middle].start >= records[which].end)
			high = middle;
		else
			low = middle + 1;
	}
	return low < n ? records[low].name : NO_NAME;
}

static double bubble_of(const struct share *share)
{
	return share->lead + share->exposed + share->tail;
}

int replay_add(struct tally *tally, const struct gap_record *records, size_t n,
               uint32_t replay)
{
	size_t i, settings = 0;

	for (i = 0; i < n; i++)
		settings += (size_t)is_setting(&records[i]);
	if (reserve(tally, n) != 0 || reserve_visits(tally, settings) != 0 ||
	    sweep(tally, records, n, 1) != 0)
		return -1;
	for (i = 0; i < n; i++) {
		const struct gap_record *record = &records[i];
		const struct share *share = &tally->shares[i];

		if (!is_setting(record))
			continue;
		tally->visits[tally->n_visits++] = (struct visit){
		    .node = record->node,
		    .bytes = record->bytes,
		    .before = share->before,
		    .name = record->name,
		    .after = name_after(records, n, i),
		    .replay = replay,
		    .duration = (float)(record->end - record->start),
		    .lead = (float)share->lead,
		    .exposed = (float)share->exposed,
		    .tail = (float)share->tail,
		    .kind = record->kind,
		    .engine = record->engine,
		    .gaps = share->gaps,
		};
	}
	return 0;
}

size_t replay_worst(struct tally *tally, const struct gap_record *records, size_t n)
{
	size_t i, worst = n;

	if (reserve(tally, n) != 0 || sweep(tally, records, n, 0) != 0)
		return n;
	for (i = 0; i < n; i++)
		if (is_setting(&records[i]) &&
		    (worst == n ||
		     bubble_of(&tally->shares[i]) > bubble_of(&tally->shares[worst])))
			worst = i;
	return worst;
}

void tally_free(struct tally *tally)
{
	free(tally->visits);
	free(tally->kernel_gaps.values);
	free(tally->shares);
	free(tally->active);
	memset(tally, 0, sizeof *tally);
}
