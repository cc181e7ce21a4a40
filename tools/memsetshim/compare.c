/* SPDX-License-Identifier: MIT */
/*
 * compare.c - memsetshim compare: PROG without and with the library, in turn.
 *
 * One run first, which is not measured and whose output is the user's: it fills caches,
 * and shows early what will not work.  Then pairs of runs at graph level, each pair in
 * the other order than the one before, and at last one run each at node level.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../gapcount/gap_write.h"
#include "child.h"
#include "command.h"
#include "compare_text.h"
#include "launch.h"

enum compare_option {
#define COMPARE_OPTION(id, letter, name, argument, help) OPTION_##id,
#include "options.def"
#undef COMPARE_OPTION
	OPTIONS
};

enum { MAX_PAIRS = 1000, MAX_OUTPUTS = 8 };

/* Exit statuses; what a script wants to know. */
static const int statuses[] = {[VERDICT_FASTER] = STATUS_OK,
                               [VERDICT_SAME] = 10,
                               [VERDICT_SLOWER] = 11,
                               [VERDICT_UNCLEAR] = 12};

struct compare {
	struct sample_setup setup;
	size_t pairs;
	double margin;
	int explain, quiet;
	const char *outputs[MAX_OUTPUTS];
	unsigned n_outputs;
	struct sample *samples; /* the pairs, then two at node level */
	unsigned done, all;     /* runs, for the progress */
};

/* --- options -----------------------------------------------------------------------
 */

static int read_number(const char *option, const char *text, double least, double most,
                       double *number)
{
	char *end;

	errno = 0;
	*number = strtod(text, &end);
	if (errno == 0 && end != text && *end == '\0' && *number >= least &&
	    *number <= most)
		return 0;
	return usage_error("compare", "--%s: '%s' is no number from %g to %g", option,
	                   text, least, most);
}

/* As the counter reads it: digits. */
static int read_count(const char *option, const char *text, size_t least, size_t most,
                      size_t *count)
{
	char *end;

	errno = 0;
	*count = strtoul(text, &end, 10);
	if (errno == 0 && *text >= '0' && *text <= '9' && *end == '\0' &&
	    *count >= least && *count <= most)
		return 0;
	return usage_error("compare", "--%s: '%s' is no whole number from %zu to %zu",
	                   option, text, least, most);
}

static int add_output(struct compare *c, const char *path)
{
	if (c->n_outputs == MAX_OUTPUTS)
		return usage_error("compare", "-o: more than %d files", MAX_OUTPUTS);
	c->outputs[c->n_outputs++] = path;
	return 0;
}

static int take_option(struct compare *c, enum compare_option option)
{
	double number = 0;
	size_t count;
	int status = 0;

	switch (option) {
	case OPTION_PAIRS:
		status = read_count("pairs", optarg, 1, MAX_PAIRS, &c->pairs);
		break;
	case OPTION_MARGIN:
		status = read_number("margin", optarg, 0, 100, &number);
		c->margin = number / 100;
		break;
	case OPTION_OUTPUT:
		status = add_output(c, optarg);
		break;
	case OPTION_NO_NODES:
		c->explain = 0;
		break;
	case OPTION_QUIET:
		c->quiet = 1;
		break;
	case OPTION_REPLAYS:
		status = read_count("replays", optarg, 1, 1000000, &count);
		c->setup.replays = optarg;
		break;
	case OPTION_SKIP:
		status = read_count("skip", optarg, 0, 1000000, &count);
		c->setup.skip = optarg;
		break;
	case OPTION_CUPTI:
		c->setup.cupti = text_absolute(optarg);
		break;
	case OPTION_FORCE:
		unsetenv("CUDA_INJECTION64_PATH");
		break;
	case OPTIONS:
		break;
	}
	return status;
}

static int read_options(int argc, char **argv, struct compare *c)
{
	const struct option_text *options;
	size_t n;
	int i;

	options = options_of("compare", &n);
	while ((i = options_next(argc, argv, options, n)) >= 0)
		if (take_option(c, (enum compare_option)i) != 0)
			return STATUS_USAGE;
	if (i == OPTIONS_HELP)
		return OPTIONS_HELP;
	if (i == OPTIONS_BAD)
		return STATUS_USAGE;
	if (optind == argc)
		return usage_error("compare", "PROG is missing");
	c->setup.argv = argv + optind;
	return 0;
}

/* Before PROG is run, everything that can be known to be wrong. */
static int check(struct compare *c)
{
	const char *holder = getenv("CUDA_INJECTION64_PATH");
	unsigned i;
	FILE *file;
	int existed, status = run_check(c->setup.argv[0]);

	if (status)
		return status;
	c->setup.shim = find_library(SHIM_NAME);
	c->setup.counter = c->setup.shim ? find_library(GAPCOUNT_NAME) : NULL;
	if (!c->setup.counter)
		return STATUS_NOT_FOUND;
	if (holder && *holder && !find_same_file(holder, c->setup.counter)) {
		complain(
		    "CUDA_INJECTION64_PATH is %s: CUDA loads one such library only; "
		    "unset it, or take its place with --force",
		    holder);
		return STATUS_FAILED;
	}
	for (i = 0; i < c->n_outputs; i++) {
		existed = access(c->outputs[i], F_OK) == 0;
		file = fopen(c->outputs[i], "ae");
		if (!file) {
			complain("cannot write %s: %s", c->outputs[i], strerror(errno));
			return STATUS_FAILED;
		}
		fclose(file);
		if (!existed)
			unlink(c->outputs[i]);
	}
	return STATUS_OK;
}

