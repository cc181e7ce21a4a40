/* SPDX-License-Identifier: MIT */
/*
 * show.c - memsetshim show and diff: reports that gaps has written, once more.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../gapcount/gap_compare.h"
#include "../gapcount/gap_load.h"
#include "../gapcount/gap_write.h"
#include "command.h"
#include "launch.h"

enum show_option {
#define SHOW_OPTION(id, letter, name, argument, help) SHOW_##id,
#include "options.def"
#undef SHOW_OPTION
};

enum diff_option {
#define DIFF_OPTION(id, letter, name, argument, help) DIFF_##id,
#include "options.def"
#undef DIFF_OPTION
};

enum { USUAL_ROWS = 20 };

static int load(const char *command, const char *path, struct gap_report *report)
{
	char error[256];

	if (gap_load(path, report, error, sizeof error) == 0)
		return 0;
	complain("%s: %s: %s", command, path, error);
	return -1;
}

static int read_top(const char *text, unsigned *top)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || number < 1 || number > 1000000)
		return usage_error("show", "--top: '%s' is no number from 1 to 1000000",
		                   text);
	*top = (unsigned)number;
	return 0;
}

static void write_report(const struct gap_report *report, const char *format,
                         unsigned top)
{
	if (!strcmp(format, "json"))
		gap_write_json(stdout, report);
	else if (!strcmp(format, "csv"))
		gap_write_csv(stdout, report);
	else if (!strcmp(format, "trace"))
		gap_write_trace(stdout, report);
	else if (!strcmp(format, "html"))
		gap_write_html(stdout, report, NULL, NULL);
	else
		gap_write_table(stdout, report, top);
}

static int known_format(const char *format)
{
	static const char *const formats[] = {"table", "json", "csv", "trace", "html"};
	size_t i;

	for (i = 0; i < ARRAY_LEN(formats); i++)
		if (!strcmp(format, formats[i]))
			return 1;
	return 0;
}

static int flushed(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return STATUS_OK;
	complain("cannot write to stdout");
	return STATUS_FAILED;
}

int command_show(int argc, char **argv)
{
	const char *format = "table";
	unsigned top = USUAL_ROWS;
	const struct option_text *options;
	struct gap_report report;
	size_t n;
	int i;

	options = options_of("show", &n);
	while ((i = options_next(argc, argv, options, n)) >= 0) {
		if (i == SHOW_TOP && read_top(optarg, &top) != 0)
			return STATUS_USAGE;
		if (i == SHOW_FORMAT)
			format = optarg;
	}
	if (i == OPTIONS_HELP)
		return STATUS_OK;
	if (i == OPTIONS_BAD)
		return STATUS_USAGE;
	if (!known_format(format))
		return usage_error("show",
		                   "--format: '%s' is none of table, json, csv, "
		                   "trace, html",
		                   format);
	if (optind == argc)
		return usage_error("show", "REPORT is missing");
	for (; optind < argc; optind++) {
		if (load("show", argv[optind], &report) != 0)
			return STATUS_USAGE;
		write_report(&report, format, top);
		gap_report_free(&report);
	}
	return flushed();
}

/* --- diff --------------------------------------------------------------------------
 */

static void write_pair(const char *what, double before, double after)
{
	printf("  %-28s %12.2f %12.2f", what, before / 1000, after / 1000);
	if (before > 0)
		printf(" %8.3f", after / before);
	putchar('\n');
}

static unsigned settings_of(const struct gap_graph *graph)
{
	return graph->nodes[GAP_MEMSET];
}

static void write_match(const struct gap_match *match, enum gap_level level)
{
	printf("\ngraph %" PRIu32 " and %" PRIu32
	       ": %u and %u memsets, %u and %u fills\n",
	       match->a->id, match->b->id, settings_of(match->a), settings_of(match->b),
	       match->a->nodes[GAP_FILL], match->b->nodes[GAP_FILL]);
	printf("  %-28s %12s %12s %8s\n", "us", "before", "after", "ratio");
	write_pair("replay, median", match->a->replay.median, match->b->replay.median);
	write_pair("replay, p99", match->a->replay.p99, match->b->replay.p99);
	if (level == GAP_LEVEL_GRAPH)
		return;
	write_pair("bubbles a replay", match->a->bubble, match->b->bubble);
	write_pair("of it idle", match->a->idle, match->b->idle);
	write_pair("recoverable a replay", match->a->recoverable,
	           match->b->recoverable);
	write_pair("kernel-to-kernel gap, median", match->a->kernel_gap.median,
	           match->b->kernel_gap.median);
}

static int write_diff(const struct gap_report *before, const struct gap_report *after)
{
	struct gap_match *matches;
	unsigned i, n;

	if (before->level != after->level) {
		complain("diff: one report is of graph level, the other of node level: "
		         "tracing nodes makes replays longer, so these cannot be "
		         "compared");
		return STATUS_USAGE;
	}
	matches = gap_match(before, after, &n);
	if (!matches) {
		complain("diff: the reports have different numbers of replayed graphs, "
		         "or none: there is nothing to match");
		return STATUS_FAILED;
	}
	printf("before: %s, shim %s\nafter:  %s, shim %s\n",
	       before->program ? before->program : "?",
	       before->shim ? "preloaded" : "not loaded",
	       after->program ? after->program : "?",
	       after->shim ? "preloaded" : "not loaded");
	for (i = 0; i < n; i++)
		write_match(&matches[i], before->level);
	printf("\nTwo runs at different times: `memsetshim compare` tells a difference "
	       "from chance.\n");
	free(matches);
	return flushed();
}

int command_diff(int argc, char **argv)
{
	const struct option_text *options;
	struct gap_report before, after;
	int html = 0, status, i;
	size_t n;

	options = options_of("diff", &n);
	while ((i = options_next(argc, argv, options, n)) >= 0)
		html |= i == DIFF_HTML;
	if (i == OPTIONS_HELP)
		return STATUS_OK;
	if (i == OPTIONS_BAD)
		return STATUS_USAGE;
	if (argc - optind != 2)
		return usage_error("diff", "two reports are wanted");
	if (load("diff", argv[optind], &before) != 0)
		return STATUS_USAGE;
	if (load("diff", argv[optind + 1], &after) != 0) {
		gap_report_free(&before);
		return STATUS_USAGE;
	}
	if (html) {
		gap_write_html(stdout, &before, &after, NULL);
		status = flushed();
	} else {
		status = write_diff(&before, &after);
	}
	gap_report_free(&before);
	gap_report_free(&after);
	return status;
}
