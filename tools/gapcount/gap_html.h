/* SPDX-License-Identifier: MIT */
/* gap_html.h - the parts of the page.  Internal to gap_html*.c and gap_svg*.c. */
#ifndef GAP_HTML_H
#define GAP_HTML_H

#include "gap.h"

#include <stdio.h>

/* Of pictures: labels are left of what is drawn. */
enum { SVG_WIDTH = 1100, SVG_LEFT = 90, SVG_PLOT = SVG_WIDTH - SVG_LEFT - 10 };

/* Text, with what HTML would read as its own escaped; what is no UTF-8, U+FFFD. */
void html_text(FILE *out, const char *text);

/* What a replay adds up to; b may be NULL, in all of these. */
void html_figures(FILE *out, const struct gap_graph *a, const struct gap_graph *b,
                  enum gap_level level);

/* The rows of a, each beside the one of b that is in its place. */
void html_rows(FILE *out, const struct gap_graph *a, const struct gap_graph *b);

/*
 * The nodes around the worst bubble of `before`, and, where `after` is given, those at
 * the same place of its replay, to the same scale.  Names are in the reports.
 */
void svg_lanes(FILE *out, const struct gap_report *before, const struct gap_graph *a,
               const struct gap_report *after, const struct gap_graph *b);

/* Gaps by length. */
void svg_histogram(FILE *out, const struct gap_graph *a, const struct gap_graph *b);

#endif
