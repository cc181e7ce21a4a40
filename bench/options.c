/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define MAX_BYTES (8ull << 30)

const char *const pattern_names[PATTERN_COUNT] = {"chain", "between", "fork"};
const char *const arm_names[ARM_COUNT] = {"none", "kernel", "memset", "shim"};

static int set_patterns(struct options *o, const char *value)
{
	char copy[128], *word, *rest = copy;
	int p;

	if (strlen(value) >= sizeof copy)
		return -1;
	strcpy(copy, value);
	memset(o->patterns, 0, sizeof o->patterns);
	while ((word = strsep(&rest, ","))) {
		for (p = 0; p < PATTERN_COUNT; p++)
			if (!strcmp(word, pattern_names[p]))
				break;
		if (p == PATTERN_COUNT)
			return -1;
		o->patterns[p] = 1;
	}
	return 0;
}

static int set_sizes(struct options *o, const char *value)
{
	int n = 0;

	for (;;) {
		char *end;
		unsigned long long bytes = strtoull(value, &end, 10);
		int shift = 0;

		if (!isdigit((unsigned char)*value) || n == MAX_LIST)
			return -1;
		if (*end == 'K' || *end == 'M' || *end == 'G') {
			shift = *end == 'K' ? 10 : *end == 'M' ? 20 : 30;
			end++;
		}
		if (!bytes || bytes > MAX_BYTES >> shift)
			return -1;
		o->sizes[n++] = bytes << shift;
		if (!*end)
			break;
		if (*end != ',')
			return -1;
		value = end + 1;
	}
	o->size_count = n;
	return 0;
}

static int number(const char *value, long low, long high, int *out)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(value, &end, 10);
	if (errno || end == value || *end || n < low || n > high)
		return -1;
	*out = (int)n;
	return 0;
}

static int set_count(struct options *o, const char *value)
{
	return number(value, MAX_BRANCHES, 100000, &o->count);
}

static int set_samples(struct options *o, const char *value)
{
	return number(value, 1, 100000, &o->samples);
}

static int set_branches(struct options *o, const char *value)
{
	return number(value, 1, MAX_BRANCHES, &o->branches);
}

static int set_value(struct options *o, const char *value)
{
	int n;

	if (number(value, 0, 255, &n))
		return -1;
	o->value = (unsigned int)n;
	return 0;
}

static int set_json(struct options *o, const char *value)
{
	o->json = value;
	return *value ? 0 : -1;
}

static const struct option_row {
	const char *name, *argument, *help;
	int (*set)(struct options *o, const char *value);
} rows[] = {
    {"--pattern", "LIST", "of chain, between, fork (default: all)", set_patterns},
    {"--sizes", "LIST", "bytes, K M G are powers of 1024 (default: 4,256,4K,8K,64K,1M)",
     set_sizes},
    {"--count", "N", "memsets per graph, 8 to 100000 (default: 200)", set_count},
    {"--samples", "N", "replays timed per arm (default: 50)", set_samples},
    {"--branches", "N", "fork: 1 to N branches, N up to 8 (default: 4)", set_branches},
    {"--value", "BYTE", "written, 0 to 255 (default: 90)", set_value},
    {"--json", "FILE", "raw samples as JSON", set_json},
};

#define ROWS (sizeof rows / sizeof rows[0])

static void usage(FILE *out)
{
	size_t i;

	fprintf(out,
	        "usage: [LD_PRELOAD=libmemsetshim.so] memsetbench [OPTION...]\n"
	        "What a captured memset costs, and what a fill kernel in its place "
	        "does.\n\n");
	for (i = 0; i < ROWS; i++)
		fprintf(out, "  %-10s %-5s %s\n", rows[i].name, rows[i].argument,
		        rows[i].help);
	fprintf(
	    out,
	    "  --quick          between and fork, 4 bytes, 15 samples; options after "
	    "it count\n"
	    "  --list           the patterns and arms\n"
	    "  --version        which build this is\n"
	    "  --help           this text\n\n"
	    "exit: 0; 1 wrong bytes or a CUDA error; 2 bad usage; 77 no GPU\n");
}

static void list(FILE *out)
{
	int i;

	for (i = 0; i < PATTERN_COUNT; i++)
		fprintf(out, "pattern %s\n", pattern_names[i]);
	for (i = 0; i < ARM_COUNT; i++)
		fprintf(out, "arm %s\n", arm_names[i]);
}

/* 1 when `option` was one that prints and ends. */
static int told(const char *option, FILE *out)
{
	if (!strcmp(option, "--help"))
		usage(out);
	else if (!strcmp(option, "--list"))
		list(out);
	else if (!strcmp(option, "--version"))
		fprintf(out, "memsetbench %s\n", GIT_ID);
	else
		return 0;
	return 1;
}

int options_parse(struct options *o, int argc, char **argv, FILE *out, FILE *err)
{
	int i;
	size_t r;

	*o = (struct options){.patterns = {1, 1, 1},
	                      .count = 200,
	                      .samples = 50,
	                      .branches = 4,
	                      .value = 90};
	(void)set_sizes(o, "4,256,4K,8K,64K,1M");
	for (i = 1; i < argc; i++) {
		if (told(argv[i], out))
			return 1 + 0;
		if (!strcmp(argv[i], "--quick")) {
			(void)set_patterns(o, "between,fork");
			(void)set_sizes(o, "4");
			o->samples = 15;
			continue;
		}
		for (r = 0; r < ROWS; r++)
			if (!strcmp(argv[i], rows[r].name))
				break;
		if (r == ROWS) {
			fprintf(err, "memsetbench: unknown option %s; see --help\n",
			        argv[i]);
			return 1 + 2;
		}
		if (i + 1 == argc || rows[r].set(o, argv[i + 1])) {
			fprintf(err, "memsetbench: %s%s%s: wants %s: %s\n",
			        rows[r].name, i + 1 == argc ? "" : " ",
			        i + 1 == argc ? "" : argv[i + 1], rows[r].argument,
			        rows[r].help);
			return 1 + 2;
		}
		i++;
	}
	return 0;
}
