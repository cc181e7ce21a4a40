/* SPDX-License-Identifier: MIT */
/*
 * A program that something is injected into.  Its arguments are what it does, in order:
 * init (and print a line of JSON), play (what the mock of CUPTI has), fork (both go on;
 * the parent waits at its end), until=FILE (is there, or 20 s have gone), logged=TEXT
 * (is in the mock's log, or 20 s have gone), and the ends _exit, abort, term and a
 * number, for exit().
 */
#include <cuda.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child = -1;

static void init(void)
{
	void *lib = dlopen("libcuda.so.1", RTLD_NOW);
	__typeof__(cuInit) *initialize;

	if (!lib) {
		fprintf(stderr, "injected: %s\n", dlerror());
		exit(1);
	}
	*(void **)&initialize = dlsym(lib, "cuInit");
	printf("{\"program\": \"injected\", \"cuInit\": %d}\n", initialize(0));
	fflush(stdout);
}

static void play(void)
{
	void *lib = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
	void (*mock_play)(void);

	if (!lib)
		return;
	*(void **)&mock_play = dlsym(lib, "mock_cupti_play");
	if (mock_play)
		mock_play();
}

static void wait_until(const char *file)
{
	int tries;

	for (tries = 0; access(file, F_OK) != 0 && tries < 2000; tries++)
		usleep(10000);
}

static int is_logged(const char *text)
{
	const char *path = getenv("MOCK_CUPTI_LOG");
	FILE *file = path ? fopen(path, "re") : NULL;
	char line[256];
	int found = 0;

	while (file && !found && fgets(line, sizeof line, file))
		found = strstr(line, text) != NULL;
	if (file)
		fclose(file);
	return found;
}

static void wait_logged(const char *text)
{
	int tries;

	for (tries = 0; !is_logged(text) && tries < 2000; tries++)
		usleep(10000);
}

static void act(const char *what)
{
	if (!strcmp(what, "init"))
		init();
	else if (!strcmp(what, "play"))
		play();
	else if (!strcmp(what, "fork"))
		child = fork();
	else if (!strncmp(what, "until=", 6))
		wait_until(what + 6);
	else if (!strncmp(what, "logged=", 7))
		wait_logged(what + 7);
	else if (!strcmp(what, "_exit"))
		_exit(0);
	else if (!strcmp(what, "abort"))
		abort();
	else if (!strcmp(what, "term"))
		raise(SIGTERM);
	else
		exit(atoi(what));
}

int main(int argc, char **argv)
{
	int i, status = 0;

	for (i = 1; i < argc; i++)
		act(argv[i]);
	if (child > 0 && (waitpid(child, &status, 0) != child || status != 0))
		return 1;
	return 0;
}
