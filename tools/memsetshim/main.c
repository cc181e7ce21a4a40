/* SPDX-License-Identifier: MIT */
/*
 * main.c - memsetshim: the table of commands, and what they all do alike.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "launch.h"

static const struct command commands[] = {
    {"run", "[OPTION...] [--] PROG [ARGUMENT...]",
     "run PROG with libmemsetshim.so preloaded", command_run},
    {"gaps", "[OPTION...] [--] PROG [ARGUMENT...]",
     "run PROG and report the gaps that memsets leave in its graphs", command_gaps},
    {"show", "[OPTION...] REPORT...", "print a report that gaps wrote as JSON",
     command_show},
    {"diff", "[OPTION...] BEFORE AFTER", "print two such reports side by side",
     command_diff},
    {"compare", "[OPTION...] [--] PROG [ARGUMENT...]",
     "run PROG without and with the library in turn; which is faster?",
     command_compare},
    {"selftest", "[OPTION...]", "check the library on this machine's GPU",
     command_selftest},
    {"env", "[sh|docker|mpirun|slurm]", "print what to paste where run cannot go",
     command_env},
    {"doctor", "[PROG]", "look for what keeps it from working here", command_doctor},
    {"version", "", "print the versions of this command and of its libraries",
     command_version},
};

void complain(const char *fmt, ...)
{
	char line[4096];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof line, fmt, args);
	va_end(args);
	fprintf(stderr, "memsetshim: %s\n", line);
}

static const struct command *command_named(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(commands); i++)
		if (name && !strcmp(name, commands[i].name))
			return &commands[i];
	return NULL;
}

static void usage_line(FILE *out, const struct command *c)
{
	fprintf(out, "usage: memsetshim %s%s%s\n", c->name, *c->synopsis ? " " : "",
	        c->synopsis);
}

int usage_error(const char *command, const char *fmt, ...)
{
	const struct command *c = command_named(command);
	char line[4096];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof line, fmt, args);
	va_end(args);
	complain("%s%s%s", command ? command : "", command ? ": " : "", line);
	if (c)
		usage_line(stderr, c);
	fprintf(stderr, "memsetshim help%s%s says more\n", c ? " " : "",
	        c ? c->name : "");
	return STATUS_USAGE;
}

static void overview(FILE *out)
{
	size_t i;

	fputs("usage: memsetshim COMMAND [OPTION...] [ARGUMENT...]\n\n"
	      "Captured CUDA memsets become fill kernels, in programs as they are.\n\n",
	      out);
	for (i = 0; i < ARRAY_LEN(commands); i++)
		fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].help);
	fputs("  help       say more about a command: memsetshim help COMMAND\n", out);
}

void main_help(FILE *out, const char *command)
{
	const struct command *c = command_named(command);
	const struct option_text *options;
	size_t i, n;

	if (!c)
		return;
	usage_line(out, c);
	fprintf(out, "\n%s\n", c->help);
	options = options_of(command, &n);
	if (n)
		fputs("\noptions:\n", out);
	for (i = 0; i < n; i++) {
		const struct option_text *o = &options[i];
		int optional = o->argument && o->argument[0] == '[';
		char *letter = o->letter ? text_format("-%c, ", o->letter) : NULL;

		fprintf(out, "  %s--%s%s%s\n        %s\n", letter ? letter : "",
		        o->name, o->argument && !optional ? " " : "",
		        o->argument ? o->argument : "", o->help);
	}
}

static int help(int argc, char **argv)
{
	if (argc > 2)
		return usage_error("help", "one command at a time");
	if (argc == 2 && !command_named(argv[1]))
		return usage_error(NULL, "there is no command '%s'", argv[1]);
	if (argc == 2)
		main_help(stdout, argv[1]);
	else
		overview(stdout);
	return STATUS_OK;
}

/*
 * A descriptor that is closed stays so for PROG, but no file or pipe of ours may take
 * its number: what is written to stdout would go there.
 */
static void occupy_closed(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int dispatch(int argc, char **argv)
{
	const char *name = argv[1];
	const struct command *c = command_named(name);

	if (c && argc > 2 && (!strcmp(argv[2], "--help") || !strcmp(argv[2], "-h"))) {
		main_help(stdout, name);
		return STATUS_OK;
	}
	if (c)
		return c->main(argc - 1, argv + 1);
	if (!strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h"))
		return help(argc - 1, argv + 1);
	if (!strcmp(name, "--version"))
		return command_version(argc - 1, argv + 1);
	return usage_error(NULL, "there is no command '%s'", name);
}

int main(int argc, char **argv)
{
	int status;

	occupy_closed();
	if (argc < 2) {
		overview(stderr);
		return STATUS_USAGE;
	}
	status = dispatch(argc, argv);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		complain("cannot write to stdout: %s", strerror(errno));
		return status ? status : STATUS_FAILED;
	}
	return status;
}
