/* SPDX-License-Identifier: MIT */
/*
 * path.h - file names with %p (the process) and %h (the host); %% is a percent sign.
 */
#ifndef PATH_H
#define PATH_H

#include <stddef.h>

/* pattern -> path; -1 when it does not fit.  Does not allocate; any thread. */
int path_expand(const char *pattern, char *path, size_t size);

#endif
