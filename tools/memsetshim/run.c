/* SPDX-License-Identifier: MIT */
/*
 * run.c - memsetshim run: PROG takes this process's place, with the library preloaded.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "launch.h"

int run_check(const char *program)
{
	int reason;

	if (find_program(program))
		return STATUS_OK;
	reason = errno;
	complain("%s: %s", program, strerror(reason));
	return reason == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_RUN;
}

void run_set(const char *name, const char *value)
{
	if (setenv(name, value, 1) == 0)
		return;
	complain("cannot set %s: %s", name, strerror(errno));
	exit(STATUS_FAILED);
}

/* Another copy has hooks of its own: the first one's come first, but both are there. */
static void warn_of_copies(const char *preload)
{
	char *list = text_format("%s", preload);
	char *entry, *state;

	/* The first entry is ours. */
	strtok_r(list, ":", &state);
	while ((entry = strtok_r(NULL, ":", &state)) != NULL) {
		const char *slash = strrchr(entry, '/');

		if (slash && !strcmp(slash + 1, SHIM_NAME))
			complain("warning: LD_PRELOAD holds another copy, %s", entry);
	}
	free(list);
}

int run_preload(const char *program)
{
	const char *library = find_library(SHIM_NAME);
	char why[PATH_MAX + 64];
	char *path, *preload;

	if (!library)
		return STATUS_NOT_FOUND;
	preload = preload_with(library, getenv("LD_PRELOAD"));
	warn_of_copies(preload);
	path = find_program(program);
	if (path && target_trouble(path, library, why, sizeof why))
		complain("warning: %s: LD_PRELOAD does nothing there, so it runs "
		         "without the library",
		         why);
	run_set("LD_PRELOAD", preload);
	return STATUS_OK;
}

/* What the variable has to be for the option; NULL after a complaint. */
static const char *value_of(const struct setting *s, const char *argument)
{
	char why[512];

	if (s->kind == 'S')
		return "0";
	if (s->kind == 'T' && !argument)
		return "1";
	if (settings_check(s->variable, argument, why, sizeof why) != 0) {
		usage_error("run", "--%s: %s", s->option, why);
		return NULL;
	}
	if (s->kind == 'P' ||
	    (s->kind == 'T' && strcmp(argument, "0") && strcmp(argument, "1")))
		return text_absolute(argument);
	return argument;
}

int command_run(int argc, char **argv)
{
	size_t n, n_settings;
	const struct option_text *options = options_of("run", &n);
	const struct setting *settings = settings_all(&n_settings);
	int i, status;

	while ((i = options_next(argc, argv, options, n)) >= 0) {
		const char *value = value_of(&settings[i], optarg);

		if (!value)
			return STATUS_USAGE;
		run_set(settings[i].variable, value);
	}
	if (i == OPTIONS_HELP)
		return STATUS_OK;
	if (i == OPTIONS_BAD)
		return STATUS_USAGE;
	if (optind == argc)
		return usage_error("run", "PROG is missing");
	status = run_check(argv[optind]);
	if (!status)
		status = run_preload(argv[optind]);
	return status ? status : exec_program(argv + optind);
}
