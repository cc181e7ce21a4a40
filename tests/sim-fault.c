/* SPDX-License-Identifier: MIT */
/*
 * Whichever driver function fails under the shim, at its first to fifth call, the
 * program sees what it would have seen without the shim: success, a graph with the
 * right nodes and bytes, its own context and capture mode; a memset node may stand
 * where a kernel would have.  Nothing is left over, and afterwards all is well.
 */
#include <string.h>

#include "fault_scenes.h"

#define CALLS 5

static const char *const functions[] = {
#define HOOK(name, params)
#define CALL_NEEDED(name, params) #name,
#define CALL(name, params) #name,
#include "../shim/symbols.def"
#undef HOOK
#undef CALL_NEEDED
#undef CALL
};

/* What a child exits with. */
enum { GOOD, GOOD_UNCALLED, BAD };

/* --- faults ----------------------------------------------------------------------- */

struct fault {
	const char *function;
	int nth;
	CUresult result;
	const struct scenario *scenario;
};

/* No function's name is the beginning of another's here. */
static int among(const char *function, const char *list)
{
	return strstr(list, function) != NULL;
}

/* Where nothing else has failed there is nothing to unload. */
static int is_unload(const struct fault *fault)
{
	return !strcmp(fault->function, "cuLibraryUnload");
}

static void arm(const struct fault *fault)
{
	sim_reset();
	sim_fail(fault->function, fault->nth, fault->result);
	if (is_unload(fault))
		sim_fail("cuLibraryGetKernel", 2, CUDA_ERROR_NOT_FOUND);
}

/* What failed once is not tried again, so that all captures agree. */
static int sticky(const struct fault *fault)
{
	return among(fault->function,
	             "cuThreadExchangeStreamCaptureMode cuLibraryLoadData "
	             "cuLibraryGetKernel cuLibraryUnload cuDriverGetVersion");
}

/* --- what has to be as it was ----------------------------------------------------- */

struct state {
	CUcontext current;
	int depth; /* of the stack of contexts */
	CUstreamCaptureMode mode;
	struct sim_live live;
};

static struct state state_now(void)
{
	CUcontext stack[64];
	struct state now = {.mode = CU_STREAM_CAPTURE_MODE_GLOBAL};
	CUstreamCaptureMode mode;
	int i;

	must(cuCtxGetCurrent(&now.current));
	while (now.depth < 64 && cuCtxPopCurrent(&stack[now.depth]) == CUDA_SUCCESS)
		now.depth++;
	for (i = now.depth; i > 0; i--)
		must(cuCtxPushCurrent(stack[i - 1]));
	must(cuThreadExchangeStreamCaptureMode(&now.mode));
	mode = now.mode;
	must(cuThreadExchangeStreamCaptureMode(&mode));
	now.live = sim_live();
	return now;
}

static int same_state(const struct state *a, const struct state *b)
{
	return holds(a->current == b->current) & holds(a->depth == b->depth) &
	       holds(a->mode == b->mode) & holds(a->live.graphs == b->live.graphs) &
	       holds(a->live.streams == b->live.streams) &
	       holds(a->live.allocations == b->live.allocations);
}

/*
 * The whole of a scenario, up to replay and clearing up, 1 when the program saw nothing
 * strange: *kernels of its memsets are kernel nodes.
 */
static int play(struct scene *s, const struct scenario *scenario,
                const struct fault *fault, int *called, size_t *kernels)
{
	unsigned char got[SIZE];
	struct state before = state_now(), after;
	CUresult replayed = CUDA_ERROR_UNKNOWN;
	CUgraph graph;
	int good;

	memset(s->want, 0, sizeof s->want);
	s->memsets = s->others = 0;
	drv_write(s->p, s->want, sizeof s->want);
	if (fault)
		arm(fault);
	graph = scenario->make(s);
	if (graph)
		replayed = drv_replay(graph, s->stream, 1);
	*called = fault && sim_calls(fault->function) >= fault->nth;
	sim_reset();
	if (!graph)
		return 0;
	*kernels = drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL);
	/* Its own kernels, which alone ask for overlap. */
	if (scenario->make == overlap)
		*kernels -= s->others;
	good =
	    holds(replayed == CUDA_SUCCESS) &
	    holds(drv_nodes(graph) - drv_count(graph, CU_GRAPH_NODE_TYPE_EMPTY) ==
	          s->memsets + s->others) &
	    holds(*kernels + drv_count(graph, CU_GRAPH_NODE_TYPE_MEMSET) == s->memsets);
	drv_read(got, s->p, sizeof got);
	good &= holds(!memcmp(got, s->want, sizeof got));
	must(cuGraphDestroy(graph));
	after = state_now();
	return good & same_state(&before, &after);
}

