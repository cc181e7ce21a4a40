/* SPDX-License-Identifier: MIT */
/*
 * launch.h - what run, gaps, env, doctor and version share beyond command.h.
 *
 * Functions are named after the file that has them.  Like all of the command: one
 * thread, and nothing is freed before exit.
 */
#ifndef LAUNCH_H
#define LAUNCH_H

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#define SHIM_NAME "libmemsetshim.so"
#define GAPCOUNT_NAME "libgapcount.so"

/* --- main.c --- */

/* The usage line of a command, and its options where it has some. */
void main_help(FILE *out, const char *command);

/* --- text.c --- */

/* As asprintf(); ends the command where memory is short. */
__attribute__((format(printf, 1, 2))) char *text_format(const char *fmt, ...);

/* The path from the root, for programs that change their folder; '%' stays itself. */
char *text_absolute(const char *path);

/* `text` as one word of a shell command. */
char *text_quoted(const char *text);

/* "log-file" of MEMSETSHIM_LOG_FILE and a prefix of MEMSETSHIM_; NULL without that. */
char *text_option(const char *variable, const char *prefix);

/* --- find.c --- */

/* find_library() that says nothing: NULL leaves its sentence in why. */
const char *find_library_why(const char *name, char *why, size_t size);

/* 1 when both paths lead to one file. */
int find_same_file(const char *a, const char *b);

/* --- options.c --- */

/* One line of options.def, or of a library's table of variables. */
struct option_text {
	int letter; /* 0: none */
	const char *name, *argument, *help;
};

/* The options of a command, n of them; NULL and 0 when it has none. */
const struct option_text *options_of(const char *command, size_t *n);

/* What getopt_long() calls the i-th of them. */
int options_code(const struct option_text *options, size_t i);

/*
 * Reads the next option of argv, of which those behind the first word that is none
 * belong to PROG.  Its index, with optarg set, or -1 at the end; OPTIONS_HELP after
 * printing the help that was asked for, OPTIONS_BAD after a complaint.
 */
enum { OPTIONS_HELP = -2, OPTIONS_BAD = -3 };
int options_next(int argc, char **argv, const struct option_text *options, size_t n);

/* --- settings.c --- */

/* A variable of config.def.  kind: S(witch), L(evel), T(arget), P(ath) or N(umber). */
struct setting {
	const char *variable, *help;
	char kind;
	const char
	    *option; /* MEMSETSHIM_LOG_FILE is log-file, MEMSETSHIM itself is off */
};

/* All of them, n. */
const struct setting *settings_all(size_t *n);

/* 0 when the library takes that value, else -1 and its own words in why. */
int settings_check(const char *variable, const char *value, char *why, size_t size);

/* --- target.c --- */

/*
 * 1 when the dynamic linker will not preload `library` into the program at `path`, and
 * why in a few words ("it is statically linked"); 0 when it will, as far as can be
 * seen.
 */
int target_trouble(const char *path, const char *library, char *why, size_t size);

/* 1 when the library at `path` defines that symbol for others. */
int target_exports(const char *path, const char *symbol);

/* 1 when the file can be run by itself: it has an entry point and an interpreter. */
int target_runs(const char *path);

/* --- run.c --- */

/* 0 when PROG can be executed; else, after a complaint, the exit status. */
int run_check(const char *program);

/* setenv(); ends the command where memory is short. */
void run_set(const char *name, const char *value);

/*
 * Puts libmemsetshim.so first in this process's LD_PRELOAD, and says where that will
 * not reach PROG.  0, or, after a complaint, the exit status.
 */
int run_preload(const char *program);

/* --- version.c --- */

extern const char version_text[]; /* "0.1.0" */
extern const char version_build[];

/*
 * Runs a library of ours as a program, and reads the first line that it prints.  0, or
 * -1 and why not in line.
 */
int version_ask(const char *path, char *line, size_t size);

/* --- doctor.c and its files --- */

enum finding { FINDING_OK, FINDING_WARN, FINDING_FAIL };

__attribute__((format(printf, 3, 4))) void
doctor_say(enum finding finding, const char *what, const char *fmt, ...);

/* Driver and GPUs; then CUPTI, for the gap counter. */
void doctor_cuda(void);
void doctor_cupti(void);
/* Who is preloaded beside the library at `shim` (may be NULL). */
void doctor_preload(const char *shim);

#endif
