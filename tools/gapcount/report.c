/* SPDX-License-Identifier: MIT */
#include "report.h"
#include "events.h"
#include "gap_compare.h"
#include "gap_load.h"
#include "output.h"
#include "store.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * How long a fill kernel lasts under node-level tracing, in a graph that holds none:
 * what small fills take on an H200 (docs/results).
 */
#define USUAL_FILL_NS 770.0

static void describe_driver(struct gap_report *report)
{
	void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	int (*get_version)(int *), (*get_device)(int *, int),
	    (*get_name)(char *, int, int);
	char name[128];
	int device;

	if (!lib)
		return;
	*(void **)&get_version = dlsym(lib, "cuDriverGetVersion");
	*(void **)&get_device = dlsym(lib, "cuDeviceGet");
	*(void **)&get_name = dlsym(lib, "cuDeviceGetName");
	if (get_version && get_version(&report->driver) != 0)
		report->driver = 0;
	if (get_device && get_name && get_device(&device, 0) == 0 &&
	    get_name(name, sizeof name, device) == 0)
		report->gpu = strdup(name);
	dlclose(lib);
}

/* The whole command line, blanks between the words. */
static char *command_line(void)
{
	char text[1024];
	FILE *file = fopen("/proc/self/cmdline", "re");
	size_t n, i;

	if (!file)
		return strdup(program_invocation_short_name);
	n = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	while (n > 0 && text[n - 1] == '\0')
		n--;
	for (i = 0; i < n; i++)
		if (text[i] == '\0')
			text[i] = ' ';
	text[n] = '\0';
	return strdup(text);
}

static void describe_run(struct gap_report *report, const struct cupti *cupti)
{
	struct store_counts counts = store_counts();
	char text[HOST_NAME_MAX + 1] = "";

	report->version = strdup(gapcount_version);
	report->pid = getpid();
	report->program = command_line();
	if (gethostname(text, sizeof text - 1) == 0)
		report->host = strdup(text);
	cupti_version_text(cupti->version, text, sizeof text);
	report->cupti = strdup(text);
	describe_driver(report);
	report->shim = dlsym(RTLD_DEFAULT, "memsetshim_version") != NULL;
	report->dropped = counts.dropped;
	report->timeless = counts.timeless;
	report->not_kept = counts.not_kept;
	report->outside = counts.outside;
	if (events_untimed() &&
	    asprintf(&report->note,
	             "%lu launches of graphs of memsets alone could not be timed",
	             events_untimed()) < 0)
		report->note = NULL;
}

static void compare_reference(struct gap_report *report, const char *path)
{
	struct gap_report reference;
	char error[128];

	if (gap_load(path, &reference, error, sizeof error) != 0) {
		gapcount_say("GAPCOUNT_REFERENCE=%s: %s", path, error);
		return;
	}
	report->inflation = gap_inflation(report, &reference);
	gap_report_free(&reference);
}

void report_write(const struct options *options, const struct cupti *cupti,
                  int files_only)
{
	struct gap_input input = {
	    .level = options->level,
	    .skip = options->skip,
	    .fill_ns = USUAL_FILL_NS,
	};
	struct gap_report report = {0};

	describe_run(&report, cupti);
	if (store_copy(&input) != 0 || gap_analyze(&input, &report) != 0) {
		gapcount_say("no report: memory is short");
	} else {
		if (options->reference)
			compare_reference(&report, options->reference);
		output_write(options->output, &report, options->top, files_only);
	}
	store_copy_free(&input);
	gap_report_free(&report);
}
