/* SPDX-License-Identifier: MIT */
/*
 * selftest_speed.c - one small memset, native and with the library, in turn.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "selftest.h"

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

/* A chain of them, ready to be launched; NULL after a FAIL or SKIP. */
static void *chain(struct selftest *t, int shim)
{
	static const struct selftest_memset m = {256, 1, 0, 0, 7, 4};
	void *graph = selftest_capture(t, &m, NODES, shim), *exec = NULL;
	int type = selftest_nodes_type(t, graph, NODES);

	if (type == (shim ? NODE_KERNEL : NODE_MEMSET)) {
		if (!SELFTEST_TRY(t, t->cuGraphInstantiate(&exec, graph, 0)))
			exec = NULL;
	} else if (type != SELFTEST_BROKEN) {
		selftest_skip(t, "the nodes are not what they should be, so there is "
		                 "nothing to compare");
	}
	if (graph)
		t->cuGraphDestroy(graph);
	return exec;
}

/* us of a memset, sorted; 0 after a FAIL. */
static int measure(struct selftest *t, void *const exec[2], float times[2][ROUNDS])
{
	void *begin, *end;
	float us;
	int i, arm;

	if (!SELFTEST_TRY(t, t->cuEventCreate(&begin, 0)) ||
	    !SELFTEST_TRY(t, t->cuEventCreate(&end, 0)))
		return 0;
	for (i = -WARM_UP; i < ROUNDS; i++)
		for (arm = 0; arm < 2; arm++) {
			us = replay(t, exec[arm], begin, end);
			if (us < 0)
				return 0;
			if (i >= 0)
				times[arm][i] = us / NODES;
		}
	for (arm = 0; arm < 2; arm++)
		qsort(times[arm], ROUNDS, sizeof(float), by_value);
	return 1;
}

static void judge(struct selftest *t, double native, double shimmed)
{
	if (native <= 0 || shimmed <= 0)
		selftest_skip(t, "the driver's events say that it takes no time");
	else if (shimmed <= native)
		selftest_pass(t,
		              "%.3f us for a memset node of 4 bytes, %.3f us with "
		              "the library, %.2f of it",
		              native, shimmed, shimmed / native);
	else
		selftest_fail(t,
		              "%.3f us for a memset node of 4 bytes, %.3f us with "
		              "the library, %.2f of it: there is nothing to gain on "
		              "this machine, or it was busy",
		              native, shimmed, shimmed / native);
}

void selftest_speed(struct selftest *t)
{
	float times[2][ROUNDS];
	void *exec[2] = {NULL, NULL};

	t->what = "speed";
	if (dlsym(t->lib, "sim_reset")) {
		selftest_skip(t, "this is the simulated driver, whose times mean "
		                 "nothing");
		return;
	}
	exec[0] = chain(t, 0);
	if (exec[0])
		exec[1] = chain(t, 1);
	if (exec[1] && measure(t, exec, times))
		judge(t, (double)times[0][ROUNDS / 2], (double)times[1][ROUNDS / 2]);
	if (exec[0])
		t->cuGraphExecDestroy(exec[0]);
	if (exec[1])
		t->cuGraphExecDestroy(exec[1]);
}
