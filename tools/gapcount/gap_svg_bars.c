/* SPDX-License-Identifier: MIT */
/* gap_svg_bars.c - the histogram of the page, as inline SVG. */
#include "gap_html.h"

enum { BAR_AREA = 120 };

static double per_replay(const struct gap_graph *graph, unsigned bucket)
{
	return graph->used ? (double)graph->histogram[bucket] / graph->used : 0;
}

static void svg_bar(FILE *out, const char *class, double x, double width, double value,
                    double most)
{
	double height = most > 0 ? value / most * (BAR_AREA - 20) : 0;

	if (value <= 0)
		return;
	if (height < 1)
		height = 1;
	fprintf(out,
	        "<g><rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
	        "height=\"%.1f\"/><title>%.4g a replay</title>"
	        "<text class=\"gap\" x=\"%.1f\" y=\"%.1f\">%.3g</text></g>\n",
	        class, x, BAR_AREA - height, width, height, value, x + width / 2,
	        BAR_AREA - height - 4, value);
}

void svg_histogram(FILE *out, const struct gap_graph *a, const struct gap_graph *b)
{
	static const char *const edges[GAP_BUCKETS] = {"0", "0.25", "0.5", "1", "2",
	                                               "4", "8",    "16",  "32"};
	const double bucket = (double)SVG_PLOT / GAP_BUCKETS, half = bucket / 2 - 8;
	double most = 0, x;
	unsigned i;

	for (i = 0; i < GAP_BUCKETS; i++) {
		if (per_replay(a, i) > most)
			most = per_replay(a, i);
		if (b && per_replay(b, i) > most)
			most = per_replay(b, i);
	}
	if (most <= 0) {
		fputs("<p>There are none.</p>\n", out);
		return;
	}
	fprintf(out,
	        "<svg role=\"img\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">"
	        "<title>Idle gaps of a replay by their length</title>\n",
	        SVG_WIDTH, BAR_AREA + 24, SVG_WIDTH, BAR_AREA + 24);
	for (i = 0; i < GAP_BUCKETS; i++) {
		x = SVG_LEFT + i * bucket;
		svg_bar(out, b ? "without" : "bar", x + 8, b ? half - 1 : 2 * half,
		        per_replay(a, i), most);
		if (b)
			svg_bar(out, "with", x + 9 + half, half - 1, per_replay(b, i),
			        most);
		fprintf(out,
		        "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" "
		        "y2=\"%d\"/><text class=\"tick\" x=\"%.1f\" y=\"%d\">%s"
		        "</text>\n",
		        x, x, BAR_AREA, BAR_AREA + 4, x, BAR_AREA + 16, edges[i]);
	}
	fprintf(out,
	        "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>"
	        "<text class=\"label\" x=\"0\" y=\"%d\">gap, &micro;s</text></svg>\n",
	        SVG_LEFT, SVG_LEFT + SVG_PLOT, BAR_AREA, BAR_AREA, BAR_AREA + 16);
}
