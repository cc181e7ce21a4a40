/* SPDX-License-Identifier: MIT */
/*
 * output.h - where reports go: FORMAT:PATH,... with `-` for stderr.
 *
 * Formats: table, json, csv, trace, html.  A file is written under another name and
 * then renamed, so that nobody reads half of one.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "gap.h"

/* files_only: leave out what goes to stderr.  Complains of what cannot be written. */
void output_write(const char *outputs, const struct gap_report *report, unsigned top,
                  int files_only);

/* Does the list name any file? */
int output_has_files(const char *outputs);

/* Complains of words in the list that are no FORMAT:PATH. */
void output_check(const char *outputs);

#endif
