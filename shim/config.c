/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char CONFIG_STDERR[] = "1";

struct config config = {
#define SWITCH(field, name, def, help) .field = (def),
#define LEVEL(field, name, def, help) .field = (def),
#define TARGET(field, name, help) .field = NULL,
#define PATH(field, name, help) .field = NULL,
#define SIZE(field, name, help) .field = UINT64_MAX,
#include "config.def"
#undef SWITCH
#undef LEVEL
#undef TARGET
#undef PATH
#undef SIZE
};

static const char *const levels[] = {"off", "error", "warn", "info", "trace"};

static int parse_switch(const char *name, const char *value, int def)
{
	if (!value)
		return def;
	if ((value[0] == '0' || value[0] == '1') && !value[1])
		return value[0] == '1';
	log_warn("%s=%s is neither 0 nor 1; using %d", name, value, def);
	return def;
}

/* The level of that name, or -1. */
static int level_of(const char *value)
{
	int i;

	for (i = 0; value && i < (int)ARRAY_LEN(levels); i++)
		if (!strcmp(value, levels[i]))
			return i;
	return -1;
}

static enum log_level parse_level(const char *name, const char *value,
                                  enum log_level def)
{
	int level = level_of(value);

	if (level >= 0)
		return (enum log_level)level;
	if (value)
		log_warn("%s=%s is none of off, error, warn, info, trace; using %s",
		         name, value, levels[def]);
	return def;
}

/*
 * A copy, never freed: programs that set their process title write over the memory
 * that the environment was in.
 */
static const char *parse_path(const char *name, const char *value)
{
	if (!value)
		return NULL;
	if (*value)
		return strdup(value);
	log_warn("%s is empty, not a path; ignored", name);
	return NULL;
}

static const char *parse_target(const char *name, const char *value)
{
	if (!value || !strcmp(value, "0"))
		return NULL;
	if (!strcmp(value, "1"))
		return CONFIG_STDERR;
	if (*value)
		return strdup(value);
	log_warn("%s is empty, neither 0, 1 nor a path; using 0", name);
	return NULL;
}

/* Digits with at most one of K, M, G; no sign, no spaces, nothing that overflows. */
static int size_of(const char *value, uint64_t *bytes)
{
	uint64_t n = 0;
	const char *p = value;
	int shift = 0;

	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(n, (uint64_t)10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*p - '0'), &n))
			return -1;
	if (p == value)
		return -1;
	if (*p == 'K' || *p == 'k')
		shift = 10;
	else if (*p == 'M' || *p == 'm')
		shift = 20;
	else if (*p == 'G' || *p == 'g')
		shift = 30;
	if (shift)
		p++;
	if (*p || __builtin_mul_overflow(n, (uint64_t)1 << shift, bytes))
		return -1;
	return 0;
}

static uint64_t parse_size(const char *name, const char *value)
{
	uint64_t bytes;

	if (!value)
		return UINT64_MAX;
	if (size_of(value, &bytes) == 0)
		return bytes;
	log_warn("%s=%s is no number of bytes (digits, then K, M or G); using no limit",
	         name, value);
	return UINT64_MAX;
}

void config_load(struct config *c, char *(*get)(const char *name))
{
	int level = level_of(get("MEMSETSHIM_LOG"));

	/* How loud, and where to, first: the rest may warn. */
	c->log = level < 0 ? LOG_WARN : (enum log_level)level;
	log_setup(c->log, NULL);
	c->log_file = parse_path("MEMSETSHIM_LOG_FILE", get("MEMSETSHIM_LOG_FILE"));
	log_setup(c->log, c->log_file);
#define SWITCH(field, name, def, help)
#define LEVEL(field, name, def, help) c->field = parse_level(name, get(name), def);
#define TARGET(field, name, help)
#define PATH(field, name, help)
#define SIZE(field, name, help)
#include "config.def"
#undef SWITCH
#undef LEVEL
#undef TARGET
#undef PATH
#undef SIZE
	log_setup(c->log, c->log_file);
#define SWITCH(field, name, def, help) c->field = parse_switch(name, get(name), def);
#define LEVEL(field, name, def, help)
#define TARGET(field, name, help) c->field = parse_target(name, get(name));
#define PATH(field, name, help)
#define SIZE(field, name, help) c->field = parse_size(name, get(name));
#include "config.def"
#undef SWITCH
#undef LEVEL
#undef TARGET
#undef PATH
#undef SIZE
}

static const char *const variables[] = {
#define SWITCH(field, name, def, help) name,
#define LEVEL(field, name, def, help) name,
#define TARGET(field, name, help) name,
#define PATH(field, name, help) name,
#define SIZE(field, name, help) name,
#include "config.def"
#undef SWITCH
#undef LEVEL
#undef TARGET
#undef PATH
#undef SIZE
};

void config_warn_unknown(char *const *environment)
{
	static const char prefix[] = "MEMSETSHIM";
	size_t i, length;

	for (; environment && *environment; environment++) {
		const char *entry = *environment;

		if (strncmp(entry, prefix, sizeof prefix - 1))
			continue;
		length = strcspn(entry, "=");
		for (i = 0; i < ARRAY_LEN(variables); i++)
			if (strlen(variables[i]) == length &&
			    !strncmp(entry, variables[i], length))
				break;
		if (i == ARRAY_LEN(variables))
			log_warn("%.*s is not a variable of this version; ignored",
			         (int)length, entry);
	}
}

void config_list(int fd)
{
#define SWITCH(field, name, def, help) dprintf(fd, "%s\t%d\t%s\n", name, def, help);
#define LEVEL(field, name, def, help) \
	dprintf(fd, "%s\t%s\t%s\n", name, levels[def], help);
#define TARGET(field, name, help) dprintf(fd, "%s\t0\t%s\n", name, help);
#define PATH(field, name, help) dprintf(fd, "%s\tnone\t%s\n", name, help);
#define SIZE(field, name, help) dprintf(fd, "%s\tno limit\t%s\n", name, help);
#include "config.def"
#undef SWITCH
#undef LEVEL
#undef TARGET
#undef PATH
#undef SIZE
}
