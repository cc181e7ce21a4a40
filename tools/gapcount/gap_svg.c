/* SPDX-License-Identifier: MIT */
/* gap_svg.c - the pictures of the page, as inline SVG. */
#include "gap_html.h"

#include <string.h>

enum {
	WIDTH = SVG_WIDTH,
	LEFT = SVG_LEFT,
	PLOT = SVG_PLOT,
	LANE = 30,
	ABOVE = 25, /* the bracket and its text */
	BELOW = 24, /* lengths of idle gaps */
	AROUND = 6, /* nodes on either side of the one in focus */
	/* Bubbles on either side: next to a long kernel a bubble is to be seen still.
	 */
	REACH = 6,
	MAX_LANES = 8,
};

static const double char_width = 6.7;

/* A stretch of one replay.  Times are from `zero`, the predecessor's end. */
struct view {
	const struct gap_report *report;
	const struct gap_timeline *line;
	unsigned focus;
	double zero;
	double bubble;     /* from zero on; 0: hidden, or none */
	unsigned settings; /* memsets and fills in it */
	double from, to;
	unsigned lanes;
};

/* Of two; libm's would have to be linked. */
static double least(double a, double b)
{
	return a < b ? a : b;
}

static double most(double a, double b)
{
	return a > b ? a : b;
}

static int is_setting(const struct gap_slot *slot)
{
	return slot->kind == GAP_MEMSET || slot->kind == GAP_FILL;
}

/* From the last end to the next start of what is neither memset nor fill. */
static void find_bubble(struct view *v)
{
	const struct gap_slot *slots = v->line->slots, *focus = &slots[v->focus];
	double from = -1, to = -1, last = focus->end, ended = -1;
	unsigned i;

	v->zero = focus->start;
	if (!is_setting(focus))
		return;
	for (i = 0; i < v->line->n_slots; i++) {
		const struct gap_slot *slot = &slots[i];

		if (i < v->focus && slot->end <= focus->start && slot->end > ended)
			ended = slot->end;
		if (is_setting(slot))
			last = slot->end > last ? slot->end : last;
		else if (i < v->focus)
			from = slot->end > from ? slot->end : from;
		else if (to < 0)
			to = slot->start;
	}
	if (from < 0)
		from = slots[0].start;
	if (to < 0)
		to = last;
	if (to <= from) { /* hidden behind another branch */
		v->zero = ended < 0 ? focus->start : ended;
		return;
	}
	v->zero = from;
	v->bubble = to - from;
	for (i = 0; i < v->line->n_slots; i++)
		if (is_setting(&slots[i]))
			v->settings += slots[i].end > from && slots[i].start < to;
}

static void view_around(struct view *v, const struct gap_report *report,
                        const struct gap_graph *graph, unsigned focus)
{
	const struct gap_timeline *line = &graph->median;
	unsigned first, last, i;

	memset(v, 0, sizeof *v);
	v->report = report;
	v->line = line;
	if (line->n_slots == 0)
		return;
	v->focus = focus < line->n_slots ? focus : line->n_slots - 1;
	find_bubble(v);
	first = v->focus > AROUND ? v->focus - AROUND : 0;
	last =
	    v->focus + AROUND < line->n_slots ? v->focus + AROUND : line->n_slots - 1;
	v->from = line->slots[first].start - v->zero;
	for (i = first; i <= last; i++)
		v->to = most(v->to, line->slots[i].end - v->zero);
}

/* What of the view is drawn, when both have the same limits. */
static void view_limit(struct view *v, double from, double to)
{
	unsigned i;

	v->from = from;
	v->to = to;
	for (i = 0; i < v->line->n_slots; i++) {
		const struct gap_slot *slot = &v->line->slots[i];

		if (slot->end - v->zero > from && slot->start - v->zero < to &&
		    slot->lane >= v->lanes)
			v->lanes = slot->lane + 1U;
	}
	if (v->lanes > MAX_LANES)
		v->lanes = MAX_LANES;
}

/* How many of the nodes around i and k are the same; a fill is like a memset. */
static unsigned alike(const struct view *a, unsigned i, const struct gap_report *report,
                      const struct gap_timeline *line, unsigned k)
{
	unsigned same = 0;
	int d;

	for (d = -AROUND; d <= AROUND; d++) {
		long at = (long)i + d, bt = (long)k + d;
		const struct gap_slot *x, *y;

		if (at < 0 || bt < 0 || at >= (long)a->line->n_slots ||
		    bt >= (long)line->n_slots)
			continue;
		x = &a->line->slots[at];
		y = &line->slots[bt];
		same += (is_setting(x) && is_setting(y)) ||
		        !strcmp(a->report->names[x->name], report->names[y->name]);
	}
	return same;
}

