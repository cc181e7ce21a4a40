/* SPDX-License-Identifier: MIT */
/* selftest_speed.c - one small memset, native and with the library, in turn. */
#include "selftest.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { NODES = 1000, WARM_UP = 3, ROUNDS = 11 };

static int by_value(const void *a, const void *b)
{
	const float *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* us of one replay, or -1 after a FAIL. */
static float replay(struct selftest *t, void *exec, void *begin, void *end)
{
	float ms = -1;

	if (SELFTEST_TRY(t, t->cuEventRecord(begin, t->stream)) &&
	    SELFTEST_TRY(t, t->cuGraphLaunch(exec, t->stream)) &&
	    SELFTEST_TRY(t, t->cuEventRecord(end, t->stream)) &&
	    SELFTEST_TRY(t, t->cuEventSynchronize(end)) &&
	    SELFTEST_TRY(t, t->cuEventElapsedTime(&ms, begin, end)))
		return 1000 * ms;
	return -1;
}

void selftest_speed(struct selftest *t)
{
	static const struct selftest_memset m = {256, 1, 0, 0, 7, 4};
	float times[2][ROUNDS], us;
	void *exec[2] = {NULL, NULL}, *graph, *begin, *end;
	int i, arm;

	if (dlsym(t->lib, "sim_reset")) {
		selftest_skip(t,
		              "speed: this is the simulated driver, whose times mean "
		              "nothing");
		return;
	}
	for (arm = 0; arm < 2; arm++) {
		graph = selftest_capture(t, &m, NODES, arm);
		if (!graph ||
		    !SELFTEST_TRY(t, t->cuGraphInstantiate(&exec[arm], graph, 0)))
			return;
	}
	if (!SELFTEST_TRY(t, t->cuEventCreate(&begin, 0)) ||
	    !SELFTEST_TRY(t, t->cuEventCreate(&end, 0)))
		return;
	for (i = -WARM_UP; i < ROUNDS; i++)
		for (arm = 0; arm < 2; arm++) {
			us = replay(t, exec[arm], begin, end);
			if (us < 0)
				return;
			if (i >= 0)
				times[arm][i] = us / NODES;
		}
	for (arm = 0; arm < 2; arm++)
		qsort(times[arm], ROUNDS, sizeof(float), by_value);
	if (times[1][ROUNDS / 2] <= times[0][ROUNDS / 2])
		selftest_pass(
		    t,
		    "speed: %.3f us for a memset node of 4 bytes, %.3f us with "
		    "the library, %.2f of it",
		    (double)times[0][ROUNDS / 2], (double)times[1][ROUNDS / 2],
		    (double)(times[1][ROUNDS / 2] / times[0][ROUNDS / 2]));
	else
		selftest_fail(
		    t,
		    "speed: %.3f us for a memset node of 4 bytes, %.3f us with "
		    "the library: there is nothing to gain on this machine",
		    (double)times[0][ROUNDS / 2], (double)times[1][ROUNDS / 2]);
}
