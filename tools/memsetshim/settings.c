/* SPDX-License-Identifier: MIT */
/*
 * settings.c - the variables of the library, from its own table and by its own parser.
 *
 * shim/config.c is linked into the command, but shim/log.c is not: what the parser
 * would log is caught here, and is the reason why a value is refused.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../../shim/config.h"
#include "launch.h"

static struct setting settings[] = {
#define SWITCH(field, name, def, help) {name, help, 'S', NULL},
#define LEVEL(field, name, def, help) {name, help, 'L', NULL},
#define TARGET(field, name, help) {name, help, 'T', NULL},
#define PATH(field, name, help) {name, help, 'P', NULL},
#define SIZE(field, name, help) {name, help, 'N', NULL},
#include "../../shim/config.def"
#undef SWITCH
#undef LEVEL
#undef TARGET
#undef PATH
#undef SIZE
};

const struct setting *settings_all(size_t *n)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(settings) && !settings[i].option; i++) {
		settings[i].option = text_option(settings[i].variable, "MEMSETSHIM_");
		/* A switch is on unless its option turns it off. */
		if (!settings[i].option)
			settings[i].option = "off";
		else if (settings[i].kind == 'S')
			settings[i].option = text_format("no-%s", settings[i].option);
	}
	*n = ARRAY_LEN(settings);
	return settings;
}

static char said[512]; /* the parser's first warning since it was emptied */

void log_setup(enum log_level level, const char *file)
{
	(void)level;
	(void)file;
}

void log_line(enum log_level level, const char *fmt, ...)
{
	va_list args;

	(void)level;
	if (*said)
		return;
	va_start(args, fmt);
	vsnprintf(said, sizeof said, fmt, args);
	va_end(args);
}

static const char *probe_variable;
static char *probe_value;

static char *probe(const char *name)
{
	return strcmp(name, probe_variable) ? NULL : probe_value;
}

int settings_check(const char *variable, const char *value, char *why, size_t size)
{
	static struct config ignored;
	char *assignment = text_format("%s=%s", variable, value);
	char *environment[] = {assignment, NULL};

	*said = '\0';
	probe_variable = variable;
	probe_value = text_format("%s", value);
	config_warn_unknown(environment);
	if (!*said)
		config_load(&ignored, probe);
	if (!*said)
		return 0;
	/* What the library does about it is not what this command does. */
	said[strcspn(said, ";")] = '\0';
	snprintf(why, size, "%s", said);
	return -1;
}