/* The node of `line` that is in the place of a's focus. */
static unsigned find_partner(const struct view *a, const struct gap_report *report,
                             const struct gap_timeline *line)
{
	unsigned best = line->focus, score = 0, distance = 0, i, same, apart;

	if (!is_setting(&a->line->slots[a->focus]))
		return a->focus;
	for (i = 0; i < line->n_slots; i++) {
		if (!is_setting(&line->slots[i]))
			continue;
		same = alike(a, a->focus, report, line, i);
		apart = i > a->focus ? i - a->focus : a->focus - i;
		if (same > score || (same == score && apart < distance)) {
			best = i;
			score = same;
			distance = apart;
		}
	}
	return best;
}

static double x_of(const struct view *v, double scale, double time)
{
	double from_zero = least(most(time - v->zero, v->from), v->to);

	return LEFT + (from_zero - v->from) * scale;
}

/* Cut to what fits; the whole name is what the mouse shows. */
static void svg_slot_text(FILE *out, const char *name, double x, double y, double width)
{
	int fits = (int)((width - 8) / char_width), length = (int)strlen(name);
	char cut[64];

	if (fits < 4 || (fits < 6 && length > fits))
		return;
	fprintf(out, "<text class=\"in\" x=\"%.1f\" y=\"%.1f\">", x + 4, y);
	if (length <= fits) {
		html_text(out, name);
	} else {
		fits--;
		while (fits > 0 && ((unsigned char)name[fits] & 0xc0) == 0x80)
			fits--;
		snprintf(cut, sizeof cut, "%.*s", fits, name);
		html_text(out, cut);
		fputs("&hellip;", out);
	}
	fputs("</text>", out);
}

/* A node that goes on outside of the picture has a torn edge. */
static void svg_torn(FILE *out, double x, double y, int inwards)
{
	int side = 5 * inwards;

	fprintf(out, "<path class=\"torn\" d=\"M%.1f %.1fl%d %dl%d %dl%d %dl%d %dz\"/>",
	        x - inwards, y - 1, side, 7, -side, 6, side, 6, -side, 7);
}

static void svg_slot(FILE *out, const struct view *v, double scale, double top,
                     const struct gap_slot *slot)
{
	const char *full = v->report->names[slot->name];
	const char *kind = gap_kind_name((enum gap_kind)slot->kind);
	double x = x_of(v, scale, slot->start);
	double width = x_of(v, scale, slot->end) - x;
	double y = top + slot->lane * LANE;
	/* A step of the clock beyond the edge is nothing to be told. */
	int torn = slot->start - v->zero < v->from - 0.5, inset = torn ? 6 : 0;
	char name[64];

	if (slot->lane >= MAX_LANES || slot->end - v->zero <= v->from ||
	    slot->start - v->zero >= v->to)
		return;
	fprintf(out,
	        "<g><rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
	        "height=\"%d\" rx=\"2\"/><title>",
	        kind, x, y, most(width, 1.5), LANE - 6);
	html_text(out, full);
	fprintf(out, "\n%s, %.2f &micro;s</title>", kind,
	        (slot->end - slot->start) / 1000);
	svg_slot_text(out,
	              is_setting(slot) ? kind : gap_short_name(full, name, sizeof name),
	              x + inset, y + LANE - 14, width - inset);
	if (torn)
		svg_torn(out, x, y, 1);
	if (slot->end - v->zero > v->to + 0.5)
		svg_torn(out, x + width, y, -1);
	fputs("</g>\n", out);
}

/* Where nothing runs; its length where there is room for it. */
static void svg_idle(FILE *out, const struct view *v, double scale, double top,
                     double from, double to)
{
	double x = x_of(v, scale, from), width = x_of(v, scale, to) - x;
	char length[32];

	if (width < 1)
		return;
	snprintf(length, sizeof length, "%.2f", (to - from) / 1000);
	fprintf(out,
	        "<g><rect class=\"idle\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
	        "height=\"%u\"/><title>idle, %s &micro;s</title>",
	        x, top - 3, width, v->lanes * LANE, length);
	if (width > (double)strlen(length) * char_width)
		fprintf(out, "<text class=\"gap\" x=\"%.1f\" y=\"%.1f\">%s</text>",
		        x + width / 2, top + v->lanes * LANE + 9, length);
	fputs("</g>\n", out);
}

