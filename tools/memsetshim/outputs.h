/* SPDX-License-Identifier: MIT */
/*
 * outputs.h - where the gap counter writes what: GAPCOUNT_OUTPUT.
 */
#ifndef OUTPUTS_H
#define OUTPUTS_H

/* Remembers a -o; 0, or a status after a complaint. */
int outputs_add(const char *command, const char *path);

/*
 * What GAPCOUNT_OUTPUT has to be: FORMAT:PATH,..., "-" being stderr.  formats:
 * --format's argument or NULL; quiet: without the table on stderr.  0, or a status
 * after a complaint; *value is NULL where nothing was asked for.
 */
int outputs_value(const char *command, const char *formats, int quiet, char **value);

/* 0 when each file of a GAPCOUNT_OUTPUT can be written; else STATUS_FAILED, after a
 * complaint.  Leaves no file behind. */
int outputs_check(const char *value);

#endif
