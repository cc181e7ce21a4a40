/* SPDX-License-Identifier: MIT */
/* gap_html_rows.c - the tables of the page: a replay's totals, and the rows. */
#include "gap_html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TOP = 20 };

static double us(double ns)
{
	return ns / 1000;
}

/* --- totals ---------------------------------------------------------------------- */

struct figure {
	const char *heading;
	size_t offset; /* of a double of struct gap_graph */
	int node_level;
};

#define FIGURE(heading, field, node)                             \
	{                                                        \
		heading, offsetof(struct gap_graph, field), node \
	}
static const struct figure figures[] = {
    FIGURE("replay, median", replay.median, 0),
    FIGURE("p99", replay.p99, 0),
    FIGURE("kernel-to-kernel gap", kernel_gap.median, 1),
    FIGURE("bubbles", bubble, 1),
    FIGURE("of them idle", idle, 1),
    FIGURE("recoverable", recoverable, 1),
};
#undef FIGURE
enum { N_FIGURES = sizeof figures / sizeof *figures };

static double figure_of(const struct gap_graph *graph, const struct figure *figure)
{
	double value;

	memcpy(&value, (const char *)graph + figure->offset, sizeof value);
	return value;
}

static void write_figures(FILE *out, const struct gap_graph *graph, size_t n,
                          const char *label)
{
	size_t i;

	fprintf(out, "<tr><td>%s</td>", label);
	for (i = 0; i < n; i++)
		fprintf(out, "<td>%.2f</td>", us(figure_of(graph, &figures[i])));
	fputs("</tr>\n", out);
}

static void write_changes(FILE *out, const struct gap_graph *a,
                          const struct gap_graph *b, size_t n)
{
	double before, change;
	size_t i;

	fputs("<tr><td>change</td>", out);
	for (i = 0; i < n; i++) {
		before = figure_of(a, &figures[i]);
		change = figure_of(b, &figures[i]) - before;
		if (before > 0)
			fprintf(out, "<td>%+.2f (%+.1f&nbsp;%%)</td>", us(change),
			        100 * change / before);
		else
			fprintf(out, "<td>%+.2f</td>", us(change));
	}
	fputs("</tr>\n", out);
}

void html_figures(FILE *out, const struct gap_graph *a, const struct gap_graph *b,
                  enum gap_level level)
{
	size_t i, n = 0;

	while (n < N_FIGURES && (level == GAP_LEVEL_NODE || !figures[n].node_level))
		n++;
	fputs("<table class=\"figures\"><tr><th>&micro;s a replay</th>", out);
	for (i = 0; i < n; i++)
		fprintf(out, "<th>%s</th>", figures[i].heading);
	fputs("</tr>\n", out);
	write_figures(out, a, n, b ? "without" : "");
	if (b) {
		write_figures(out, b, n, "with");
		write_changes(out, a, b, n);
	}
	fputs("</table>\n", out);
	if (level == GAP_LEVEL_NODE && a->nodes[GAP_MEMSET] > 0)
		fprintf(out,
		        "<p class=\"dim\">Recoverable: %.1f&nbsp;%% of a replay, if a "
		        "fill takes %.2f &micro;s (%s).</p>\n",
		        a->replay.median > 0 ? 100 * a->recoverable / a->replay.median
		                             : 0,
		        us(a->fill_ns), a->fill_seen ? "measured here" : "assumed");
}

/* --- rows ------------------------------------------------------------------------ */

/* Does the graph have a memset or fill of that name? */
static int names_setting(const struct gap_graph *graph, const char *name)
{
	unsigned i;

	for (i = 0; i < graph->n_rows; i++)
		if (!strcmp(graph->rows[i].name, name))
			return 1;
	return 0;
}

/* Of a and b: the same neighbour, or memset here and fill there. */
static int same_neighbour(const struct gap_graph *a, const char *x,
                          const struct gap_graph *b, const char *y)
{
	return !strcmp(x, y) || (names_setting(a, x) && names_setting(b, y));
}

/* The row of b that is in the place of a's and not yet taken, or NULL. */
static const struct gap_row *take_row(const struct gap_graph *a,
                                      const struct gap_row *row,
                                      const struct gap_graph *b, char *taken)
{
	unsigned i;

	for (i = 0; i < b->n_rows; i++) {
		const struct gap_row *other = &b->rows[i];

		if (taken[i] || other->bytes != row->bytes ||
		    !same_neighbour(a, row->before, b, other->before) ||
		    !same_neighbour(a, row->after, b, other->after))
			continue;
		taken[i] = 1;
		return other;
	}
	return NULL;
}

static void write_name(FILE *out, const char *name, const char *none)
{
	char buf[80];

	if (!*name) {
		fputs(none, out);
		return;
	}
	html_text(out, gap_short_name(name, buf, sizeof buf));
}

