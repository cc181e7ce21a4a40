/* SPDX-License-Identifier: MIT */
#include "outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../shim/path.h"
#include "command.h"
#include "launch.h"

/* The first is what a file without any of the suffixes holds. */
static const struct format {
	const char *name, *suffix;
} formats_known[] = {
    {"table", NULL},   {"trace", ".trace.json"}, /* before .json */
    {"json", ".json"}, {"csv", ".csv"},          {"html", ".html"},
};

enum { MAX_PATHS = 32 };
static const char *paths[MAX_PATHS];
static size_t n_paths;

int outputs_add(const char *command, const char *path)
{
	if (!*path)
		return usage_error(command, "-o wants a file's name");
	if (n_paths == MAX_PATHS)
		return usage_error(command, "more than %d times -o", MAX_PATHS);
	paths[n_paths++] = strcmp(path, "-") ? text_absolute(path) : path;
	if (!strchr(paths[n_paths - 1], ','))
		return STATUS_OK;
	complain("%s: a path with a comma cannot be given to the gap counter",
	         paths[n_paths - 1]);
	return STATUS_USAGE;
}

static const char *format_of(const char *path)
{
	size_t length = strlen(path), i;

	for (i = 1; i < ARRAY_LEN(formats_known); i++) {
		size_t suffix = strlen(formats_known[i].suffix);

		if (length >= suffix &&
		    !strcmp(path + length - suffix, formats_known[i].suffix))
			return formats_known[i].name;
	}
	return formats_known[0].name;
}

/* Adds FORMAT:PATH unless it is there already. */
static void append(char **value, const char *format, const char *path)
{
	char *entry = text_format("%s:%s", format, path);

	if (!*value)
		*value = entry;
	else if (!strstr(text_format(",%s,", *value), text_format(",%s,", entry)))
		*value = text_format("%s,%s", *value, entry);
}

static int is_format(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(formats_known); i++)
		if (!strcmp(name, formats_known[i].name))
			return 1;
	return 0;
}

/* Each word of --format, for path. */
static int append_formats(const char *command, const char *formats, const char *path,
                          char **value)
{
	char *list = text_format("%s", formats);
	char *name;

	while ((name = strsep(&list, ",")) != NULL) {
		if (!is_format(name))
			return usage_error(
			    command,
			    "--format: '%s' is none of table, json, csv, html, trace",
			    name);
		append(value, name, path);
	}
	return STATUS_OK;
}

int outputs_value(const char *command, const char *formats, int quiet, char **value)
{
	size_t i;

	*value = NULL;
	if (formats && n_paths > 1)
		return usage_error(command, "--format with more than one -o: the "
		                            "suffix of each file is its format");
	if (formats && n_paths == 1 && strchr(formats, ','))
		return usage_error(command, "--format: several formats for one file");
	if (!formats && !n_paths)
		return quiet
		           ? usage_error(command, "-q without -o and --format: nothing "
		                                  "would be reported")
		           : STATUS_OK;
	if (!quiet)
		append(value, formats_known[0].name, "-");
	if (formats)
		return append_formats(command, formats, n_paths ? paths[0] : "-",
		                      value);
	for (i = 0; i < n_paths; i++)
		append(value, format_of(paths[i]), paths[i]);
	return STATUS_OK;
}

/* Why the counter cannot put a file there, or NULL.  It writes another one first, and
 * renames that: what is no file would be one then. */
static const char *trouble_with(const char *path)
{
	char *folder, *slash;
	struct stat st;

	if (stat(path, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return strerror(EISDIR);
		if (!S_ISREG(st.st_mode))
			return "it is no file; - is stderr";
		if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
			return strerror(errno);
	} else if (errno != ENOENT) {
		return strerror(errno);
	}
	folder = text_format("%s", path);
	slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = '\0';
	if (faccessat(AT_FDCWD, slash ? folder : ".", W_OK | X_OK, AT_EACCESS) != 0)
		return strerror(errno);
	return NULL;
}

int outputs_check(const char *value)
{
	char *list = text_format("%s", value);
	char path[PATH_MAX];
	char *entry;

	while ((entry = strsep(&list, ",")) != NULL) {
		const char *pattern = strchr(entry, ':');
		const char *trouble = strerror(ENAMETOOLONG);

		if (!pattern || !strcmp(pattern, ":-"))
			continue;
		if (path_expand(pattern + 1, path, sizeof path) == 0)
			trouble = trouble_with(path);
		else
			snprintf(path, sizeof path, "%s", pattern + 1);
		if (trouble) {
			complain("%s cannot be written: %s", path, trouble);
			return STATUS_FAILED;
		}
	}
	return STATUS_OK;
}
