/* SPDX-License-Identifier: MIT */
#include "sample.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../gapcount/gap_load.h"
#include "child.h"
#include "command.h"
#include "launch.h"

struct run {
	const struct sample_setup *setup;
	const struct sample *sample;
	const char *folder;
	int shown;
};

static void set_or_keep(const char *name, const char *value)
{
	if (value)
		run_set(name, value);
}

/* LD_PRELOAD with our library, or surely without it. */
static void set_preload(const char *library, int shim)
{
	const char *list = preload_with(library, getenv("LD_PRELOAD"));

	if (!shim)
		list += strlen(library) + (list[strlen(library)] != '\0');
	if (*list)
		run_set("LD_PRELOAD", list);
	else
		unsetenv("LD_PRELOAD");
	if (shim)
		unsetenv("MEMSETSHIM"); /* which may be 0 */
}

static void redirect(int fd, const char *path, int flags)
{
	int from = open(path, flags, 0600);

	if (from < 0 || dup2(from, fd) < 0) {
		complain("%s: %s", path, strerror(errno));
		_exit(STATUS_FAILED);
	}
	if (from != fd)
		close(from);
}

/* Each run reads a file from its beginning; what cannot be read again is empty. */
static void redirect_stdin(void)
{
	struct stat st;

	if (fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode))
		redirect(STDIN_FILENO, "/proc/self/fd/0", O_RDONLY);
	else
		redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
}

static void prepare(void *context)
{
	const struct run *run = context;
	const struct sample_setup *setup = run->setup;
	int graph = run->sample->level == GAP_LEVEL_GRAPH;

	set_preload(setup->shim, run->sample->shim);
	run_set("CUDA_INJECTION64_PATH", setup->counter);
	run_set("GAPCOUNT_LEVEL", graph ? "graph" : "node");
	run_set("GAPCOUNT_OUTPUT", text_format("json:%s/%%p.json", run->folder));
	unsetenv("GAPCOUNT_REFERENCE");
	/* Nothing is written while PROG is measured. */
	run_set("GAPCOUNT_INTERVAL", "0");
	/* At graph level a replay is one record, and its weight is their number. */
	set_or_keep("GAPCOUNT_REPLAYS", graph ? "1000000" : setup->replays);
	set_or_keep("GAPCOUNT_SKIP", setup->skip);
	set_or_keep("GAPCOUNT_MAX_RECORDS", setup->max_records);
	set_or_keep("GAPCOUNT_CUPTI", setup->cupti);
	redirect_stdin();
	if (run->shown)
		return;
	redirect(STDOUT_FILENO, text_format("%s/stdout", run->folder),
	         O_WRONLY | O_CREAT | O_TRUNC);
	redirect(STDERR_FILENO, text_format("%s/stderr", run->folder),
	         O_WRONLY | O_CREAT | O_TRUNC);
}

/* FNV-1a; to tell outputs apart, not to withstand anybody. */
static uint64_t hash_file(const char *path)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	FILE *file = fopen(path, "re");
	int c;

	while (file && (c = getc(file)) != EOF)
		hash = (hash ^ (uint64_t)c) * UINT64_C(0x100000001b3);
	if (file)
		fclose(file);
	return hash;
}

static void show_end(const char *path)
{
	char text[2048];
	FILE *file = fopen(path, "re");
	size_t n;

	if (!file)
		return;
	if (fseek(file, -(long)sizeof text, SEEK_END) != 0)
		rewind(file);
	n = fread(text, 1, sizeof text, file);
	fclose(file);
	if (n > 0) {
		complain("the end of what it wrote to stderr:");
		fwrite(text, 1, n, stderr);
	}
}