static void set_up(struct scene *s, int flags)
{
	CUcontext primary = drv_start();

	drv_kernel("sim_copy_bytes"); /* a library of the program's own */
	s->ctx = primary;
	if (flags & FOREIGN)
		s->ctx = drv_context();
	s->stream = drv_stream();
	if (flags & POOL) {
		must(cuMemAllocAsync(&s->p, SIZE, s->stream));
		must(cuStreamSynchronize(s->stream));
	} else {
		s->p = drv_alloc(SIZE);
	}
	if (flags & FOREIGN)
		must(cuCtxPushCurrent(primary));
}

static int disturbed(void *arg)
{
	const struct fault *fault = arg;
	int called, again, uncalled, libraries;
	struct scene s = {0};
	size_t kernels;

	/* The warnings that all this gives are another test's. */
	if (!freopen("/dev/null", "w", stderr))
		return BAD;
	set_up(&s, fault->scenario->flags);
	if (!play(&s, fault->scenario, fault, &called, &kernels))
		return BAD;
	uncalled = !called && !is_unload(fault);
	if (uncalled && !holds(kernels == s.memsets))
		return BAD;
	/* Undisturbed: all is well again. */
	if (!play(&s, fault->scenario, NULL, &again, &kernels) ||
	    !holds(kernels == s.memsets || (!kernels && !uncalled && sticky(fault))))
		return BAD;
	/* Kernels that could not be found are unloaded, if the driver lets us. */
	libraries = 1 + (kernels || (called && is_unload(fault)));
	if (!holds(sim_live().libraries == libraries))
		return BAD;
	return uncalled ? GOOD_UNCALLED : GOOD;
}

/* The scenarios call these themselves, and see the error that they are given. */
static int is_programs_own(const char *function)
{
	return among(function, "cuGraphCreate cuGraphDestroy "
	                       "cuGraphInstantiateWithFlags cuGraphExecDestroy");
}

/* FAULTS=few, for where a child takes a hundred times as long: two calls, one error. */
static int few(void)
{
	const char *faults = getenv("FAULTS");

	return faults && !strcmp(faults, "few");
}

/* How many of the faults were met. */
static int all_faults_of(const char *function, const struct scenario *scenario)
{
	static const CUresult results[] = {
	    CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_UNKNOWN};
	struct fault f = {.function = function, .scenario = scenario};
	int good = 1, called = 0, calls = few() ? 2 : CALLS;
	size_t i;

	for (f.nth = 1; f.nth <= calls; f.nth++)
		for (i = few() ? COUNT(results) - 1 : 0; i < COUNT(results); i++) {
			int result;

			f.result = results[i];
			result = drv_child(disturbed, &f);
			called += result == GOOD;
			if (result == GOOD || result == GOOD_UNCALLED)
				continue;
			good = 0;
			printf("# status %d after call %d gave %d\n", result, f.nth,
			       (int)f.result);
		}
	ok(good, "%s fails at call 1 to %d: %s", function, calls, scenario->what);
	return called;
}

int main(void)
{
	size_t i, k;

	if (!drv_is_sim())
		skip_all("needs the simulated driver");
	for (i = 0; i < COUNT(functions); i++) {
		int called = 0;

		if (is_programs_own(functions[i]))
			continue;
		for (k = 0; k < COUNT(scenarios); k++)
			called += all_faults_of(functions[i], &scenarios[k]);
		ok(called > 0, "%s did fail, %d times", functions[i], called);
	}
	return done();
}
