/* SPDX-License-Identifier: MIT */
/* gap_table.c - a report as people read it in a terminal. */
#include "gap_write.h"

#include <inttypes.h>

enum { NAME_WIDTH = 36 };

static double us(double ns)
{
	return ns / 1000;
}

/* What makes the figures doubtful comes before them. */
static void write_warnings(FILE *out, const struct gap_report *report)
{
	if (report->dropped)
		fprintf(out, "! CUPTI dropped %" PRIu64 " records\n", report->dropped);
	if (report->timeless)
		fprintf(out,
		        "! %" PRIu64
		        " records have no time; their replays are left out\n",
		        report->timeless);
	if (report->note)
		fprintf(out, "! %s\n", report->note);
	if (report->inflation > 1.1)
		fprintf(
		    out,
		    "! tracing nodes makes replays %.2f times as long: the gaps tell "
		    "where time goes,\n! not how much; `memsetshim compare` does\n",
		    report->inflation);
}

static void write_head(FILE *out, const struct gap_report *report)
{
	fprintf(out, "gapcount %s: %s, process %ld on %s\n",
	        report->version ? report->version : "?",
	        report->program ? report->program : "?", report->pid,
	        report->host ? report->host : "?");
	fprintf(out,
	        "%s, driver %d.%d, CUPTI %s, %s level, clock step %.0f ns, shim %s\n",
	        report->gpu ? report->gpu : "unknown GPU", report->driver / 1000,
	        report->driver % 1000 / 10, report->cupti ? report->cupti : "?",
	        report->level == GAP_LEVEL_NODE ? "node" : "graph", report->timer_step,
	        report->shim ? "preloaded" : "not loaded");
	write_warnings(out, report);
	if (report->not_kept)
		fprintf(out,
		        "kept the first replays of each graph; %" PRIu64
		        " later records were not needed\n",
		        report->not_kept);
	if (report->n_graphs == 0)
		fprintf(out, "no graph was replayed\n");
}

static void write_nodes(FILE *out, const struct gap_graph *graph)
{
	const char *separator = " (";
	unsigned sum = 0, kind;

	for (kind = 0; kind < GAP_KINDS; kind++)
		sum += graph->nodes[kind];
	fprintf(out, "%u nodes", sum);
	for (kind = 0; kind < GAP_KINDS; kind++) {
		if (!graph->nodes[kind])
			continue;
		fprintf(out, "%s%u %s", separator, graph->nodes[kind],
		        gap_kind_name((enum gap_kind)kind));
		separator = ", ";
	}
	if (sum)
		putc(')', out);
}

static void write_graph_head(FILE *out, const struct gap_graph *graph)
{
	fprintf(out, "\ngraph %" PRIu32 ", device %" PRIu32 ": ", graph->id,
	        graph->device);
	write_nodes(out, graph);
	fprintf(out, ", %u replays, %u used", graph->replays, graph->used);
	if (graph->incomplete)
		fprintf(out, ", %u incomplete", graph->incomplete);
	if (graph->timeless)
		fprintf(out, ", %u without times", graph->timeless);
	putc('\n', out);
	if (graph->used)
		fprintf(out,
		        "  replay       %10.2f us median, %.2f us p99, %.2f us min\n",
		        us(graph->replay.median), us(graph->replay.p99),
		        us(graph->replay.min));
}

static void write_totals(FILE *out, const struct gap_graph *graph)
{
	unsigned settings = graph->nodes[GAP_MEMSET] + graph->nodes[GAP_FILL];

	fprintf(out, "  kernel gap   %10.2f us median, %.2f us p99, %" PRIu64 " gaps",
	        us(graph->kernel_gap.median), us(graph->kernel_gap.p99),
	        graph->kernel_gap.n);
	if (graph->overlaps)
		fprintf(out, ", %u kernels a replay overlap another", graph->overlaps);
	putc('\n', out);
	if (settings == 0) {
		fprintf(out, "  no memset\n");
		return;
	}
	fprintf(
	    out,
	    "  bubbles      %10.2f us a replay around %u memsets and fills, %.2f us "
	    "of it idle, %.0f hidden\n",
	    us(graph->bubble), settings, us(graph->idle), graph->hidden);
	if (graph->nodes[GAP_MEMSET] == 0)
		return;
	fprintf(out,
	        "  recoverable  %10.2f us a replay, %.1f %%, if a fill takes %.2f us "
	        "(%s)\n",
	        us(graph->recoverable),
	        graph->replay.median > 0
	            ? 100 * graph->recoverable / graph->replay.median
	            : 0,
	        us(graph->fill_ns), graph->fill_seen ? "measured here" : "assumed");
}

static void write_row(FILE *out, const struct gap_row *row)
{
	char before[NAME_WIDTH], after[NAME_WIDTH], name[NAME_WIDTH];
	const char *what = gap_kind_name(row->kind);

	/* A memset that the driver ran as a kernel of its own is named as that. */
	if (row->kind == GAP_MEMSET && row->name[0] != '[')
		what = gap_short_name(row->name, name, sizeof name);
	fprintf(out,
	        "  %7.4g %9" PRIu64 " %-7s %8.2f %7.2f %7.2f %8.2f %8.2f %7.4g %11.2f  "
	        "%s -> %s -> %s\n",
	        row->nodes, row->bytes, gap_engine_name(row->engine),
	        us(row->duration.median), us(row->lead.median), us(row->tail.median),
	        us(row->bubble.median), us(row->bubble.p99), row->hidden,
	        us(row->recoverable),
	        *row->before ? gap_short_name(row->before, before, sizeof before)
	                     : "(start)",
	        what,
	        *row->after ? gap_short_name(row->after, after, sizeof after)
	                    : "(end)");
}

static void write_rows(FILE *out, const struct gap_graph *graph, unsigned top)
{
	unsigned i;

	if (graph->n_rows == 0)
		return;
	fprintf(out, "  %7s %9s %-7s %8s %7s %7s %8s %8s %7s %11s  %s\n", "nodes",
	        "bytes", "engine", "us: run", "lead", "tail", "bubble", "p99", "hidden",
	        "recoverable", "before -> it -> after");
	for (i = 0; i < graph->n_rows && i < top; i++)
		write_row(out, &graph->rows[i]);
	if (i < graph->n_rows)
		fprintf(out, "  ... and %u rows more\n", graph->n_rows - i);
}

static void write_histogram(FILE *out, const struct gap_graph *graph)
{
	static const char *const labels[GAP_BUCKETS] = {
	    "<0.25", "<0.5", "<1", "<2", "<4", "<8", "<16", "<32", "more"};
	unsigned i;

	fprintf(out, "  idle gaps, us and how many a replay:");
	for (i = 0; i < GAP_BUCKETS; i++)
		if (graph->histogram[i])
			fprintf(out, "  %s: %.4g", labels[i],
			        (double)graph->histogram[i] / graph->used);
	putc('\n', out);
}

void gap_write_table(FILE *out, const struct gap_report *report, unsigned top)
{
	unsigned i;

	write_head(out, report);
	for (i = 0; i < report->n_graphs; i++) {
		const struct gap_graph *graph = &report->graphs[i];

		write_graph_head(out, graph);
		if (report->level == GAP_LEVEL_GRAPH || graph->used == 0)
			continue;
		write_totals(out, graph);
		write_rows(out, graph, top);
		write_histogram(out, graph);
	}
}
