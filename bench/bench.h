/* SPDX-License-Identifier: MIT */
/*
 * bench.h - what is measured, and the numbers that come of it.  Times are microseconds.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdio.h>

#include "gpu.h"

enum arm { ARM_NONE, ARM_KERNEL, ARM_MEMSET, ARM_SHIM, ARM_COUNT };
enum pattern { PATTERN_CHAIN, PATTERN_BETWEEN, PATTERN_FORK, PATTERN_COUNT };

extern const char *const arm_names[ARM_COUNT];
extern const char *const pattern_names[PATTERN_COUNT];

#define MAX_LIST 32
#define MAX_BRANCHES 8

struct options {
	int patterns[PATTERN_COUNT];
	size_t sizes[MAX_LIST];
	int size_count;
	int count;    /* memsets per graph */
	int samples;  /* per arm */
	int branches; /* fork: 1 to this many */
	unsigned int value;
	const char *json;
};

/* One graph replayed: a pattern with one arm in the place of its memsets. */
struct shot {
	enum pattern pattern;
	enum arm arm;
	int branches;
	size_t size;
	int count; /* memsets in the graph, or their replacements */
	CUgraphExec exec;
	size_t memset_nodes, kernel_nodes, wrong;
	double *samples; /* of one replay, in the order taken */
	int sample_count;
};

struct summary {
	double min, median, p99;
};

/* options.c: 0, or the program's exit status plus 1. */
int options_parse(struct options *o, int argc, char **argv, FILE *out, FILE *err);

/* graphs.c */
void graphs_open(const struct options *o);
/* Captures, checks the bytes once, and leaves shot->exec ready to launch. */
void graph_build(struct shot *shot, const struct options *o);
void graph_drop(struct shot *shot);
double graph_replay(const struct shot *shot);
/* 1 when a shim is preloaded. */
int graphs_shim(void);

/* sample.c */
/* `memory`; where there is none, the end of the program. */
void *need(void *memory);
/* Of n > 0 values, which are left as they are; p99 is the nearest rank. */
struct summary summarize(const double *samples, int n);
/* What one memset adds: medians, (with - without) / count. */
double added(const struct shot *with, const struct shot *without);

/* report.c */
struct header {
	const char *command;
	struct clocks before, after;
	int shim;
};

void report_header(FILE *out, const struct header *h);
void report_columns(FILE *out);
/* Rows of one pattern, size and branch count; shots[] by arm, some without samples. */
void report_case(FILE *out, const struct shot shots[ARM_COUNT]);
void report_legend(FILE *out);
void json_begin(FILE *out, const struct header *h, const struct options *o);
void json_case(FILE *out, const struct shot shots[ARM_COUNT], int first);
void json_end(FILE *out, const struct header *h);

#endif