static const char *kind_of(const struct gap_row *row)
{
	return row ? gap_kind_name(row->kind) : "&ndash;";
}

static void write_number(FILE *out, const double *value, int time)
{
	if (!value)
		fputs("&ndash;", out);
	else if (time)
		fprintf(out, "%.2f", us(*value));
	else
		fprintf(out, "%.4g", *value);
}

/* x, or both and an arrow. */
static void write_cell(FILE *out, int both, const double *x, const double *y, int time)
{
	fputs("<td>", out);
	write_number(out, x, time);
	if (both) {
		fputs("&nbsp;&rarr;&nbsp;", out);
		write_number(out, y, time);
	}
	fputs("</td>", out);
}

static void write_times(FILE *out, int both, const double *x, const double *y)
{
	write_cell(out, both, x, y, 1);
}

/* One when they are the same: most often, they are. */
static void write_counts(FILE *out, int both, const double *x, const double *y)
{
	write_cell(out, both && !(x && y && *x == *y), x, y, 0);
}

static double bubbles_of(const struct gap_row *row)
{
	return row ? row->bubble.median * row->nodes : 0;
}

#define FIELD(row, field) ((row) ? &(row)->field : NULL)

/* a or b may be NULL: there is no such row.  both: a table of two reports. */
static void write_row(FILE *out, const struct gap_row *a, const struct gap_row *b,
                      int both)
{
	const struct gap_row *row = a ? a : b;

	if (!row)
		return;
	fputs("<tr>", out);
	write_counts(out, both, FIELD(a, nodes), FIELD(b, nodes));
	fprintf(out, "<td>%" PRIu64 "</td><td>%s</td>", row->bytes,
	        gap_engine_name(row->engine));
	write_times(out, both, FIELD(a, duration.median), FIELD(b, duration.median));
	if (!both) {
		write_times(out, 0, FIELD(a, lead.median), NULL);
		write_times(out, 0, FIELD(a, tail.median), NULL);
	}
	write_times(out, both, FIELD(a, bubble.median), FIELD(b, bubble.median));
	write_times(out, both, FIELD(a, bubble.p99), FIELD(b, bubble.p99));
	write_counts(out, both, FIELD(a, hidden), FIELD(b, hidden));
	write_times(out, 0, FIELD(a, recoverable), NULL);
	if (both && a && b)
		fprintf(out, "<td>%.2f</td>", us(bubbles_of(a) - bubbles_of(b)));
	else if (both)
		fputs("<td>&ndash;</td>", out);
	fputs("<td>", out);
	write_name(out, row->before, "(start)");
	fprintf(out, " &rarr; <b>%s", kind_of(both ? a : row));
	if (both && !(a && b && a->kind == b->kind))
		fprintf(out, " / %s", kind_of(b));
	fputs("</b> &rarr; ", out);
	write_name(out, row->after, "(end)");
	fputs("</td></tr>\n", out);
}

static void write_more(FILE *out, unsigned n)
{
	if (n)
		fprintf(out, "<p class=\"dim\">and %u rows more</p>\n", n);
}

/* Those of a, then those of b that have no partner; *more: not written. */
static void write_both(FILE *out, const struct gap_graph *a, const struct gap_graph *b,
                       unsigned *more)
{
	char *taken = calloc(b->n_rows + 1U, 1);
	unsigned i, n = 0;

	for (i = 0; taken && i < a->n_rows; i++, n++) {
		const struct gap_row *partner = take_row(a, &a->rows[i], b, taken);

		if (n < TOP)
			write_row(out, &a->rows[i], partner, 1);
	}
	for (i = 0; taken && i < b->n_rows; i++) {
		if (taken[i])
			continue;
		if (n++ < TOP)
			write_row(out, NULL, &b->rows[i], 1);
	}
	*more = n > TOP ? n - TOP : 0;
	free(taken);
}

void html_rows(FILE *out, const struct gap_graph *a, const struct gap_graph *b)
{
	unsigned i, more;

	if (a->n_rows == 0 && (!b || b->n_rows == 0))
		return;
	fprintf(out,
	        "<table><tr><th>nodes</th><th>bytes</th><th>engine</th>"
	        "<th>runs, &micro;s</th>%s<th>bubble</th><th>p99</th><th>hidden</th>"
	        "<th>recoverable</th>%s<th>before &rarr; it &rarr; after</th></tr>\n",
	        b ? "" : "<th>lead</th><th>tail</th>", b ? "<th>recovered</th>" : "");
	if (b) {
		write_both(out, a, b, &more);
	} else {
		for (i = 0; i < a->n_rows && i < TOP; i++)
			write_row(out, &a->rows[i], NULL, 0);
		more = a->n_rows - i;
	}
	fputs("</table>\n", out);
	write_more(out, more);
}
