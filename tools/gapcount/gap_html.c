/* SPDX-License-Identifier: MIT */
/* gap_html.c - a report, or two, as one page that needs nothing else. */
#include "gap_html.h"
#include "gap_compare.h"
#include "gap_write.h"
#include "json.h"

#include <inttypes.h>
#include <stdlib.h>

static const char style[] =
    "<style>\n"
    ":root{color-scheme:light dark;--ink:#1b1f24;--dim:#5b6570;--paper:#fff;"
    "--rule:#d5dae0;--kernel:#8fb8de;--memset:#e8837f;--fill:#6cc286;--memcpy:#d6b65c;"
    "--other:#b4b4be;--idle:#f6dedc;--bar:#8b96a3;--warn:#d9534f}\n"
    "@media screen and (prefers-color-scheme:dark){:root{--ink:#e6e9ed;--dim:#9aa4af;"
    "--paper:#14181d;--rule:#39424c;--kernel:#34628d;--memset:#a93935;--fill:#2d7443;"
    "--memcpy:#7d6523;--other:#5a5e67;--idle:#452a29;--bar:#6d7885;--warn:#d9534f}}\n"
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);"
    "max-width:1140px;margin:2em auto;padding:0 20px}\n"
    "h1{font-size:24px;margin:0 0 .2em}h2{font-size:19px;margin:2em 0 .3em;"
    "padding-top:.6em;border-top:1px solid var(--rule)}"
    "h3{font-size:15px;margin:1.4em 0 .3em}\n"
    "p{margin:.4em 0}.dim{color:var(--dim)}.verdict{font-size:18px}"
    ".warn{border-left:4px solid var(--warn);padding-left:10px;font-weight:600}\n"
    "table{border-collapse:collapse;font-size:13px;width:100%;margin:.6em 0;"
    "font-variant-numeric:tabular-nums}"
    "th,td{padding:3px 8px;text-align:right;border-bottom:1px solid var(--rule);"
    "white-space:nowrap}th{color:var(--dim);font-weight:600;vertical-align:bottom}"
    "th:last-child,td:last-child{text-align:left;white-space:normal;"
    "overflow-wrap:anywhere}\n"
    "table.figures{width:auto}.figures th:first-child,.figures td:first-child"
    "{text-align:left;color:var(--dim)}"
    ".figures th:last-child,.figures td:last-child{text-align:right}\n"
    "svg{max-width:100%;height:auto;display:block}"
    "svg text{font:11px ui-monospace,monospace;fill:var(--ink)}"
    "svg .gap,svg .tick,svg .bubble{text-anchor:middle}"
    "svg .label,svg .tick{fill:var(--dim)}svg .gap{fill:var(--dim);font-size:10px}"
    "svg .bubble{font-weight:700}\n"
    ".kernel{fill:var(--kernel)}.memset{fill:var(--memset)}.fill{fill:var(--fill)}"
    ".memcpy{fill:var(--memcpy)}.other{fill:var(--other)}.idle{fill:var(--idle)}"
    ".bar{fill:var(--bar)}.without{fill:var(--memset)}.with{fill:var(--fill)}"
    ".torn{fill:var(--paper)}.axis{stroke:var(--dim);stroke-width:1}"
    ".bracket{stroke:var(--ink);stroke-width:1.5;fill:none}\n"
    ".key{display:inline-block;width:12px;height:12px;border-radius:2px;"
    "margin:0 4px 0 14px;vertical-align:-1px;print-color-adjust:exact;"
    "-webkit-print-color-adjust:exact}\n"
    "@media print{body{margin:0;max-width:none;padding:0;font-size:11pt}"
    "table{font-size:8pt}th,td{padding:2px 5px}svg,tr{break-inside:avoid}"
    "h2,h3,.legend{break-after:avoid}}\n"
    "</style>\n";

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

/* label, where given, says of which run. */
static void begin_warning(FILE *out, const char *label)
{
	fputs("<p class=\"warn\">", out);
	if (label)
		fprintf(out, "%s: ", label);
}

static void write_warnings(FILE *out, const struct gap_report *report,
                           const char *label)
{
	if (report->dropped) {
		begin_warning(out, label);
		fprintf(out, "CUPTI dropped %" PRIu64 " records.</p>\n",
		        report->dropped);
	}
	if (report->timeless) {
		begin_warning(out, label);
		fprintf(out,
		        "%" PRIu64 " records have no time; their replays are left "
		        "out.</p>\n",
		        report->timeless);
	}
	if (report->note) {
		begin_warning(out, label);
		html_text(out, report->note);
		fputs("</p>\n", out);
	}
	if (report->inflation > 1.1) {
		begin_warning(out, label);
		fprintf(out,
		        "Tracing nodes makes replays %.2f times as long: the gaps tell "
		        "where time goes, not how much of it.</p>\n",
		        report->inflation);
	}
}

static void write_run(FILE *out, const struct gap_report *report, const char *label)
{
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
	fprintf(out, ", %s level, shim %s",
	        report->level == GAP_LEVEL_NODE ? "node" : "graph",
	        report->shim ? "preloaded" : "not loaded");
	if (report->not_kept)
		fprintf(out,
		        "; the first replays of each graph were kept, %" PRIu64
		        " later records were not needed",
		        report->not_kept);
	fputs("</p>\n", out);
}

