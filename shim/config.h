/* SPDX-License-Identifier: MIT */
/*
 * config.h - the settings, read once from the environment.
 */
#ifndef MSS_CONFIG_H
#define MSS_CONFIG_H

#include <stdint.h>

#include "log.h"

struct config {
	int enabled;
	enum log_level log;
	const char *log_file; /* NULL: stderr */
	const char *stats;    /* NULL: none; CONFIG_STDERR; else a path */
	int nodes;            /* explicit memset nodes too */
	uint64_t max_bytes;   /* UINT64_MAX: no limit */
};

/* What `stats` points to when the table goes to stderr. */
extern const char CONFIG_STDERR[];

/* Right before config_load() too: hooks may run before our constructor. */
extern struct config config;

/*
 * Reads every variable of config.def through get() (NULL: not set) into *c; paths are
 * copied and live as long as the process.  A value that makes no sense gives the
 * default and one warning.
 */
void config_load(struct config *c, char *(*get)(const char *name));

/* One warning for each MEMSETSHIM* name of the environment that config.def lacks. */
void config_warn_unknown(char *const *environment);

/* Writes one line per variable: name, default, help. */
void config_list(int fd);

#endif
