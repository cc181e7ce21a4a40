/* SPDX-License-Identifier: MIT */
/*
 * text.c - strings that are made: paths, shell words.
 */
#include "launch.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

char *text_format(const char *fmt, ...)
{
	char *text = NULL;
	va_list args;
	int length;

	va_start(args, fmt);
	length = vasprintf(&text, fmt, args);
	va_end(args);
	if (length < 0) {
		complain("out of memory");
		exit(STATUS_FAILED);
	}
	return text;
}

/* Each character through add(): a copy of `text` in which some are longer. */
static char *rewritten(const char *text, const char *special, const char *instead)
{
	size_t extra = strlen(instead);
	char *copy = text_format("%*s", (int)(strlen(text) * extra), "");
	char *end = copy;

	for (; *text; text++) {
		if (*text == *special) {
			memcpy(end, instead, extra);
			end += extra;
		} else {
			*end++ = *text;
		}
	}
	*end = '\0';
	return copy;
}

char *text_absolute(const char *path)
{
	char *folder;

	if (path[0] == '/')
		return text_format("%s", path);
	folder = getcwd(NULL, 0);
	if (!folder)
		return text_format("%s", path);
	/* The folder's name is no pattern, whatever it holds. */
	return text_format("%s/%s", rewritten(folder, "%", "%%"), path);
}

char *text_quoted(const char *text)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwx"
	                            "yz0123456789_-+=./:,@%";

	if (*text && text[strspn(text, plain)] == '\0')
		return text_format("%s", text);
	return text_format("'%s'", rewritten(text, "'", "'\\''"));
}

char *text_option(const char *variable, const char *prefix)
{
	char *name, *c;

	if (strncmp(variable, prefix, strlen(prefix)))
		return NULL;
	name = text_format("%s", variable + strlen(prefix));
	for (c = name; *c; c++)
		*c = (char)(*c == '_' ? '-' : tolower((unsigned char)*c));
	return name;
}