/* Replays that are left out come first, and stand out. */
static void write_left_out(FILE *out, const struct gap_graph *g, const char *label)
{
	if (g->incomplete) {
		begin_warning(out, label);
		fprintf(out, "%u of %u replays left out: records are missing.</p>\n",
		        g->incomplete, g->replays);
	}
	if (g->timeless) {
		begin_warning(out, label);
		fprintf(out, "%u of %u replays left out: a record has no time.</p>\n",
		        g->timeless, g->replays);
	}
	if (g->used == 0) {
		begin_warning(out, label);
		fputs("No replay could be used.</p>\n", out);
	}
}

static const char *plural(enum gap_kind kind, unsigned n)
{
	return n == 1 || kind == GAP_OTHER ? "" : "s";
}

static void write_facts(FILE *out, const struct gap_graph *g, const char *label)
{
	const char *separator = " (";
	unsigned sum = 0, kind;

	for (kind = 0; kind < GAP_KINDS; kind++)
		sum += g->nodes[kind];
	fputs("<p>", out);
	if (label)
		fprintf(out, "<b>%s:</b> ", label);
	if (sum)
		fprintf(out, "%u node%s", sum, sum == 1 ? "" : "s");
	for (kind = 0; kind < GAP_KINDS; kind++) {
		if (!g->nodes[kind])
			continue;
		fprintf(out, "%s%" PRIu32 " %s%s", separator, g->nodes[kind],
		        gap_kind_name((enum gap_kind)kind),
		        plural((enum gap_kind)kind, g->nodes[kind]));
		separator = ", ";
	}
	fprintf(out, "%s%u replay%s, %u used", sum ? "), " : "", g->replays,
	        g->replays == 1 ? "" : "s", g->used);
	if (g->overlaps)
		fprintf(out, ", %u kernel%s a replay overlap another", g->overlaps,
		        g->overlaps == 1 ? "" : "s");
	if (g->hidden > 0)
		fprintf(out, ", %.4g of the memsets and fills hidden", g->hidden);
	fputs("</p>\n", out);
}

/* The first node is in focus where there is neither memset nor fill. */
static int has_focus(const struct gap_timeline *line)
{
	unsigned kind = line->slots[line->focus].kind;

	return kind == GAP_MEMSET || kind == GAP_FILL;
}

static const char *picture_heading(const struct gap_graph *graph)
{
	if (!has_focus(&graph->median))
		return "The first nodes of the median replay";
	if (graph->bubble > 0)
		return "Around the longest bubble, in the median replay";
	return "Around a hidden memset or fill, in the median replay";
}

static void write_legend(FILE *out, const struct gap_graph *graph)
{
	static const char *const kinds[] = {"kernel", "memset", "fill",
	                                    "memcpy", "other",  "idle"};
	size_t i;

	fprintf(out, "<h3>%s</h3>\n<p class=\"dim legend\">", picture_heading(graph));
	fprintf(out, "Time 0: %s.",
	        has_focus(&graph->median) ? "the end of the node before"
	                                  : "the beginning");
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
	write_left_out(out, a, b ? "without" : NULL);
	if (b)
		write_left_out(out, b, "with");
	write_facts(out, a, b ? "without" : NULL);
	if (b)
		write_facts(out, b, "with");
	if (a->used == 0)
		return;
	html_figures(out, a, b, before->level);
	if (a->median.n_slots == 0)
		return;
	write_legend(out, a);
	svg_lanes(out, before, a, after, b);
	html_rows(out, a, b);
	fprintf(out, "<h3>Idle gaps in a replay, by length</h3>\n");
	if (b)
		fputs("<p class=\"dim legend\">How many there are:"
		      "<span class=\"key\" style=\"background:var(--memset)\"></span>"
		      "without"
		      "<span class=\"key\" style=\"background:var(--fill)\"></span>"
		      "with</p>\n",
		      out);
	svg_histogram(out, a, b);
}

static int any_used(const struct gap_report *report)
{
	unsigned i;

	for (i = 0; i < report->n_graphs; i++)
		if (report->graphs[i].used)
			return 1;
	return 0;
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
	if (after && !matches && (any_used(before) || any_used(after)))
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
	write_warnings(out, before, after ? "without" : NULL);
	if (after)
		write_warnings(out, after, "with");
	write_run(out, before, after ? "without" : NULL);
	if (after)
		write_run(out, after, "with");
	if (before->level == GAP_LEVEL_NODE && before->n_graphs &&
	    before->inflation <= 1.1 && (!after || after->inflation <= 1.1))
		fputs(
		    "<p class=\"dim\">Tracing nodes makes replays longer: the pictures "
		    "show where time goes, not how much of it.</p>\n",
		    out);
	if (before->n_graphs == 0)
		fputs("<p>No graph was replayed.</p>\n", out);
	write_graphs(out, before, after);
	fputs("</body></html>\n", out);
}
