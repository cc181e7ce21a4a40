/* SPDX-License-Identifier: MIT */
/* gap_svg.c - the pictures of the page, as inline SVG. */
#include "gap_html.h"

#include <string.h>

enum {
	WIDTH = 1100,
	LEFT = 90, /* of it, for labels */
	LANE = 30,
	AROUND = 5, /* nodes on either side of the one in focus */
	MAX_LANES = 8,
	BAR_AREA = 120,
};

/* A stretch of one replay. */
struct view {
	const struct gap_report *report;
	const struct gap_timeline *line;
	unsigned first, last; /* slots; last is in it */
	double from, to;      /* ns */
	unsigned lanes;
};

static void view_around(struct view *v, const struct gap_report *report,
                        const struct gap_graph *graph, unsigned focus)
{
	const struct gap_timeline *line = &graph->median;
	unsigned i;

	memset(v, 0, sizeof *v);
	v->report = report;
	v->line = line;
	if (line->n_slots == 0)
		return;
	if (focus >= line->n_slots)
		focus = line->n_slots - 1;
	v->first = focus > AROUND ? focus - AROUND : 0;
	v->last = focus + AROUND < line->n_slots ? focus + AROUND : line->n_slots - 1;
	v->from = line->slots[v->first].start;
	for (i = v->first; i <= v->last; i++) {
		const struct gap_slot *slot = &line->slots[i];

		if (slot->end > v->to)
			v->to = slot->end;
		if (slot->lane >= v->lanes)
			v->lanes = slot->lane + 1U;
	}
	if (v->lanes > MAX_LANES)
		v->lanes = MAX_LANES;
}

static double x_of(const struct view *v, double scale, double time)
{
	return LEFT + (time - v->from) * scale;
}

/* The text is cut to what fits; the whole name is what the mouse shows. */
static void svg_slot(FILE *out, const struct view *v, double scale, double top,
                     const struct gap_slot *slot)
{
	const char *full = v->report->names[slot->name];
	double x = x_of(v, scale, slot->start);
	double width = (slot->end - slot->start) * scale;
	double y = top + slot->lane * LANE;
	char name[64];
	int fits = (int)((width - 6) / 6.6);

	if (slot->lane >= MAX_LANES)
		return;
	fprintf(out,
	        "<g><rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
	        "height=\"%d\" rx=\"2\"/><title>",
	        gap_kind_name((enum gap_kind)slot->kind), x, y,
	        width > 1.5 ? width : 1.5, LANE - 6);
	html_text(out, full);
	fprintf(out, "\n%.2f us</title>", (slot->end - slot->start) / 1000);
	gap_short_name(full, name, sizeof name);
	if ((int)strlen(name) > fits && fits > 3) {
		name[fits - 1] = '\0';
		strcat(name, "~");
	}
	if (fits > 3) {
		fprintf(out, "<text class=\"in\" x=\"%.1f\" y=\"%.1f\">", x + 4,
		        y + LANE - 14);
		html_text(out, name);
		fputs("</text>", out);
	}
	fputs("</g>\n", out);
}

/* Where nothing runs; its length where there is room for it. */
static void svg_idle(FILE *out, const struct view *v, double scale, double top,
                     double from, double to)
{
	double x = x_of(v, scale, from), width = (to - from) * scale;

	if (width < 1)
		return;
	fprintf(out,
	        "<g><rect class=\"idle\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
	        "height=\"%u\"/><title>idle, %.2f us</title>",
	        x, top - 3, width, v->lanes * LANE, (to - from) / 1000);
	if (width > 34)
		fprintf(out, "<text class=\"gap\" x=\"%.1f\" y=\"%.1f\">%.2f</text>",
		        x + width / 2, top + v->lanes * LANE + 10, (to - from) / 1000);
	fputs("</g>\n", out);
}

static void svg_view(FILE *out, const struct view *v, double scale, double top,
                     const char *label)
{
	double busy_until;
	unsigned i;

	fprintf(out, "<text class=\"label\" x=\"0\" y=\"%.1f\">%s</text>\n",
	        top + LANE - 14, label);
	if (v->line->n_slots == 0)
		return;
	busy_until = v->line->slots[v->first].end;
	for (i = v->first; i <= v->last; i++) {
		const struct gap_slot *slot = &v->line->slots[i];

		if (slot->start > busy_until)
			svg_idle(out, v, scale, top, busy_until, slot->start);
		if (slot->end > busy_until)
			busy_until = slot->end;
	}
	for (i = v->first; i <= v->last; i++)
		svg_slot(out, v, scale, top, &v->line->slots[i]);
}

