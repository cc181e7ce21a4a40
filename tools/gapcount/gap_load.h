/* SPDX-License-Identifier: MIT */
/* gap_load.h - a report from a file. */
#ifndef GAP_LOAD_H
#define GAP_LOAD_H

#include "gap.h"

/* 0, or -1 with a reason in `error` (without the path). */
int gap_load(const char *path, struct gap_report *report, char *error, size_t size);

#endif
