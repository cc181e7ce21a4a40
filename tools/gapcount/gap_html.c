/* SPDX-License-Identifier: MIT */
/* gap_html.c - a report, or two, as one page that needs nothing else. */
#include "gap_html.h"
#include "gap_compare.h"
#include "gap_write.h"
#include "json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TOP = 20 };

static const char style[] =
    "<style>\n"
    ":root{--ink:#1b1f24;--dim:#5b6570;--paper:#fff;--rule:#d5dae0;--kernel:#8fb8de;"
    "--memset:#d9534f;--fill:#4fae6a;--memcpy:#c9a94e;--other:#a9a9b3;--idle:#f3d9d7}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e9ed;--dim:#9aa4af;"
    "--paper:#14181d;--rule:#39424c;--kernel:#3d6f9e;--memset:#c9443f;--fill:#38894f;"
    "--memcpy:#94792c;--other:#666a73;--idle:#4a2b2a}}\n"
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);"
    "max-width:1140px;margin:2em auto;padding:0 20px}\n"
    "h1{font-size:24px;margin:0 0 .2em}h2{font-size:18px;margin:1.8em 0 .2em}"
    "h3{font-size:15px;margin:1.4em 0 .3em}\n"
    "p{margin:.4em 0}.dim{color:var(--dim)}.warn{border-left:4px solid var(--memset);"
    "padding-left:10px;font-weight:600}.verdict{font-size:18px}\n"
    "table{border-collapse:collapse;font-size:13px;width:100%}"
    "th,td{padding:3px 8px;text-align:right;border-bottom:1px solid var(--rule);"
    "white-space:nowrap}th:last-child,td:last-child{text-align:left;white-space:normal;"
    "overflow-wrap:anywhere}th{color:var(--dim);font-weight:600}\n"
    "svg{max-width:100%;height:auto;display:block}"
    "svg text{font:11px ui-monospace,monospace;fill:var(--ink)}"
    "svg .in{font-size:11px}svg .gap,svg .tick{text-anchor:middle}"
    "svg .label,svg .tick{fill:var(--dim)}svg .gap{fill:var(--dim);font-size:10px}\n"
    ".kernel{fill:var(--kernel)}.memset{fill:var(--memset)}.fill{fill:var(--fill)}"
    ".memcpy{fill:var(--memcpy)}.other{fill:var(--other)}.idle{fill:var(--idle)}"
    ".without{fill:var(--memset)}.with{fill:var(--fill)}"
    ".axis{stroke:var(--dim);stroke-width:1}\n"
    ".key{display:inline-block;width:12px;height:12px;border-radius:2px;"
    "margin:0 4px 0 14px;vertical-align:-1px}\n"
    "</style>\n";

static double us(double ns)
{
	return ns / 1000;
}

void html_text(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n;

	for (; *s; s += n ? n : 1) {
		n = json_utf8_length(s);
		if (n == 0)
			fputs(JSON_REPLACEMENT, out);
		else if (*s == '&')
			fputs("&amp;", out);
		else if (*s == '<')
			fputs("&lt;", out);
		else if (*s == '>')
			fputs("&gt;", out);
		else if (*s == '"')
			fputs("&quot;", out);
		else if (*s < 0x20 || *s == 0x7f)
			putc(' ', out);
		else
			fwrite(s, 1, n, out);
	}
}

static void write_warnings(FILE *out, const struct gap_report *report)
{
	if (report->dropped)
		fprintf(out,
		        "<p class=\"warn\">CUPTI dropped %" PRIu64 " records.</p>\n",
		        report->dropped);
	if (report->timeless)
		fprintf(out,
		        "<p class=\"warn\">%" PRIu64
		        " records have no time; their replays "
		        "are left out.</p>\n",
		        report->timeless);
	if (report->note) {
		fputs("<p class=\"warn\">", out);
		html_text(out, report->note);
		fputs("</p>\n", out);
	}
}

static void write_run(FILE *out, const struct gap_report *report, const char *label)
{
	write_warnings(out, report);
	fputs("<p class=\"dim\">", out);
	if (label)
		fprintf(out, "%s: ", label);
	html_text(out, report->program ? report->program : "?");
	fputs(" on ", out);
	html_text(out, report->host ? report->host : "?");
	fputs(", ", out);
	html_text(out, report->gpu ? report->gpu : "unknown GPU");
	fprintf(out, ", driver %d.%d, CUPTI ", report->driver / 1000,
	        report->driver % 1000 / 10);
	html_text(out, report->cupti ? report->cupti : "?");
	fprintf(out, ", %s level, shim %s</p>\n",
	        report->level == GAP_LEVEL_NODE ? "node" : "graph",
	        report->shim ? "preloaded" : "not loaded");
}

static void write_facts(FILE *out, const struct gap_graph *g, const char *label)
{
	unsigned kind;

	fputs("<p>", out);
	if (label)
		fprintf(out, "<b>%s:</b> ", label);
	for (kind = 0; kind < GAP_KINDS; kind++)
		if (g->nodes[kind])
			fprintf(out, "%" PRIu32 " %s, ", g->nodes[kind],
			        gap_kind_name((enum gap_kind)kind));
	fprintf(out, "%u replays, %u used", g->replays, g->used);
	if (g->incomplete || g->timeless)
		fprintf(out, " (%u incomplete, %u without times)", g->incomplete,
		        g->timeless);
	fprintf(out, "; replay %.2f us median, %.2f us p99", us(g->replay.median),
	        us(g->replay.p99));
	if (g->n_rows)
		fprintf(out,
		        "; bubbles %.2f us a replay, of it %.2f us idle; recoverable "
		        "%.2f us; kernel-to-kernel gap %.2f us",
		        us(g->bubble), us(g->idle), us(g->recoverable),
		        us(g->kernel_gap.median));
	fputs(".</p>\n", out);
}

