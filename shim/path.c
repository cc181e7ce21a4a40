/* SPDX-License-Identifier: MIT */
#include "path.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int path_expand(const char *pattern, char *path, size_t size)
{
	char word[256];
	size_t used = 0, length;

	for (; *pattern; pattern++) {
		word[0] = *pattern;
		word[1] = '\0';
		if (pattern[0] == '%' && pattern[1] == 'p') {
			snprintf(word, sizeof word, "%ld", (long)getpid());
			pattern++;
		} else if (pattern[0] == '%' && pattern[1] == 'h') {
			if (gethostname(word, sizeof word) != 0)
				strcpy(word, "unknown");
			word[sizeof word - 1] = '\0';
			pattern++;
		} else if (pattern[0] == '%' && pattern[1] == '%') {
			pattern++;
		}
		length = strlen(word);
		if (used + length >= size)
			return -1;
		memcpy(path + used, word, length);
		used += length;
	}
	if (used >= size) /* no room at all */
		return -1;
	path[used] = '\0';
	return 0;
}
