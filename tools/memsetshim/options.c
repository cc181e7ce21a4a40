/* SPDX-License-Identifier: MIT */
/*
 * options.c - the options of the commands, for getopt_long() and for the help.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "launch.h"

/* The numbers among the counter's variables follow, as in gaps.c. */
#define GAPS_OPTION(id, letter, name, argument, help) {letter, name, argument, help},
#define LEVEL(field, variable, def, help)
#define COUNT(field, variable, def, min, max, help) \
	{0, variable, "N", variable ": " help " (" #def ")"},
#define TEXT(field, variable, def, help)
static struct option_text gaps_options[] = {
#include "options.def"
#include "../gapcount/options.def"
    {0, NULL, NULL, NULL},
};
#undef GAPS_OPTION
#undef LEVEL
#undef COUNT
#undef TEXT

#define SHOW_OPTION(id, letter, name, argument, help) {letter, name, argument, help},
static const struct option_text show_options[] = {
#include "options.def"
    {0, NULL, NULL, NULL},
};
#undef SHOW_OPTION

#define DIFF_OPTION(id, letter, name, argument, help) {letter, name, argument, help},
static const struct option_text diff_options[] = {
#include "options.def"
    {0, NULL, NULL, NULL},
};
#undef DIFF_OPTION

#define COMPARE_OPTION(id, letter, name, argument, help) {letter, name, argument, help},
static const struct option_text compare_options[] = {
#include "options.def"
    {0, NULL, NULL, NULL},
};
#undef COMPARE_OPTION

#define SELFTEST_OPTION(id, letter, name, argument, help) \
	{letter, name, argument, help},
static const struct option_text selftest_options[] = {
#include "options.def"
    {0, NULL, NULL, NULL},
};
#undef SELFTEST_OPTION

static const struct option_text *gaps_named(void)
{
	struct option_text *o;

	for (o = gaps_options; o->name; o++) {
		const char *name = text_option(o->name, "GAPCOUNT_");

		if (name)
			o->name = name;
	}
	return gaps_options;
}

/* The variables of config.def are the options of run. */
static const struct option_text *run_options(void)
{
	static struct option_text *options;
	const struct setting *settings;
	size_t i, n;

	if (options)
		return options;
	settings = settings_all(&n);
	options = calloc(n + 1, sizeof *options);
	for (i = 0; options && i < n; i++) {
		const struct setting *s = &settings[i];

		options[i].name = s->option;
		options[i].help = text_format("%s: %s", s->variable, s->help);
		if (s->kind == 'L')
			options[i].argument = "LEVEL";
		else if (s->kind == 'T')
			options[i].argument = "[=PATH]";
		else if (s->kind == 'P')
			options[i].argument = "PATH";
		else if (s->kind == 'N')
			options[i].argument = "BYTES";
	}
	return options;
}

const struct option_text *options_of(const char *command, size_t *n)
{
	const struct option_text *options = NULL;

	if (!strcmp(command, "run"))
		options = run_options();
	else if (!strcmp(command, "gaps"))
		options = gaps_named();
	else if (!strcmp(command, "show"))
		options = show_options;
	else if (!strcmp(command, "diff"))
		options = diff_options;
	else if (!strcmp(command, "compare"))
		options = compare_options;
	else if (!strcmp(command, "selftest"))
		options = selftest_options;
	for (*n = 0; options && options[*n].name; (*n)++)
		;
	return *n ? options : NULL;
}

/* Above every letter. */
enum { FIRST_CODE = 256, HELP_CODE = 'h' };

int options_code(const struct option_text *options, size_t i)
{
	return options[i].letter ? options[i].letter : FIRST_CODE + (int)i;
}

static int has_argument(const struct option_text *o)
{
	if (!o->argument)
		return no_argument;
	return o->argument[0] == '[' ? optional_argument : required_argument;
}

/* What getopt_long() wants, for n options and --help. */
static const struct option *long_options(const struct option_text *options, size_t n,
                                         char *letters)
{
	struct option *list = calloc(n + 2, sizeof *list);
	size_t i;

	if (!list) {
		complain("out of memory");
		exit(STATUS_FAILED);
	}
	for (i = 0; i < n; i++) {
		list[i].name = options[i].name;
		list[i].has_arg = has_argument(&options[i]);
		list[i].val = options_code(options, i);
		if (options[i].letter) {
			*letters++ = (char)options[i].letter;
			if (list[i].has_arg)
				*letters++ = ':';
		}
	}
	list[n].name = "help";
	list[n].val = HELP_CODE;
	*letters = '\0';
	return list;
}

int options_next(int argc, char **argv, const struct option_text *options, size_t n)
{
	static const struct option *list;
	/* '+': the first word that is no option ends them. ':': we complain. */
	static char letters[64] = "+:h";
	const char *word;
	size_t i;
	int code;

	if (!list)
		list = long_options(options, n, letters + strlen(letters));
	code = getopt_long(argc, argv, letters, list, NULL);
	if (code == -1)
		return -1;
	if (code == HELP_CODE) {
		main_help(stdout, argv[0]);
		return OPTIONS_HELP;
	}
	word = argv[optind - 1];
	if (code == ':') {
		usage_error(argv[0], "%s wants an argument", word);
		return OPTIONS_BAD;
	}
	for (i = 0; i < n; i++)
		if (options_code(options, i) == code)
			return (int)i;
	if (optopt && optopt < FIRST_CODE && isprint(optopt) && strncmp(word, "--", 2))
		usage_error(argv[0], "there is no option -%c", optopt);
	else
		usage_error(argv[0], "there is no option %s", word);
	return OPTIONS_BAD;
}
