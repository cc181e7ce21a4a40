/* SPDX-License-Identifier: MIT */
/*
 * env.c - memsetshim env: what to paste where no `run` can stand in front.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "launch.h"

/* Calls print(prefix, NAME=VALUE) for each variable of the library that is set. */
static void each_setting(void (*print)(const char *assignment))
{
	size_t i, n;
	const struct setting *settings = settings_all(&n);

	for (i = 0; i < n; i++) {
		const char *value = getenv(settings[i].variable);

		if (value)
			print(text_format("%s=%s", settings[i].variable, value));
	}
}

static void print_export(const char *assignment)
{
	size_t name = strcspn(assignment, "=");

	/* The name is no part of the quoted word: POSIX sh would not assign it. */
	printf("export %.*s=%s\n", (int)name, assignment,
	       text_quoted(assignment + name + 1));
}

static void print_e(const char *assignment)
{
	printf(" -e %s", text_quoted(assignment));
}

static void print_x(const char *assignment)
{
	printf(" -x %s", text_quoted(assignment));
}

/* In a container only what is mounted is there: each file of the list, at its own path.
 */
static void print_volumes(const char *preload)
{
	char *list = text_format("%s", preload);
	char *entry, *state;

	for (entry = strtok_r(list, ":", &state); entry;
	     entry = strtok_r(NULL, ":", &state))
		if (entry[0] == '/' && access(entry, R_OK) == 0)
			printf(" -v %s",
			       text_quoted(text_format("%s:%s:ro", entry, entry)));
}

static int print_slurm(const char *preload)
{
	/* ALL takes the other variables along. */
	if (strchr(preload, ',')) {
		complain("--export takes no value with a comma: %s; export LD_PRELOAD "
		         "in the job's script instead",
		         preload);
		return STATUS_FAILED;
	}
	printf("--export=ALL,%s\n", text_quoted(text_format("LD_PRELOAD=%s", preload)));
	return STATUS_OK;
}

int command_env(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "sh";
	const char *library;
	char *preload, *assignment;

	if (argc > 2)
		return usage_error("env", "one of sh, docker, mpirun, slurm");
	if (strcmp(how, "sh") && strcmp(how, "docker") && strcmp(how, "mpirun") &&
	    strcmp(how, "slurm"))
		return usage_error("env", "'%s' is none of sh, docker, mpirun, slurm",
		                   how);
	library = find_library(SHIM_NAME);
	if (!library)
		return STATUS_NOT_FOUND;
	preload = preload_with(library, getenv("LD_PRELOAD"));
	assignment = text_format("LD_PRELOAD=%s", preload);
	if (!strcmp(how, "slurm"))
		return print_slurm(preload);
	if (!strcmp(how, "sh")) {
		print_export(assignment);
		each_setting(print_export);
		return STATUS_OK;
	}
	if (!strcmp(how, "docker")) {
		printf("-e %s", text_quoted(assignment));
		each_setting(print_e);
		print_volumes(preload);
	} else {
		printf("-x %s", text_quoted(assignment));
		each_setting(print_x);
	}
	printf("\n");
	return STATUS_OK;
}
