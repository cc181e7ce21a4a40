/* SPDX-License-Identifier: MIT */
/*
 * hunt.c - many programs, hundreds of them in a process, until enough fail.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "search.h"

/* The simulated driver keeps all graph memory there ever was, and grows slow. */
#define SLICE (drv_is_sim() ? (uint64_t)250 : (uint64_t)5000)

struct job {
	struct hunt *h;
	uint64_t from, to, now; /* the seeds of a slice, and the one at work */
	uint64_t failed[MAX_FAILURES];
	int status[MAX_FAILURES];
	int failures;
	struct counters counters;
};

static struct {
	struct job *job; /* shared with the children */
	int *failures;   /* of all jobs */
} shared;

static void *share(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
	                -1, 0);

	if (at == MAP_FAILED)
		bail("no memory to share");
	return at;
}

/* Returns 1 for a program that failed: job->now. */
static int slice(void *arg)
{
	static struct program p;
	struct job *job = arg;

	world_open();
	if (job->now == job->h->first && job->h->how == CORRUPT_NOTHING)
		world_say();
	for (; job->now < job->to; job->now++) {
		if (job->now % 64 == 0)
			alarm(120);
		generate(&p, job->now, world.features, job->h->how);
		if (compare_arms(&p, job->h->how, &job->counters) != SAME)
			return 1;
		if (__atomic_load_n(shared.failures, __ATOMIC_RELAXED) >=
		    job->h->wanted)
			break;
	}
	return 0;
}

static void run_slice(struct job *job, uint64_t from, uint64_t to)
{
	job->from = job->now = from;
	job->to = to;
	while (job->now < job->to) {
		int status = drv_child(slice, job);

		if (!status)
			return;
		if (job->failures < MAX_FAILURES) {
			job->status[job->failures] = status;
			job->failed[job->failures++] = job->now;
		}
		__atomic_add_fetch(shared.failures, 1, __ATOMIC_RELAXED);
		if (*shared.failures >= job->h->wanted)
			return;
		job->now++;
	}
}

static void run_job(struct hunt *h, int number)
{
	struct job *job = &shared.job[number];
	uint64_t at, end = h->first + h->programs;

	job->h = h;
	for (at = h->first + (uint64_t)number * SLICE;
	     at < end && *shared.failures < h->wanted; at += (uint64_t)h->jobs * SLICE)
		run_slice(job, at, at + SLICE < end ? at + SLICE : end);
}

static void add_up(struct hunt *h, const struct job *job)
{
	int i;

	h->counters.programs += job->counters.programs;
	h->counters.calls += job->counters.calls;
	h->counters.graphs += job->counters.graphs;
	h->counters.loose += job->counters.loose;
	h->counters.odd += job->counters.odd;
	h->counters.failed_calls += job->counters.failed_calls;
	for (i = 0; i < 2; i++)
		h->counters.kernels[i] += job->counters.kernels[i];
	for (i = 0; i < job->failures && h->failures < MAX_FAILURES; i++) {
		h->status[h->failures] = job->status[i];
		h->failed[h->failures++] = job->failed[i];
	}
}

void hunt(struct hunt *h)
{
	const size_t bytes = (size_t)h->jobs * sizeof *shared.job;
	int i, status;
	pid_t pid;

	shared.job = share(bytes);
	shared.failures = share(sizeof *shared.failures);
	fflush(stdout);
	for (i = 0; i < h->jobs; i++) {
		pid = fork();
		if (pid < 0)
			bail("no child");
		if (pid == 0) {
			run_job(h, i);
			_exit(0);
		}
	}
	for (i = 0; i < h->jobs; i++)
		if (wait(&status) < 0 || status)
			bail("a job that ended with status %#x", (unsigned int)status);
	for (i = 0; i < h->jobs; i++)
		add_up(h, &shared.job[i]);
	munmap(shared.job, bytes);
	munmap(shared.failures, sizeof *shared.failures);
}