/* 1, 2 or 5 times a power of ten, so that the axis gets four to ten of them. */
static double nice_step(double span)
{
	double step = 1;

	while (step * 10 < span)
		step *= 10;
	if (span / step < 2)
		return step / 5;
	return span / step < 4 ? step / 2 : step;
}

static void svg_axis(FILE *out, double span, double scale, double top)
{
	double step = nice_step(span), x;
	unsigned i, n = (unsigned)(span / step);

	fprintf(out,
	        "<line class=\"axis\" x1=\"%d\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>",
	        LEFT, LEFT + span * scale, top, top);
	for (i = 0; i <= n; i++) {
		x = LEFT + i * step * scale;
		fprintf(out,
		        "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" "
		        "y2=\"%.1f\"/><text class=\"tick\" x=\"%.1f\" "
		        "y=\"%.1f\">%g</text>\n",
		        x, x, top, top + 4, x, top + 17, i * step / 1000);
	}
	fprintf(out, "<text class=\"label\" x=\"0\" y=\"%.1f\">us</text>\n", top + 17);
}

void svg_lanes(FILE *out, const struct gap_report *before, const struct gap_graph *a,
               const struct gap_report *after, const struct gap_graph *b)
{
	struct view first, second = {0};
	double span, scale, height, top = 8;

	view_around(&first, before, a, a->median.focus);
	/* A fill takes a memset's place in the order of nodes. */
	if (b)
		view_around(&second, after, b, a->median.focus);
	span = first.to - first.from;
	if (b && second.to - second.from > span)
		span = second.to - second.from;
	if (span <= 0)
		return;
	scale = (WIDTH - LEFT - 10) / span;
	height =
	    top + first.lanes * LANE + 26 + (b ? second.lanes * LANE + 26 : 0) + 24;
	fprintf(
	    out,
	    "<svg role=\"img\" viewBox=\"0 0 %d %.0f\" width=\"%d\" height=\"%.0f\">"
	    "<title>The nodes around the longest bubble</title>\n",
	    WIDTH, height, WIDTH, height);
	svg_view(out, &first, scale, top, b ? "without" : "replay");
	top += first.lanes * LANE + 26;
	if (b) {
		svg_view(out, &second, scale, top, "with");
		top += second.lanes * LANE + 26;
	}
	svg_axis(out, span, scale, top - 4);
	fputs("</svg>\n", out);
}

static double per_replay(const struct gap_graph *graph, unsigned bucket)
{
	return graph->used ? (double)graph->histogram[bucket] / graph->used : 0;
}

static void svg_bar(FILE *out, const char *class, double x, double value, double most)
{
	double height = most > 0 ? value / most * (BAR_AREA - 20) : 0;

	if (value <= 0)
		return;
	if (height < 1)
		height = 1;
	fprintf(out,
	        "<g><rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"34\" "
	        "height=\"%.1f\"/><title>%.4g a replay</title>"
	        "<text class=\"gap\" x=\"%.1f\" y=\"%.1f\">%.3g</text></g>\n",
	        class, x, BAR_AREA - height, height, value, x + 17,
	        BAR_AREA - height - 4, value);
}

void svg_histogram(FILE *out, const struct gap_graph *a, const struct gap_graph *b)
{
	static const char *const labels[GAP_BUCKETS] = {"0", "0.25", "0.5", "1", "2",
	                                                "4", "8",    "16",  "32"};
	double most = 0, x;
	unsigned i;

	for (i = 0; i < GAP_BUCKETS; i++) {
		if (per_replay(a, i) > most)
			most = per_replay(a, i);
		if (b && per_replay(b, i) > most)
			most = per_replay(b, i);
	}
	fprintf(out,
	        "<svg role=\"img\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">"
	        "<title>Idle gaps of a replay by their length</title>\n",
	        WIDTH, BAR_AREA + 24, WIDTH, BAR_AREA + 24);
	for (i = 0; i < GAP_BUCKETS; i++) {
		x = LEFT + i * 105;
		svg_bar(out, "without", x, per_replay(a, i), most);
		if (b)
			svg_bar(out, "with", x + 38, per_replay(b, i), most);
		fprintf(out, "<text class=\"tick\" x=\"%.1f\" y=\"%d\">%s</text>\n",
		        x - 6, BAR_AREA + 16, labels[i]);
	}
	fprintf(out,
	        "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>"
	        "<text class=\"label\" x=\"0\" y=\"%d\">gap, us</text></svg>\n",
	        LEFT - 10, WIDTH - 10, BAR_AREA, BAR_AREA, BAR_AREA + 16);
}
