/* SPDX-License-Identifier: MIT */
/* compare_text.h - what compare says, as text and as JSON. */
#ifndef COMPARE_TEXT_H
#define COMPARE_TEXT_H

#include <stdio.h>

#include "outcome.h"

/* For people; what the first run found of machine and program is in `first`. */
void compare_write_text(FILE *out, const struct outcome *outcome,
                        const struct gap_report *first);

/* All of it, and each pair's ratio; times in ns. */
void compare_write_json(FILE *out, const struct outcome *outcome,
                        const struct gap_report *first);

/* The verdict in one sentence; malloc()ed. */
char *compare_sentence(const struct outcome *outcome);

#endif