/* --- runs --------------------------------------------------------------------------
 */

/* One line that is written over, on a terminal only. */
static void progress(const struct compare *c, const char *what)
{
	if (c->quiet || !isatty(STDERR_FILENO))
		return;
	if (what)
		fprintf(stderr, "\r\033[Kmemsetshim: run %u of %u, %s", c->done + 1,
		        c->all, what);
	else
		fputs("\r\033[K", stderr);
	fflush(stderr);
}

static int take(struct compare *c, struct sample *sample, enum gap_level level,
                int with_shim)
{
	int status;

	sample->level = level;
	sample->shim = with_shim;
	progress(c, with_shim ? "with the library" : "without the library");
	status = sample_take(&c->setup, sample, 0);
	progress(c, NULL);
	c->done++;
	if (status == 0 && sample->n_reports == 0) {
		complain("no graph was replayed in a run %s the library",
		         with_shim ? "with" : "without");
		status = STATUS_FAILED;
	}
	return status;
}

static int warm_up(struct compare *c)
{
	struct sample sample = {.level = GAP_LEVEL_GRAPH};
	int status = sample_take(&c->setup, &sample, 1);

	c->done++;
	if (status == 0 && sample.n_reports == 0) {
		complain("no graph was replayed, so there is nothing to compare; a "
		         "program that ends by _exit() leaves no report");
		status = STATUS_FAILED;
	}
	sample_free(&sample);
	return status;
}

static int take_all(struct compare *c)
{
	struct sample *nodes = c->samples + 2 * c->pairs;
	size_t i, first;
	int status = warm_up(c);

	for (i = 0; !status && i < c->pairs; i++) {
		first = i % 2;
		status =
		    take(c, &c->samples[2 * i + first], GAP_LEVEL_GRAPH, (int)first);
		if (!status)
			status = take(c, &c->samples[2 * i + !first], GAP_LEVEL_GRAPH,
			              !first);
	}
	for (i = 0; !status && c->explain && i < 2; i++)
		status = take(c, &nodes[i], GAP_LEVEL_NODE, (int)i);
	return status;
}

/* --- results -----------------------------------------------------------------------
 */

static int ends_in(const char *path, const char *suffix)
{
	size_t length = strlen(path), n = strlen(suffix);

	return length >= n && !strcmp(path + length - n, suffix);
}

static int write_output(const struct compare *c, const struct outcome *outcome,
                        const char *path)
{
	const struct sample *nodes = c->samples + 2 * c->pairs;
	const struct sample *shown = c->explain ? nodes : c->samples;
	FILE *file = fopen(path, "we");
	int failed;

	if (file && ends_in(path, ".json"))
		compare_write_json(file, outcome, c->samples[0].reports);
	else if (file && ends_in(path, ".html"))
		gap_write_html(file, shown[0].reports, shown[1].reports,
		               compare_sentence(outcome));
	else if (file)
		compare_write_text(file, outcome, c->samples[0].reports);
	failed = !file || ferror(file);
	if ((file && fclose(file) != 0) || failed) {
		complain("cannot write %s: %s", path, strerror(errno));
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

static int conclude(const struct compare *c)
{
	const struct sample *nodes = c->samples + 2 * c->pairs;
	struct outcome outcome;
	int status = STATUS_OK;
	unsigned i;

	if (outcome_make(&outcome, c->samples, (unsigned)c->pairs,
	                 c->explain ? nodes : NULL, c->margin) != 0) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	if (!c->quiet)
		compare_write_text(stderr, &outcome, c->samples[0].reports);
	for (i = 0; i < c->n_outputs; i++)
		if (write_output(c, &outcome, c->outputs[i]) != 0)
			status = STATUS_FAILED;
	if (status == STATUS_OK)
		status = statuses[outcome.verdict];
	outcome_free(&outcome);
	return status;
}

int command_compare(int argc, char **argv)
{
	struct compare c = {.pairs = 6, .margin = 0.005, .explain = 1};
	const char *tmp = getenv("TMPDIR");
	char *folder;
	size_t i;
	int status = read_options(argc, argv, &c);

	if (status)
		return status == OPTIONS_HELP ? STATUS_OK : status;
	status = c.setup.argv ? check(&c) : STATUS_USAGE;
	if (status)
		return status;
	/* What GAPCOUNT_OUTPUT could not hold. */
	if (!tmp || tmp[0] != '/' || strpbrk(tmp, ",%"))
		tmp = "/tmp";
	folder = text_format("%s/memsetshim-XXXXXX", tmp);
	c.samples = calloc(2 * c.pairs + 2, sizeof *c.samples);
	if (!c.samples || !mkdtemp(folder)) {
		complain("no temporary folder in %s: %s", tmp, strerror(errno));
		free(c.samples);
		return STATUS_FAILED;
	}
	child_guard();
	c.setup.folder = folder;
	c.all = 1 + 2 * (unsigned)c.pairs + (c.explain ? 2 : 0);
	status = take_all(&c);
	/* First: to write the result may end us, into a pipe that nobody reads. */
	sample_remove(folder);
	if (status == STATUS_OK && child_received())
		status = 128 + child_received();
	if (status == STATUS_OK)
		status = conclude(&c);
	for (i = 0; i < 2 * c.pairs + 2; i++)
		sample_free(&c.samples[i]);
	free(c.samples);
	return status;
}
