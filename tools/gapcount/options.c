/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void gapcount_say(const char *fmt, ...)
{
	int saved_errno = errno, used;
	char line[1024];
	va_list args;

	used = snprintf(line, sizeof line, "gapcount[%ld]: ", (long)getpid());
	va_start(args, fmt);
	vsnprintf(line + used, sizeof line - (size_t)used - 1, fmt, args);
	va_end(args);
	strcat(line, "\n");
	/* Not stdio: the program may have closed or locked its stderr. */
	if (write(STDERR_FILENO, line, strlen(line)) < 0)
		errno = 0; /* there is nobody to tell */
	errno = saved_errno;
}

static unsigned read_count(const char *name, const char *value, unsigned def,
                           unsigned min, unsigned max)
{
	unsigned long long number;
	char *end;

	errno = 0;
	number = strtoull(value, &end, 10);
	if (errno == 0 && *value >= '0' && *value <= '9' && *end == '\0' &&
	    number >= min && number <= max)
		return (unsigned)number;
	gapcount_say("%s=%s is no number from %u to %u; using %u", name, value, min,
	             max, def);
	return def;
}

static enum gap_level read_level(const char *name, const char *value,
                                 enum gap_level def)
{
	if (!strcmp(value, "node"))
		return GAP_LEVEL_NODE;
	if (!strcmp(value, "graph"))
		return GAP_LEVEL_GRAPH;
	gapcount_say("%s=%s is neither node nor graph; using %s", name, value,
	             def == GAP_LEVEL_NODE ? "node" : "graph");
	return def;
}

void options_read(struct options *options, options_lookup *lookup)
{
	const char *value;

#define LEVEL(field, variable, def, help) \
	value = lookup(variable);         \
	options->field = value ? read_level(variable, value, def) : def;
#define COUNT(field, variable, def, min, max, help) \
	value = lookup(variable);                   \
	options->field = value ? read_count(variable, value, def, min, max) : def;
#define TEXT(field, variable, def, help) \
	value = lookup(variable);        \
	options->field = value && *value ? value : def;
#include "options.def"
#undef LEVEL
#undef COUNT
#undef TEXT
}

void options_check_names(char *const *environment)
{
	static const char *const known[] = {
#define LEVEL(field, variable, def, help) variable,
#define COUNT(field, variable, def, min, max, help) variable,
#define TEXT(field, variable, def, help) variable,
#include "options.def"
#undef LEVEL
#undef COUNT
#undef TEXT
	};
	size_t i, length;

	for (; environment && *environment; environment++) {
		if (strncmp(*environment, "GAPCOUNT", 8) != 0)
			continue;
		length = strcspn(*environment, "=");
		for (i = 0; i < sizeof known / sizeof *known; i++)
			if (strlen(known[i]) == length &&
			    !memcmp(*environment, known[i], length))
				break;
		if (i == sizeof known / sizeof *known)
			gapcount_say("%.*s is not a variable of this version; ignored",
			             (int)length, *environment);
	}
}
