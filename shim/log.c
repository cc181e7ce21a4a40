/* SPDX-License-Identifier: MIT */
#include "log.h"
#include "path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Static, and right before any constructor has run: other libraries come first. */
static _Atomic int log_level = LOG_WARN;
static const char *_Atomic log_file;

void log_setup(enum log_level level, const char *file)
{
	atomic_store(&log_file, file);
	atomic_store(&log_level, (int)level);
}

int log_wants(enum log_level level)
{
	return (int)level <= atomic_load_explicit(&log_level, memory_order_relaxed);
}

int log_output(const char *pattern, const char *text, unsigned long length)
{
	char path[PATH_MAX];
	int saved_errno = errno, fd = STDERR_FILENO, failed = 0;

	/*
	 * Opened for each write and closed again: a descriptor kept open would be
	 * somebody else's file after a program has closed and reopened its own.
	 */
	if (pattern) {
		fd = -1;
		if (path_expand(pattern, path, sizeof path) == 0)
			fd =
			    open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
		if (fd < 0) {
			errno = saved_errno;
			return -1;
		}
	}
	while (length) {
		ssize_t n = write(fd, text, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			failed = -1;
			break;
		}
		text += n;
		length -= (unsigned long)n;
	}
	if (pattern)
		close(fd);
	errno = saved_errno;
	return failed;
}

void log_line(enum log_level level, const char *fmt, ...)
{
	static const char *const names[] = {"", "error", "warning", "info", "trace"};
	int saved_errno = errno, used;
	const char *file = atomic_load(&log_file);
	char line[512];
	va_list args;

	if (!log_wants(level))
		return;
	used = snprintf(line, sizeof line, "memsetshim[%ld]: %s: ", (long)getpid(),
	                names[level]);
	va_start(args, fmt);
	vsnprintf(line + used, sizeof line - (size_t)used, fmt, args);
	va_end(args);
	line[sizeof line - 2] = '\0';
	strcat(line, "\n");
	/* What has no file to go to is not thrown away. */
	if (log_output(file, line, strlen(line)) != 0 && file)
		(void)log_output(NULL, line, strlen(line));
	errno = saved_errno;
}
