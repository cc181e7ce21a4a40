/* SPDX-License-Identifier: MIT */
/*
 * gap_trace.c - two replays of each graph as Chrome trace events, which ui.perfetto.dev
 * opens.  A replay is a process, a lane is a thread, and so are the bubbles and what is
 * idle; times are us with ns decimals.
 */
#include "gap_write.h"
#include "json.h"

#include <inttypes.h>

/* Threads. */
enum { BUBBLES = 1, IDLE, LANES };

/* Commas between events, whichever come. */
struct trace {
	FILE *out;
	const struct gap_report *report;
	unsigned pid;
	int events;
};

static void begin(struct trace *trace)
{
	fputs(trace->events++ ? ",\n" : "\n", trace->out);
}

static void name_it(struct trace *trace, const char *what, unsigned tid,
                    const char *name)
{
	begin(trace);
	fprintf(trace->out,
	        "{\"ph\": \"M\", \"name\": \"%s\", \"pid\": %u, \"tid\": %u, \"args\": "
	        "{\"name\": ",
	        what, trace->pid, tid);
	json_write_string(trace->out, name);
	fputs("}}", trace->out);
}

static void write_slot(struct trace *trace, const struct gap_slot *slot)
{
	const char *full = trace->report->names[slot->name];
	char name[64];

	begin(trace);
	fprintf(
	    trace->out,
	    "{\"ph\": \"X\", \"pid\": %u, \"tid\": %u, \"ts\": %.3f, \"dur\": %.3f, "
	    "\"cat\": \"%s\", \"name\": ",
	    trace->pid, (unsigned)LANES + slot->lane, slot->start / 1000,
	    (slot->end - slot->start) / 1000, gap_kind_name((enum gap_kind)slot->kind));
	json_write_string(trace->out, gap_short_name(full, name, sizeof name));
	fputs(", \"args\": {\"name\": ", trace->out);
	json_write_string(trace->out, full);
	fputs("}}", trace->out);
}

/* On a line of its own. */
static void write_span(struct trace *trace, unsigned tid, const char *name, double from,
                       double to)
{
	begin(trace);
	fprintf(
	    trace->out,
	    "{\"ph\": \"X\", \"pid\": %u, \"tid\": %u, \"ts\": %.3f, \"dur\": %.3f, "
	    "\"cat\": \"%s\", \"name\": \"%s\"}",
	    trace->pid, tid, from / 1000, (to - from) / 1000, name, name);
}

/*
 * Where no node ran but memsets and fills: from the last end of another to the next
 * start, or to the replay's end.
 */
static void write_bubbles(struct trace *trace, const struct gap_timeline *line)
{
	double busy_until = line->slots[0].start, set_until = busy_until;
	unsigned i;

	for (i = 0; i < line->n_slots; i++) {
		const struct gap_slot *slot = &line->slots[i];

		if (slot->kind == GAP_MEMSET || slot->kind == GAP_FILL) {
			if (slot->end > set_until)
				set_until = slot->end;
			continue;
		}
		if (set_until > busy_until && slot->start > busy_until)
			write_span(trace, BUBBLES, "bubble", busy_until, slot->start);
		if (slot->end > busy_until)
			busy_until = slot->end;
	}
	if (set_until > busy_until)
		write_span(trace, BUBBLES, "bubble", busy_until, set_until);
}

static void write_timeline(struct trace *trace, const struct gap_graph *graph,
                           const struct gap_timeline *line, const char *which)
{
	double busy_until = line->n_slots ? line->slots[0].start : 0;
	unsigned i, lane, lanes = 0;
	char name[96];

	if (line->n_slots == 0)
		return;
	trace->pid++;
	snprintf(name, sizeof name, "graph %" PRIu32 ", device %" PRIu32 ", %s replay",
	         graph->id, graph->device, which);
	name_it(trace, "process_name", 0, name);
	name_it(trace, "thread_name", BUBBLES, "bubble");
	name_it(trace, "thread_name", IDLE, "idle");
	write_bubbles(trace, line);
	for (i = 0; i < line->n_slots; i++) {
		const struct gap_slot *slot = &line->slots[i];

		if (slot->lane >= lanes)
			lanes = slot->lane + 1U;
		if (slot->start > busy_until)
			write_span(trace, IDLE, "idle", busy_until, slot->start);
		if (slot->end > busy_until)
			busy_until = slot->end;
		write_slot(trace, slot);
	}
	for (lane = 0; lane < lanes; lane++) {
		snprintf(name, sizeof name, "lane %u", lane + 1);
		name_it(trace, "thread_name", LANES + lane, name);
	}
}

void gap_write_trace(FILE *out, const struct gap_report *report)
{
	struct trace trace = {.out = out, .report = report};
	unsigned i;

	fputs("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [", out);
	for (i = 0; i < report->n_graphs; i++) {
		write_timeline(&trace, &report->graphs[i], &report->graphs[i].median,
		               "median");
		write_timeline(&trace, &report->graphs[i], &report->graphs[i].slowest,
		               "slowest");
	}
	fputs("\n]}\n", out);
}
