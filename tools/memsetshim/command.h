/* SPDX-License-Identifier: MIT */
/*
 * command.h - what the files of the memsetshim command share.
 *
 * One table, commands[] in main.c, drives dispatch, usage and completion.  A command's
 * main gets its own name as argv[0] and returns the exit status.  Everything is said on
 * stderr but what was asked for as output (env, version, show, diff, --help): stdout
 * belongs to the program that is run.  One thread; nothing here is freed before exit.
 */
#ifndef COMMAND_H
#define COMMAND_H

#include <stddef.h>

/* Exit statuses of our own; those of a program that was run are passed on as they are.
 */
enum {
	STATUS_OK = 0,
	STATUS_FAILED =
	    1,            /* the thing asked for could not be done, or a check failed */
	STATUS_USAGE = 2, /* bad option, or a file that is none of ours */
	STATUS_NOT_RUN = 126, /* PROG is there but cannot be executed, as env(1) */
	STATUS_NOT_FOUND = 127,
};

struct command {
	const char *name;
	const char *synopsis; /* what follows the name in a usage line */
	const char *help;     /* one line */
	int (*main)(int argc, char **argv);
};

int command_run(int argc, char **argv);
int command_gaps(int argc, char **argv);
int command_show(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_selftest(int argc, char **argv);
int command_env(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_version(int argc, char **argv);

/* Prints "memsetshim: MESSAGE" and a newline on stderr. */
__attribute__((format(printf, 1, 2))) void complain(const char *fmt, ...);

/* complain(), then how the command is used; returns STATUS_USAGE. */
__attribute__((format(printf, 2, 3))) int usage_error(const char *command,
                                                      const char *fmt, ...);

/*
 * The absolute path of a library of ours ("libmemsetshim.so", "libgapcount.so"): beside
 * this program, or in ../lib, ../lib64 from it, or in LIBDIR as built; never by way of
 * the current folder.  NULL, after a complaint, where it is not found or its path
 * cannot be preloaded (LD_PRELOAD knows no way to quote blanks and colons).  Not to be
 * freed.
 */
const char *find_library(const char *name);

/*
 * LD_PRELOAD with `library` in front: what `old` (may be NULL) held follows, less other
 * entries of the same path.  malloc()ed.
 */
char *preload_with(const char *library, const char *old);

/*
 * Where execvp() would find a program, or NULL with errno set (ENOENT, EACCES).
 * malloc()ed.
 */
char *find_program(const char *name);

/*
 * Replaces this process by argv[0].  Returns only on failure: STATUS_NOT_FOUND or
 * STATUS_NOT_RUN, after a complaint.
 */
int exec_program(char **argv);

#endif