static void svg_bracket(FILE *out, const struct view *v, double scale, double top)
{
	double x = x_of(v, scale, v->zero);
	double end = x_of(v, scale, v->zero + v->bubble);
	double middle = (x + end) / 2, half = 10 * char_width;

	if (v->bubble <= 0)
		return;
	middle = least(most(middle, LEFT + half), LEFT + PLOT - half);
	fprintf(
	    out,
	    "<path class=\"bracket\" d=\"M%.1f %.1fv-5H%.1fv5\"/>"
	    "<text class=\"bubble\" x=\"%.1f\" y=\"%.1f\">%s %.2f &micro;s</text>\n",
	    x, top - 4, end, middle, top - 14, v->settings > 1 ? "bubbles" : "bubble",
	    v->bubble / 1000);
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
	busy_until = v->line->slots[0].end;
	for (i = 0; i < v->line->n_slots; i++) {
		const struct gap_slot *slot = &v->line->slots[i];

		if (slot->start > busy_until)
			svg_idle(out, v, scale, top, busy_until, slot->start);
		busy_until = most(busy_until, slot->end);
	}
	for (i = 0; i < v->line->n_slots; i++)
		svg_slot(out, v, scale, top, &v->line->slots[i]);
	svg_bracket(out, v, scale, top);
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

static void svg_axis(FILE *out, const struct view *v, double scale, double top)
{
	double step = nice_step(v->to - v->from), x;
	/* From 0 in both directions: it is in the picture, or at its edge. */
	long i, first = (long)(v->from / step), last = (long)(v->to / step);

	fprintf(out,
	        "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
	        LEFT, LEFT + PLOT, top, top);
	for (i = first; i <= last; i++) {
		x = LEFT + ((double)i * step - v->from) * scale;
		fprintf(out,
		        "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" "
		        "y2=\"%.1f\"/><text class=\"tick\" x=\"%.1f\" "
		        "y=\"%.1f\">%g</text>\n",
		        x, x, top, top + 4, x, top + 17, (double)i * step / 1000);
	}
	fprintf(out, "<text class=\"label\" x=\"0\" y=\"%.1f\">time, &micro;s</text>\n",
	        top + 17);
}

/* The same limits for both, so that lengths can be compared by eye. */
static void limit_views(struct view *a, struct view *b)
{
	double from = a->from, to = a->to, longest = a->bubble;
	const struct gap_slot *focus = &a->line->slots[a->focus];

	if (b) {
		from = least(from, b->from);
		to = most(to, b->to);
		longest = most(longest, b->bubble);
	}
	if (longest <= 0 && is_setting(focus))
		longest = focus->end - focus->start;
	if (longest > 0) {
		from = most(from, -REACH * longest);
		to = least(to, (REACH + 1) * longest);
	}
	view_limit(a, from, to);
	if (b)
		view_limit(b, from, to);
}

void svg_lanes(FILE *out, const struct gap_report *before, const struct gap_graph *a,
               const struct gap_report *after, const struct gap_graph *b)
{
	struct view first, second;
	double scale, height, top = ABOVE;

	if (a->median.n_slots == 0)
		return;
	if (b && b->median.n_slots == 0)
		b = NULL;
	view_around(&first, before, a, a->median.focus);
	if (b)
		view_around(&second, after, b, find_partner(&first, after, &b->median));
	limit_views(&first, b ? &second : NULL);
	if (first.to <= first.from)
		return;
	scale = PLOT / (first.to - first.from);
	height = ABOVE + first.lanes * LANE + BELOW + 20;
	if (b)
		height += ABOVE + second.lanes * LANE + BELOW;
	fprintf(
	    out,
	    "<svg role=\"img\" viewBox=\"0 0 %d %.0f\" width=\"%d\" height=\"%.0f\">"
	    "<title>The nodes around the longest bubble</title>\n",
	    WIDTH, height, WIDTH, height);
	svg_view(out, &first, scale, top, b ? "without" : "replay");
	top += first.lanes * LANE + BELOW;
	if (b) {
		top += ABOVE;
		svg_view(out, &second, scale, top, "with");
		top += second.lanes * LANE + BELOW;
	}
	svg_axis(out, &first, scale, top - 4);
	fputs("</svg>\n", out);
}
