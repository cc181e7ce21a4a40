/* SPDX-License-Identifier: MIT */
/*
 * gaps.c - memsetshim gaps: PROG with the gap counter injected.
 *
 * Options become variables that libgapcount.so reads; what is not given stays as the
 * user has set it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "launch.h"
#include "outputs.h"
#include "reference.h"

#define INJECTION "CUDA_INJECTION64_PATH"

/* The counter's variables that are numbers, and what they may be. */
static const struct count {
	const char *variable;
	unsigned min, max;
} counts[] = {
#define LEVEL(field, variable, def, help)
#define COUNT(field, variable, def, min, max, help) {variable, min, max},
#define TEXT(field, variable, def, help)
#include "../gapcount/options.def"
#undef LEVEL
#undef COUNT
#undef TEXT
};

enum gaps_option {
#define GAPS_OPTION(id, letter, name, argument, help) OPTION_##id,
#include "options.def"
#undef GAPS_OPTION
	OPTION_COUNTS, /* the first of counts[] */
	OPTIONS = OPTION_COUNTS + ARRAY_LEN(counts)
};

static int count_fits(const struct count *count, const char *value)
{
	unsigned long long number;
	char *end;

	errno = 0;
	number = strtoull(value, &end, 10);
	return errno == 0 && *value >= '0' && *value <= '9' && *end == '\0' &&
	       number >= count->min && number <= count->max;
}

/* The value of option i, made fit for its variable, or NULL after a complaint. */
static const char *checked(int i, const char *value)
{
	if (i >= OPTION_COUNTS) {
		const struct count *count = &counts[i - OPTION_COUNTS];

		if (count_fits(count, value))
			return value;
		usage_error("gaps", "%s=%s is no number from %u to %u", count->variable,
		            value, count->min, count->max);
		return NULL;
	}
	if (i == OPTION_LEVEL && strcmp(value, "node") && strcmp(value, "graph") &&
	    strcmp(value, "both")) {
		usage_error("gaps", "--level: '%s' is none of node, graph, both",
		            value);
		return NULL;
	}
	if (i == OPTION_CUPTI && access(value, R_OK) != 0) {
		usage_error("gaps", "--cupti: %s: %s", value, strerror(errno));
		return NULL;
	}
	return i == OPTION_CUPTI ? realpath(value, NULL) : value;
}

/* Reads the options into value[]; 0, OPTIONS_HELP, or a status after a complaint. */
static int read_options(int argc, char **argv, const char **value)
{
	size_t n;
	const struct option_text *options = options_of("gaps", &n);
	int i;

	while ((i = options_next(argc, argv, options, n)) >= 0) {
		value[i] = checked(i, optarg ? optarg : "");
		if (!value[i])
			return STATUS_USAGE;
		if (i == OPTION_OUTPUT && outputs_add("gaps", optarg) != 0)
			return STATUS_USAGE;
	}
	if (i == OPTIONS_BAD)
		return STATUS_USAGE;
	if (i == OPTIONS_HELP)
		return OPTIONS_HELP;
	if (optind == argc)
		return usage_error("gaps", "PROG is missing");
	return 0;
}

/* The counter in CUDA_INJECTION64_PATH, where nobody else is. */
static int inject(int force)
{
	const char *holder = getenv(INJECTION);
	const char *library = find_library(GAPCOUNT_NAME);

	if (!library)
		return STATUS_NOT_FOUND;
	if (holder && *holder && !find_same_file(holder, library) && !force) {
		complain(INJECTION
		         " is %s: CUDA loads one such library only; unset it, or "
		         "take its place with --force",
		         holder);
		return STATUS_FAILED;
	}
	run_set(INJECTION, library);
	return STATUS_OK;
}

int command_gaps(int argc, char **argv)
{
	const char *value[OPTIONS] = {NULL};
	char *outputs, **prog;
	int status, i, both;

	status = read_options(argc, argv, value);
	if (status)
		return status == OPTIONS_HELP ? STATUS_OK : status;
	prog = argv + optind;
	both = value[OPTION_LEVEL] && !strcmp(value[OPTION_LEVEL], "both");
	if (both)
		value[OPTION_LEVEL] = "node";
	status = outputs_value("gaps", value[OPTION_FORMAT],
	                       value[OPTION_QUIET] != NULL, &outputs);
	if (!status)
		status = run_check(prog[0]);
	if (!status)
		status = inject(value[OPTION_FORCE] != NULL);
	if (status)
		return status;
	if (outputs)
		run_set("GAPCOUNT_OUTPUT", outputs);
	if (getenv("GAPCOUNT_OUTPUT"))
		status = outputs_check(getenv("GAPCOUNT_OUTPUT"));
	if (value[OPTION_LEVEL])
		run_set("GAPCOUNT_LEVEL", value[OPTION_LEVEL]);
	if (value[OPTION_CUPTI])
		run_set("GAPCOUNT_CUPTI", value[OPTION_CUPTI]);
	for (i = OPTION_COUNTS; i < OPTIONS; i++)
		if (value[i])
			run_set(counts[i - OPTION_COUNTS].variable, value[i]);
	if (!status && value[OPTION_SHIM])
		status = run_preload(prog[0]);
	if (!status && both)
		status = reference_run(prog);
	return status ? status : exec_program(prog);
}
