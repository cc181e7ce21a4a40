/* SPDX-License-Identifier: MIT */
#include "child.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "launch.h"

static volatile sig_atomic_t running; /* the child, for what is sent to us meanwhile */
static volatile sig_atomic_t received;

static void note(int number)
{
	received = number;
}

static void forward(int number)
{
	received = number;
	if (running > 0)
		kill((pid_t)running, number);
}

/*
 * As system(3) does it: keys reach the child by themselves, who decides; what else ends
 * us is passed on.  Either way it is remembered.
 */
static const int kept[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD};
enum { ENDING = 4 }; /* of them end a process, the first two by keys */

static void signals_set(struct sigaction *old)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(kept); i++) {
		struct sigaction action = {.sa_handler = SIG_DFL,
		                           .sa_flags = SA_RESTART};

		sigaction(kept[i], NULL, &old[i]);
		if (i < ENDING && old[i].sa_handler == SIG_IGN)
			continue;
		if (i < ENDING)
			action.sa_handler = i < 2 ? note : forward;
		sigaction(kept[i], &action, NULL);
	}
}

static void signals_restore(const struct sigaction *old)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(kept); i++)
		sigaction(kept[i], &old[i], NULL);
}

void child_guard(void)
{
	struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART}, old;
	size_t i;

	for (i = 0; i < ENDING; i++) {
		sigaction(kept[i], NULL, &old);
		if (old.sa_handler != SIG_IGN)
			sigaction(kept[i], &action, NULL);
	}
}

int child_received(void)
{
	return (int)received;
}

int child_end_like(int status)
{
	int number = WTERMSIG(status);

	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	signal(number, SIG_DFL);
	raise(number);
	return 128 + number;
}

int child_run(char **argv, void (*prepare)(void *context), void *context)
{
	struct sigaction old[ARRAY_LEN(kept)];
	sigset_t all, mask;
	int status = -1;
	pid_t child;

	/* What is sent before we know the child waits until we do. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &mask);
	signals_set(old);
	child = fork();
	if (child == 0) {
		signals_restore(old);
		sigprocmask(SIG_SETMASK, &mask, NULL);
		prepare(context);
		_exit(exec_program(argv));
	}
	running = child;
	sigprocmask(SIG_SETMASK, &mask, NULL);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	running = 0;
	signals_restore(old);
	if (child < 0)
		complain("cannot fork: %s", strerror(errno));
	/* Whoever ends one run wants no other. */
	return status == 0 ? received : status;
}