static void write_name(FILE *out, const char *name, const char *none)
{
	char buf[80];

	html_text(out, *name ? gap_short_name(name, buf, sizeof buf) : none);
}

static void write_rows(FILE *out, const struct gap_graph *g)
{
	unsigned i;

	if (g->n_rows == 0)
		return;
	fputs("<table><tr><th>nodes<th>bytes<th>engine<th>runs, us<th>lead<th>tail"
	      "<th>bubble<th>p99<th>hidden<th>recoverable<th>before &rarr; it &rarr; "
	      "after</tr>\n",
	      out);
	for (i = 0; i < g->n_rows && i < TOP; i++) {
		const struct gap_row *row = &g->rows[i];

		fprintf(out,
		        "<tr><td>%.4g<td>%" PRIu64 "<td>%s<td>%.2f<td>%.2f<td>%.2f<td>%"
		        ".2f<td>%.2f<td>%.4g<td>%.2f<td>",
		        row->nodes, row->bytes, gap_engine_name(row->engine),
		        us(row->duration.median), us(row->lead.median),
		        us(row->tail.median), us(row->bubble.median),
		        us(row->bubble.p99), row->hidden, us(row->recoverable));
		write_name(out, row->before, "(start)");
		fprintf(out, " &rarr; <b>%s</b> &rarr; ", gap_kind_name(row->kind));
		write_name(out, row->after, "(end)");
		fputs("</tr>\n", out);
	}
	fputs("</table>\n", out);
	if (i < g->n_rows)
		fprintf(out, "<p class=\"dim\">and %u rows more</p>\n", g->n_rows - i);
}

static void write_legend(FILE *out)
{
	static const char *const kinds[] = {"kernel", "memset", "fill",
	                                    "memcpy", "other",  "idle"};
	size_t i;

	fputs("<p class=\"dim\">Around the longest bubble, in the median replay:", out);
	for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
		fprintf(out,
		        "<span class=\"key\" style=\"background:var(--%s)\"></span>%s",
		        kinds[i], kinds[i]);
	fputs("</p>\n", out);
}

static void write_graph(FILE *out, const struct gap_report *before,
                        const struct gap_graph *a, const struct gap_report *after,
                        const struct gap_graph *b)
{
	fprintf(out, "<h2>Graph %" PRIu32 ", device %" PRIu32 "</h2>\n", a->id,
	        a->device);
	write_facts(out, a, b ? "without" : NULL);
	if (b)
		write_facts(out, b, "with");
	if (a->median.n_slots == 0)
		return;
	write_legend(out);
	svg_lanes(out, before, a, after, b);
	write_rows(out, a);
	if (b && b->n_rows) {
		fputs("<h3>With the library</h3>\n", out);
		write_rows(out, b);
	}
	fprintf(out, "<h3>Idle gaps of a replay, by length%s</h3>\n",
	        b ? ": without (left) and with (right)" : "");
	svg_histogram(out, a, b);
}

/* Graphs by their order; those of the longer list's end have no partner. */
static void write_graphs(FILE *out, const struct gap_report *before,
                         const struct gap_report *after)
{
	struct gap_match *matches = NULL;
	unsigned i, n = 0;

	if (after)
		matches = gap_match(before, after, &n);
	for (i = 0; matches && i < n; i++)
		write_graph(out, before, matches[i].a, after, matches[i].b);
	if (after && !matches)
		fputs("<p class=\"warn\">The two runs replayed different numbers of "
		      "graphs: only the first is shown.</p>\n",
		      out);
	for (i = 0; !matches && i < before->n_graphs; i++)
		write_graph(out, before, &before->graphs[i], NULL, NULL);
	free(matches);
}

void gap_write_html(FILE *out, const struct gap_report *before,
                    const struct gap_report *after, const char *summary)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
	      "<meta name=\"viewport\" "
	      "content=\"width=device-width\"><title>memsetshim: ",
	      out);
	html_text(out, before->program ? before->program : "gaps");
	fprintf(out, "</title>\n%s</head><body>\n<h1>%s</h1>\n", style,
	        after ? "Without and with the library" : "Gaps in CUDA graphs");
	if (summary) {
		fputs("<p class=\"verdict\">", out);
		html_text(out, summary);
		fputs("</p>\n", out);
	}
	write_run(out, before, after ? "without" : NULL);
	if (after)
		write_run(out, after, "with");
	if (before->level == GAP_LEVEL_NODE)
		fputs(
		    "<p class=\"dim\">Tracing nodes makes replays longer: the pictures "
		    "show where time goes, not how much of it.</p>\n",
		    out);
	if (before->n_graphs == 0)
		fputs("<p>No graph was replayed.</p>\n", out);
	write_graphs(out, before, after);
	fputs("</body></html>\n", out);
}
