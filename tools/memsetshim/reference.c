/* SPDX-License-Identifier: MIT */
#include "reference.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "command.h"
#include "launch.h"

/* In the child: PROG at graph level, its report into a file. */
static void prepare(void *file)
{
	run_set("GAPCOUNT_LEVEL", "graph");
	run_set("GAPCOUNT_OUTPUT", text_format("json:%s", (const char *)file));
	unsetenv("GAPCOUNT_REFERENCE");
}

/* In a process of its own that nobody waits for: removes the file after `owner` ended.
 */
__attribute__((noreturn)) static void watch(int owner, const char *file)
{
	struct pollfd ended = {.fd = owner, .events = POLLIN};
	int fd;

	/* Whoever waits for the end of a pipe does not wait for this. */
	for (fd = 0; fd < 1024; fd++)
		if (fd != owner)
			close(fd);
	(void)!chdir("/");
	while (poll(&ended, 1, -1) < 0 && errno == EINTR)
		;
	unlink(file);
	_exit(0);
}

/* The file is needed until the end of what this process will have become. */
static void remove_at_end(const char *file)
{
	int owner = (int)syscall(SYS_pidfd_open, getpid(), 0);
	pid_t child;

	/* Before Linux 5.3 the file stays. */
	if (owner < 0)
		return;
	/* Twice: PROG shall have no child that it does not know. */
	child = fork();
	if (child == 0) {
		setsid();
		if (fork() == 0)
			watch(owner, file);
		_exit(0);
	}
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	close(owner);
}

/* A new file that goes away with this process, or NULL after a complaint. */
static char *temporary_file(void)
{
	const char *folder = getenv("TMPDIR");
	sigset_t all, mask;
	char *file;
	int fd;

	/* What the variable could not hold. */
	if (!folder || folder[0] != '/' || strpbrk(folder, ",%"))
		folder = "/tmp";
	file = text_format("%s/memsetshim-XXXXXX.json", folder);
	/* Nothing ends us before somebody knows of the file. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &mask);
	fd = mkstemps(file, 5);
	if (fd >= 0) {
		close(fd);
		remove_at_end(file);
	} else {
		complain("no temporary file in %s: %s", folder, strerror(errno));
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return fd < 0 ? NULL : file;
}

int reference_run(char **argv)
{
	char *file = temporary_file();
	struct stat st;
	int status;

	if (!file)
		return STATUS_FAILED;
	status = child_run(argv, prepare, file);
	if (status) {
		unlink(file);
		return status < 0 ? STATUS_FAILED : child_end_like(status);
	}
	if (stat(file, &st) == 0 && st.st_size > 0) {
		run_set("GAPCOUNT_REFERENCE", file);
		return STATUS_OK;
	}
	complain("the run at graph level left no report: how much tracing slows the "
	         "nodes down will not be known");
	unsetenv("GAPCOUNT_REFERENCE");
	unlink(file);
	return STATUS_OK;
}
