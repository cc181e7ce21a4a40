/* SPDX-License-Identifier: MIT */
/*
 * startup.c - what preloading a library adds to the life of a process without CUDA.
 *
 *     startup LIBRARY [ROUNDS]
 *
 * Runs /bin/true ROUNDS times without and ROUNDS times with LD_PRELOAD=LIBRARY,
 * alternating, and prints the two medians in microseconds: "bare B preloaded P".
 */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define MAX_ROUNDS 10000

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* One life of /bin/true, in microseconds; ends the program when it does not succeed. */
static double run(char *const env[])
{
	static char name[] = "/bin/true";
	char *const argv[] = {name, NULL};
	double start = now_us();
	int status = -1;
	pid_t child;

	errno = posix_spawn(&child, name, NULL, NULL, argv, env);
	if (errno || waitpid(child, &status, 0) != child || status != 0) {
		fprintf(stderr, "startup: %s: %s, status %d\n", name, strerror(errno),
		        status);
		exit(1);
	}
	return now_us() - start;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *samples, int n)
{
	qsort(samples, (size_t)n, sizeof *samples, compare);
	return n % 2 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
}

int main(int argc, char **argv)
{
	static double bare[MAX_ROUNDS], preloaded[MAX_ROUNDS];
	int rounds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 300, i;
	char *const none[] = {NULL};
	char setting[4096];
	char *const with[] = {setting, NULL};

	if (argc < 2 || rounds < 1 || rounds > MAX_ROUNDS) {
		fprintf(stderr, "usage: startup LIBRARY [ROUNDS]\n");
		return 2;
	}
	snprintf(setting, sizeof setting, "LD_PRELOAD=%s", argv[1]);
	for (i = 0; i < 10; i++) {
		run(none);
		run(with);
	}
	for (i = 0; i < rounds; i++) {
		/* Whichever is first in a pair gains or loses nothing by it. */
		if (i % 2)
			bare[i] = run(none);
		preloaded[i] = run(with);
		if (i % 2 == 0)
			bare[i] = run(none);
	}
	printf("bare %.1f preloaded %.1f\n", median(bare, rounds),
	       median(preloaded, rounds));
	return 0;
}
