/* SPDX-License-Identifier: MIT */
/*
 * Whichever driver function fails under the shim, at its first to fifth call, the
 * program sees what it would have seen without the shim: success, a graph with the
 * right nodes and bytes, its own context and capture mode; a memset node may stand
 * where a kernel would have.  Nothing is left over, and afterwards all is well.
 */
#include <string.h>

#include "drv.h"

#define SIZE 4096u
#define CALLS 5

#define COUNT(array) (sizeof(array) / sizeof *(array))

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

/* --- scenarios -------------------------------------------------------------------- */

struct scene {
	CUstream stream;
	CUdeviceptr p; /* SIZE bytes */
	unsigned char want[SIZE];
	size_t memsets; /* that is, nodes which may be either kind */
	size_t others;  /* the program's own kernels */
	CUcontext ctx;
};

static void begin(struct scene *s)
{
	must(cuStreamBeginCapture(s->stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
}

static CUgraph end(struct scene *s)
{
	CUgraph graph = NULL;

	must(cuStreamEndCapture(s->stream, &graph));
	return graph;
}

/* One memset on the stream; m.dst counts from the scene's memory. */
static void set(struct scene *s, struct drv_set m)
{
	m.dst += s->p;
	must(drv_memset(&m, s->stream));
	drv_apply(&m, s->want, s->p);
	s->memsets++;
}

#define SET(...) set(s, (struct drv_set){__VA_ARGS__})

/* A kernel for bytes, words, quads and ranges each. */
static CUgraph lines(struct scene *s)
{
	begin(s);
	SET(.elem = 1, .dst = 1, .value = 0x11, .width = 99);
	SET(.elem = 2, .dst = 100, .value = 0x2222, .width = 50);
	SET(.elem = 4, .dst = 256, .value = 0x33333333, .width = 64);
	SET(.elem = 4, .dst = 512, .value = 0x44444444, .width = 500);
	SET(.elem = 1, .dst = 3001, .value = 0x55, .width = 999, .twin = 1);
	return end(s);
}

static CUgraph rows(struct scene *s)
{
	struct drv_set m = {
	    .rows = 1, .value = 0x61626364, .width = 9, .height = 5, .pitch = 64};

	begin(s);
	for (m.elem = 1; m.elem <= 4; m.elem *= 2, m.dst += 400)
		set(s, m);
	m.elem = 1;
	m.twin = 1;
	set(s, m);
	SET(.rows = 1, .elem = 1, .dst = 2000, .value = 7, .width = 64, .height = 20,
	    .pitch = 64);
	return end(s);
}

/* The nodes go to a graph that the program has made. */
static CUgraph into_graph(struct scene *s)
{
	CUgraph graph, same = NULL;

	must(cuGraphCreate(&graph, 0));
	must(cuStreamBeginCaptureToGraph(s->stream, graph, NULL, NULL, 0,
	                                 CU_STREAM_CAPTURE_MODE_RELAXED));
	SET(.elem = 1, .value = 1, .width = 1000);
	SET(.elem = 1, .dst = 500, .value = 2, .width = 1000);
	SET(.rows = 1, .elem = 1, .value = 3, .width = 9, .height = 5, .pitch = 64);
	must(cuStreamEndCapture(s->stream, &same));
	return holds(same == graph) ? graph : NULL;
}

/* A kernel that asks to overlap with what is before it. */
static CUgraph overlap(struct scene *s)
{
	begin(s);
	SET(.elem = 1, .value = 0x71, .width = 1000);
	must(drv_launch_copy(s->p + 2000, s->p, 1000, s->stream, 1));
	memcpy(s->want + 2000, s->want, 1000);
	s->others++;
	SET(.elem = 1, .value = 0x72, .width = 500);
	must(drv_launch_copy(s->p + 3000, s->p, 500, s->stream, 1));
	memcpy(s->want + 3000, s->want, 500);
	s->others++;
	return end(s);
}

/* What fails is tried again, as natively: then nothing has changed. */
#define TWICE(call)                 \
	do {                        \
		if (call)           \
			must(call); \
	} while (0)

/* Explicit nodes, changed in their graph. */
static CUgraph nodes(struct scene *s)
{
	CUDA_MEMSET_NODE_PARAMS line = {.dst = s->p,
	                                .value = 0x81,
	                                .elementSize = 1,
	                                .width = 300,
	                                .height = 1},
	                        rows = {.dst = s->p + 1000,
	                                .pitch = 64,
	                                .value = 0x8283,
	                                .elementSize = 2,
	                                .width = 9,
	                                .height = 5},
	                        held;
	CUgraphNode node[2];
	CUgraphExec exec;
	CUgraph graph;
	size_t i;

	must(cuGraphCreate(&graph, 0));
	must(cuGraphAddMemsetNode(&node[0], graph, NULL, 0, &line, s->ctx));
	must(cuGraphAddMemsetNode(&node[1], graph, node, 1, &rows, s->ctx));
	rows.value = 0x8485;
	TWICE(cuGraphMemsetNodeSetParams(node[1], &rows));
	TWICE(cuGraphMemsetNodeGetParams(node[1], &held));
	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	TWICE(cuGraphExecMemsetNodeSetParams(exec, node[0], &line, s->ctx));
	must(cuGraphExecDestroy(exec));
	if (!holds(held.value == rows.value) || !holds(held.width == rows.width))
		return NULL;
	s->memsets = 2;
	memset(s->want, 0x81, 300);
	for (i = 0; i < (size_t)9 * 5 * 2; i++)
		s->want[1000 + i / 18 * 64 + i % 18] = i % 2 ? 0x84 : 0x85;
	return graph;
}

enum {
	FOREIGN = 1, /* the stream belongs to another context than the current one */
	POOL = 2     /* the memory is a pool's, so no context's */
};

/* make() does the program's work, in which a function fails, up to the graph. */
static const struct scenario {
	const char *what;
	CUgraph (*make)(struct scene *s);
	int flags;
} scenarios[] = {
    {"memsets", lines, 0},
    {"rows", rows, 0},
    {"memsets into a graph", into_graph, 0},
    {"memsets, stream of another context", lines, FOREIGN},
    {"rows, stream of another context", rows, FOREIGN},
    {"memsets of pool memory", lines, POOL},
    {"rows of pool memory, stream of another context", rows, POOL | FOREIGN},
    {"kernels that overlap", overlap, 0},
    {"explicit nodes", nodes, 0},
    {"explicit nodes, another context", nodes, FOREIGN},
};

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
	*kernels = drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL) - s->others;
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
