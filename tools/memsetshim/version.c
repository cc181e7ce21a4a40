/* SPDX-License-Identifier: MIT */
/*
 * version.c - memsetshim version: this command's, and what the libraries say of theirs.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../shim/memsetshim.h"
#include "command.h"
#include "launch.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char version_text[] = TEXT(MEMSETSHIM_VERSION_MAJOR) "." TEXT(
    MEMSETSHIM_VERSION_MINOR) "." TEXT(MEMSETSHIM_VERSION_PATCH);
const char version_build[] = GIT_ID;

/* In a child: becomes the library's own program, its stdout and stderr into fd. */
__attribute__((noreturn)) static void become(const char *path, int fd)
{
	char *argv[] = {text_format("%s", path), NULL};

	unsetenv("LD_PRELOAD");
	if (dup2(fd, STDOUT_FILENO) >= 0 && dup2(fd, STDERR_FILENO) >= 0)
		execv(path, argv);
	_exit(STATUS_NOT_RUN);
}

int version_ask(const char *path, char *line, size_t size)
{
	struct sigaction old, plain = {.sa_handler = SIG_DFL};
	size_t used = 0;
	int fds[2], status = -1;
	char sink[4096];
	ssize_t n;
	pid_t child;

	if (!target_runs(path)) {
		snprintf(line, size, "it cannot be run as a program");
		return -1;
	}
	if (pipe2(fds, O_CLOEXEC) != 0) {
		snprintf(line, size, "no pipe: %s", strerror(errno));
		return -1;
	}
	sigaction(SIGCHLD, &plain, &old);
	fflush(stdout);
	child = fork();
	if (child == 0)
		become(path, fds[1]);
	close(fds[1]);
	while ((n = read(fds[0], sink, sizeof sink)) > 0) {
		size_t some = (size_t)n < size - 1 - used ? (size_t)n : size - 1 - used;

		memcpy(line + used, sink, some);
		used += some;
	}
	close(fds[0]);
	if (child > 0)
		waitpid(child, &status, 0);
	sigaction(SIGCHLD, &old, NULL);
	line[used] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (status == 0)
		return 0;
	if (!*line)
		snprintf(line, size, "run as a program it fails (wait status %#x)",
		         (unsigned)status);
	return -1;
}

/* ", libmemsetshim.so 0.1.0, build 1234567" */
static void print_library(const char *name)
{
	char line[512];
	const char *path = find_library_why(name, line, sizeof line);
	const char *text = line;
	size_t length;

	if (!path) {
		printf("; no %s", name);
		return;
	}
	if (version_ask(path, line, sizeof line) != 0) {
		printf("; %s of an unknown version", name);
		return;
	}
	/* "memsetshim 0.1.0, build 1234567, and more": up to the second comma */
	text += strcspn(text, " ");
	length = strcspn(text, ",");
	if (text[length])
		length += 1 + strcspn(text + length + 1, ",");
	printf("; %s%.*s", name, (int)length, text);
}

int command_version(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return usage_error("version", "it takes no argument");
	printf("memsetshim %s, build %s", version_text, version_build);
	print_library(SHIM_NAME);
	print_library(GAPCOUNT_NAME);
	printf("\n");
	return STATUS_OK;
}
