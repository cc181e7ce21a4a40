/* SPDX-License-Identifier: MIT */
/* report.h - from the store to the files. */
#ifndef REPORT_H
#define REPORT_H

#include "libcupti.h"
#include "options.h"

/* files_only: while the program runs; else at its end, what goes to stderr as well. */
void report_write(const struct options *options, const struct cupti *cupti,
                  int files_only);

#endif
