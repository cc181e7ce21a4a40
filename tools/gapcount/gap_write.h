/* SPDX-License-Identifier: MIT */
/*
 * gap_write.h - a report as text.
 *
 * Each writer leaves errors to the stream (ferror()), and changes nothing in the
 * report. Times are printed in microseconds in what people read (table, HTML), in
 * nanoseconds in what programs read (JSON, CSV), in microseconds in traces, as that
 * format wants.
 */
#ifndef GAP_WRITE_H
#define GAP_WRITE_H

#include "gap.h"

#include <stdio.h>

/* top: rows of each graph at most. */
void gap_write_table(FILE *out, const struct gap_report *report, unsigned top);
void gap_write_json(FILE *out, const struct gap_report *report);
/* One line a row of each graph, and a heading. */
void gap_write_csv(FILE *out, const struct gap_report *report);
/* Chrome's trace event format, for ui.perfetto.dev: two replays of each graph. */
void gap_write_trace(FILE *out, const struct gap_report *report);

/* `after` may be NULL; summary (may be NULL) is a sentence for the top of the page. */
void gap_write_html(FILE *out, const struct gap_report *before,
                    const struct gap_report *after, const char *summary);

/*
 * Reads what gap_write_json() wrote: 0, or -1 with a reason in `error` (at most `size`
 * bytes): text that is cut off, no JSON, no report, or of a schema that is not known.
 */
int gap_read_json(const char *text, size_t length, struct gap_report *report,
                  char *error, size_t size);

#endif
