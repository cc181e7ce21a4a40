/* SPDX-License-Identifier: MIT */
#include "stats.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "caller.h"
#include "config.h"
#include "driver.h"
#include "memsetshim.h"

#define CALLERS 64 /* the last one is everybody else */
#define NAME_MAX_LENGTH 64

static _Atomic uint64_t counts[REASON_COUNT];
static _Atomic uint64_t bytes_substituted;
static _Atomic uint64_t captures_begun;

/*
 * By caller, filled only on demand.  A row is claimed by its hash, then named; a reader
 * sees a name only once it is whole.
 */
static struct row {
	_Atomic uint64_t hash;
	atomic_int named;
	char name[NAME_MAX_LENGTH];
	_Atomic uint64_t counts[REASON_COUNT];
} rows[CALLERS];

const char *reason_text(enum reason reason)
{
	static const char *const texts[REASON_COUNT] = {
	    [SUBSTITUTED] = "substituted",
#define REASON(id, text) [REASON_##id] = (text),
#include "reasons.def"
#undef REASON
	};

	return texts[reason];
}

static uint64_t hash_name(const char *name)
{
	uint64_t h = 14695981039346656037u; /* FNV-1a */

	while (*name)
		h = (h ^ (unsigned char)*name++) * 1099511628211u;
	return h ? h : 1;
}

static struct row *row_of(const char *name)
{
	uint64_t wanted = hash_name(name);
	size_t i;

	for (i = 0; i < CALLERS - 1; i++) {
		struct row *row = &rows[i];
		uint64_t found = 0;

		if (atomic_compare_exchange_strong(&row->hash, &found, wanted)) {
			snprintf(row->name, sizeof row->name, "%s", name);
			atomic_store_explicit(&row->named, 1, memory_order_release);
			return row;
		}
		if (found == wanted)
			return row;
	}
	return &rows[CALLERS - 1];
}

void stats_memset(enum reason reason, uint64_t bytes, const void *caller)
{
	atomic_fetch_add_explicit(&counts[reason], 1, memory_order_relaxed);
	if (reason == SUBSTITUTED)
		atomic_fetch_add_explicit(&bytes_substituted, bytes,
		                          memory_order_relaxed);
	if (config.stats)
		atomic_fetch_add_explicit(&row_of(caller_name(caller))->counts[reason],
		                          1, memory_order_relaxed);
}

void stats_capture(void)
{
	atomic_fetch_add_explicit(&captures_begun, 1, memory_order_relaxed);
}

uint64_t stats_count(enum reason reason)
{
	return atomic_load_explicit(&counts[reason], memory_order_relaxed);
}

uint64_t stats_bytes(void)
{
	return atomic_load_explicit(&bytes_substituted, memory_order_relaxed);
}

uint64_t stats_captures(void)
{
	return atomic_load_explicit(&captures_begun, memory_order_relaxed);
}

void stats_reset(void)
{
	size_t i, r;

	for (r = 0; r < REASON_COUNT; r++) {
		atomic_store(&counts[r], 0);
		for (i = 0; i < CALLERS; i++)
			atomic_store(&rows[i].counts[r], 0);
	}
	atomic_store(&bytes_substituted, 0);
	atomic_store(&captures_begun, 0);
}

struct text {
	char buffer[16384];
	size_t used;
};

MSS_PRINTF(2, 3) static void add(struct text *t, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(t->buffer + t->used, sizeof t->buffer - t->used, fmt, args);
	va_end(args);
	if (n > 0)
		t->used += (size_t)n;
	if (t->used >= sizeof t->buffer)
		t->used = sizeof t->buffer - 1;
}

static void add_rows(struct text *t, enum reason reason)
{
	size_t i;

	for (i = 0; i < CALLERS; i++) {
		uint64_t n = atomic_load(&rows[i].counts[reason]);
		const char *name = "(other callers)";

		if (!n)
			continue;
		if (atomic_load_explicit(&rows[i].named, memory_order_acquire))
			name = rows[i].name;
		add(t, "memsetshim: %10llu  %s", (unsigned long long)n, name);
		if (reason != SUBSTITUTED)
			add(t, ": %s", reason_text(reason));
		add(t, "\n");
	}
}

void stats_print(void)
{
	static struct text t; /* too large for a stack that may be small at exit */
	uint64_t passed = 0;
	const char *target = config.stats;
	int reason;

	/* Shells and helpers that inherit the variable have nothing to report. */
	if (!target || driver_resolve() != 0)
		return;
	t.used = 0;
	for (reason = SUBSTITUTED + 1; reason < REASON_COUNT; reason++)
		passed += stats_count((enum reason)reason);
	add(&t, "memsetshim: %s, process %ld (%s): %llu capture%s\n",
	    memsetshim_version(), (long)getpid(), program_invocation_short_name,
	    (unsigned long long)stats_captures(), stats_captures() == 1 ? "" : "s");
	add(&t, "memsetshim: %10llu  memsets in graphs became fill kernels%s\n",
	    (unsigned long long)stats_count(SUBSTITUTED),
	    stats_count(SUBSTITUTED) ? ", called from" : "");
	add_rows(&t, SUBSTITUTED);
	add(&t, "memsetshim: %10llu  memsets in graphs were left to the driver%s\n",
	    (unsigned long long)passed, passed ? ", called from, and why" : "");
	for (reason = SUBSTITUTED + 1; reason < REASON_COUNT; reason++)
		add_rows(&t, (enum reason)reason);
	if (target == CONFIG_STDERR) {
		(void)log_output(NULL, t.buffer, t.used);
	} else if (log_output(target, t.buffer, t.used) != 0) {
		log_warn("cannot write the statistics to %s; here they are", target);
		(void)log_output(NULL, t.buffer, t.used);
	}
}