static int by_pid(const void *a, const void *b)
{
	const struct gap_report *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static int has_replays(const struct gap_report *report)
{
	unsigned i;

	for (i = 0; i < report->n_graphs; i++)
		if (report->graphs[i].used > 0)
			return 1;
	return 0;
}

static int add_report(struct sample *sample, const char *path)
{
	struct gap_report report, *reports;
	char error[256];

	if (gap_load(path, &report, error, sizeof error) != 0) {
		complain("%s: %s", path, error);
		return -1;
	}
	if (!has_replays(&report)) {
		gap_report_free(&report);
		return 0;
	}
	reports = realloc(sample->reports, (sample->n_reports + 1) * sizeof *reports);
	if (!reports) {
		gap_report_free(&report);
		return -1;
	}
	sample->reports = reports;
	reports[sample->n_reports++] = report;
	return 0;
}

static int load_reports(struct sample *sample, const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	const char *suffix;
	int err = 0;

	while (dir && !err && (entry = readdir(dir)) != NULL) {
		suffix = strrchr(entry->d_name, '.');
		if (suffix && !strcmp(suffix, ".json"))
			err = add_report(sample,
			                 text_format("%s/%s", folder, entry->d_name));
	}
	if (dir)
		closedir(dir);
	if (sample->n_reports)
		qsort(sample->reports, sample->n_reports, sizeof *sample->reports,
		      by_pid);
	return err;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int failed(const struct sample *sample, int status, const char *folder,
                  int shown)
{
	const char *how = sample->shim ? "with the library" : "without the library";

	if (status < 0)
		return STATUS_FAILED;
	if (child_received()) {
		complain("interrupted by signal %d (%s)", child_received(),
		         strsignal(child_received()));
		return 128 + child_received();
	}
	if (WIFSIGNALED(status))
		complain("PROG %s was killed by signal %d (%s)", how, WTERMSIG(status),
		         strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) < STATUS_NOT_RUN)
		complain("PROG %s ended with status %d", how, WEXITSTATUS(status));
	if (!shown)
		show_end(text_format("%s/stderr", folder));
	/* Not by the same signal: there are files to remove. */
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int sample_take(const struct sample_setup *setup, struct sample *sample, int shown)
{
	char *folder = text_format("%s/run-XXXXXX", setup->folder);
	struct run run = {setup, sample, folder, shown};
	double begun;
	int status;

	if (!mkdtemp(folder)) {
		complain("no folder in %s: %s", setup->folder, strerror(errno));
		return STATUS_FAILED;
	}
	begun = seconds();
	status = child_run(setup->argv, prepare, &run);
	sample->wall = seconds() - begun;
	if (status != 0)
		return failed(sample, status, folder, shown);
	if (load_reports(sample, folder) != 0)
		return STATUS_FAILED;
	if (sample->n_reports == 0 && !shown)
		show_end(text_format("%s/stderr", folder));
	sample->out_hash = shown ? 0 : hash_file(text_format("%s/stdout", folder));
	sample_remove(folder);
	return STATUS_OK;
}

void sample_free(struct sample *sample)
{
	unsigned i;

	for (i = 0; i < sample->n_reports; i++)
		gap_report_free(&sample->reports[i]);
	free(sample->reports);
	sample->reports = NULL;
	sample->n_reports = 0;
}

const struct gap_graph **sample_graphs(const struct sample *sample, unsigned *n)
{
	const struct gap_graph **graphs;
	unsigned i, k, all = 0;

	for (i = 0; i < sample->n_reports; i++)
		all += sample->reports[i].n_graphs;
	graphs = calloc(all + 1, sizeof *graphs);
	*n = 0;
	for (i = 0; graphs && i < sample->n_reports; i++)
		for (k = 0; k < sample->reports[i].n_graphs; k++)
			if (sample->reports[i].graphs[k].used > 0)
				graphs[(*n)++] = &sample->reports[i].graphs[k];
	return graphs;
}

static int remove_one(const char *path, const struct stat *st, int type,
                      struct FTW *walk)
{
	(void)st, (void)type, (void)walk;
	return remove(path);
}

void sample_remove(const char *folder)
{
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
