/* SPDX-License-Identifier: MIT */
#include "gap_load.h"
#include "gap_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Also from a pipe, whose size nobody knows. */
static char *read_all(FILE *file, size_t *length)
{
	size_t room = 1 << 16, n;
	char *text = malloc(room), *bigger;

	*length = 0;
	while (text && (n = fread(text + *length, 1, room - *length, file)) > 0) {
		*length += n;
		if (*length < room)
			continue;
		room *= 2;
		bigger = realloc(text, room);
		if (!bigger)
			free(text);
		text = bigger;
	}
	if (text && ferror(file)) {
		free(text);
		text = NULL;
	}
	return text;
}

int gap_load(const char *path, struct gap_report *report, char *error, size_t size)
{
	FILE *file = fopen(path, "re");
	size_t length = 0;
	char *text;
	int err;

	if (!file) {
		snprintf(error, size, "%s", strerror(errno));
		return -1;
	}
	errno = 0;
	text = read_all(file, &length);
	if (!text)
		snprintf(error, size, "%s", errno ? strerror(errno) : "cannot be read");
	fclose(file);
	if (!text)
		return -1;
	err = gap_read_json(text, length, report, error, size);
	free(text);
	return err;
}
