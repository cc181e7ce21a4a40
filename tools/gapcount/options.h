/* SPDX-License-Identifier: MIT */
/* options.h - the GAPCOUNT_* variables, read once, when the library is injected. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "gap.h"

struct options {
#define LEVEL(field, variable, def, help) enum gap_level field;
#define COUNT(field, variable, def, min, max, help) unsigned field;
#define TEXT(field, variable, def, help) const char *field;
#include "options.def"
#undef LEVEL
#undef COUNT
#undef TEXT
};

/* How a variable is found: getenv(), or a test's. */
typedef const char *options_lookup(const char *name);

/* What is wrong with a variable is complained of, and the default used. */
void options_read(struct options *options, options_lookup *lookup);

/* Complains of GAPCOUNT_* variables that are none. */
void options_check_names(char *const *environment);

/* "0.1.0": that of the whole project. */
extern const char gapcount_version[];

/* "gapcount[PID]: MESSAGE" on stderr. */
__attribute__((format(printf, 1, 2))) void gapcount_say(const char *fmt, ...);

#endif
