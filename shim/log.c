/* SPDX-License-Identifier: MIT */
#include "log.h"
#include "path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
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

/*
 * A write into a pipe that nobody reads would end the program, and a thread that is
 * cancelled in a write would leave what its caller holds: neither is for us to decide.
 */
struct guard {
	sigset_t before;
	int cancel_state, was_pending, blocked;
};

static void guard_begin(struct guard *guard)
{
	sigset_t pipe, pending;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &guard->cancel_state);
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigpending(&pending);
	guard->was_pending = sigismember(&pending, SIGPIPE);
	guard->blocked = pthread_sigmask(SIG_BLOCK, &pipe, &guard->before) == 0;
}

static void guard_end(const struct guard *guard, int broken_pipe)
{
	static const struct timespec at_once;
	sigset_t pipe;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	/* Ours is taken away; one that was there before is the program's. */
	if (broken_pipe && guard->blocked && !guard->was_pending)
		while (sigtimedwait(&pipe, NULL, &at_once) < 0 && errno == EINTR)
			;
	if (guard->blocked)
		pthread_sigmask(SIG_SETMASK, &guard->before, NULL);
	pthread_setcancelstate(guard->cancel_state, NULL);
}

/* The whole text, or -1 and errno. */
static int write_all(int fd, const char *text, unsigned long length)
{
	ssize_t n;

	while (length) {
		n = write(fd, text, length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		text += n;
		length -= (unsigned long)n;
	}
	return 0;
}

int log_output(const char *pattern, const char *text, unsigned long length)
{
	char path[PATH_MAX];
	int saved_errno = errno, fd = STDERR_FILENO, failed = -1, broken;
	struct guard guard;

	guard_begin(&guard);
	/*
	 * Opened for each write and closed again: a descriptor kept open would be
	 * somebody else's file after a program has closed and reopened its own.
	 */
	if (pattern)
		fd = path_expand(pattern, path, sizeof path) == 0
		         ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644)
		         : -1;
	errno = 0;
	if (fd >= 0)
		failed = write_all(fd, text, length);
	broken = errno == EPIPE;
	if (pattern && fd >= 0)
		close(fd);
	guard_end(&guard, broken);
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
