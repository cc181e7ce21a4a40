/* SPDX-License-Identifier: MIT */
/*
 * log.h - what the shim says: to stderr or MEMSETSHIM_LOG_FILE, never to stdout.
 *
 * One write(2) per line, no allocation, errno kept, any thread, after fork too.
 */
#ifndef MSS_LOG_H
#define MSS_LOG_H

#include <stdatomic.h>

#include "compiler.h"

enum log_level { LOG_OFF, LOG_ERROR, LOG_WARN, LOG_INFO, LOG_TRACE };

/* The level and the file (NULL: stderr) from now on; the string is kept, not copied. */
void log_setup(enum log_level level, const char *file);

int log_wants(enum log_level level);

MSS_PRINTF(2, 3) void log_line(enum log_level level, const char *fmt, ...);

/*
 * Writes `length` bytes to the file named by `pattern` (%p the process, %h the host,
 * %% a percent sign), appending; to stderr when pattern is NULL.  -1 when it cannot be
 * opened or written.
 */
int log_output(const char *pattern, const char *text, unsigned long length);

#define log_warn(...) log_line(LOG_WARN, __VA_ARGS__)
#define log_info(...) log_line(LOG_INFO, __VA_ARGS__)
#define log_trace(...)                                    \
	do {                                              \
		if (MSS_UNLIKELY(log_wants(LOG_TRACE)))   \
			log_line(LOG_TRACE, __VA_ARGS__); \
	} while (0)

/* Each place speaks once per process. */
#define log_once(level, ...)                                \
	do {                                                \
		static atomic_flag said = ATOMIC_FLAG_INIT; \
		if (!atomic_flag_test_and_set(&said))       \
			log_line(level, __VA_ARGS__);       \
	} while (0)

#endif
