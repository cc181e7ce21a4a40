/* SPDX-License-Identifier: MIT */
/*
 * A capture that is spoiled midway, or left behind by a destroyed stream: every memset
 * after that says what it says natively, nothing is printed and nothing is left over,
 * and captures afterwards hold fills.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "drv_arms.h"

#define ROUNDS 20

static int stderr_was, printed_to;

/* From now on stderr is a file in memory, which starts empty. */
static void listen(void)
{
	fflush(stderr);
	stderr_was = dup(2);
	printed_to = memfd_create("stderr", 0);
	if (stderr_was < 0 || printed_to < 0 || dup2(printed_to, 2) < 0)
		bail("no file in memory");
}

/* How many bytes have been printed since then; shows them. */
static size_t printed(void)
{
	char text[512];
	ssize_t n;

	fflush(stderr);
	dup2(stderr_was, 2);
	n = pread(printed_to, text, sizeof text - 1, 0);
	close(printed_to);
	close(stderr_was);
	if (n > 0) {
		text[n] = '\0';
		printf("# printed: %s\n", text);
	}
	return n > 0 ? (size_t)n : 0;
}

/* Of every kind. */
static void memsets(struct arm *a, CUstream stream)
{
	struct drv_set m = {.dst = a->memory + 64,
	                    .value = 0x01020304,
	                    .width = 16,
	                    .height = 3,
	                    .pitch = 128};

	for (m.elem = 1; m.elem <= 4; m.elem *= 2)
		for (m.rows = 0; m.rows < 2; m.rows++)
			for (m.twin = 0; m.twin < 2; m.twin++)
				arm_note(a, drv_memset(&m, stream));
}

/* --- ways to spoil it --------------------------------------------------------------
 */

/* Allocating is unsafe in the thread's own capture, but in relaxed mode. */
static CUresult allocate(CUstream stream)
{
	CUdeviceptr at;
	CUresult result = cuMemAlloc(&at, 256);

	(void)stream;
	if (result == CUDA_SUCCESS)
		must(cuMemFree(at));
	return result;
}

static CUresult synchronize(CUstream stream)
{
	return cuStreamSynchronize(stream);
}

static CUresult query(CUstream stream)
{
	return cuStreamQuery(stream);
}

static CUresult synchronize_context(CUstream stream)
{
	(void)stream;
	return cuCtxSynchronize();
}

static CUresult (*spoil)(CUstream stream);
static CUstreamCaptureMode mode;

/* A forked stream's memsets are spoiled with the first one's. */
static CUgraph spoiled(struct arm *a)
{
	CUstream forked = drv_stream();
	CUgraph graph = NULL;
	CUevent event;

	must(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	arm_begin(a, mode);
	arm_set(a, 64, 0x11, 100);
	must(cuEventRecord(event, a->stream));
	must(cuStreamWaitEvent(forked, event, 0));
	arm_note(a, cuMemsetD8Async(a->memory + 64, 0x12, 10, forked));
	arm_note(a, spoil(a->stream));
	memsets(a, a->stream);
	memsets(a, forked);
	arm_note(a, drv_launch_copy(a->memory, a->memory + 64, 10, a->stream, 1));
	arm_note(a, cuStreamEndCapture(a->stream, &graph));
	arm_note(a, graph != NULL);
	if (graph)
		must(cuGraphDestroy(graph));
	must(cuEventDestroy(event));
	must(cuStreamDestroy(forked));
	/* And now one that is well. */
	arm_begin(a, mode);
	memsets(a, a->stream);
	return arm_end(a);
}

/* The stream goes in the middle of its capture; the handle may come again. */
static CUgraph left_behind(struct arm *a)
{
	CUstream lost = drv_stream(), forked = drv_stream();
	CUevent event;
	CUgraph graph = NULL;

	must(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	must(cuStreamBeginCapture(lost, mode));
	arm_note(a, cuMemsetD8Async(a->memory + 64, 0x11, 100, lost));
	must(cuEventRecord(event, lost));
	must(cuStreamWaitEvent(forked, event, 0));
	arm_note(a, cuMemsetD8Async(a->memory + 64, 0x12, 10, forked));
	arm_note(a, cuStreamDestroy(lost));
	memsets(a, forked);
	arm_note(a, cuStreamEndCapture(forked, &graph));
	arm_note(a, cuStreamDestroy(forked));
	arm_note(a, cuEventDestroy(event));
	/* A driver that goes on forbidding what the capture forbade ends this here. */
	if (arm_note(a, allocate(a->stream)) != CUDA_SUCCESS)
		return NULL;
	arm_begin(a, mode);
	memsets(a, a->stream);
	return arm_end(a);
}

/* Into a graph of the program's, which keeps what was captured before. */
static CUgraph spoiled_into_a_graph(struct arm *a)
{
	CUresult (*to_graph)(CUstream, CUgraph, const CUgraphNode *,
	                     const CUgraphEdgeData *, size_t, CUstreamCaptureMode);
	CUgraph graph, same = NULL;
	CUgraphNode first;

	*(void **)&to_graph = drv_entry("cuStreamBeginCaptureToGraph");
	if (!to_graph)
		return NULL;
	must(cuGraphCreate(&graph, 0));
	first = arm_add(a, graph, NULL, 0, 64, 0x11, 100);
	must(to_graph(a->stream, graph, &first, NULL, 1, mode));
	arm_set(a, 100, 0x12, 100);
	arm_note(a, cuStreamSynchronize(a->stream));
	memsets(a, a->stream);
	arm_note(a, cuStreamEndCapture(a->stream, &same));
	arm_note(a, same == graph);
	arm_shape(a, graph);
	must(cuGraphDestroy(graph));
	return NULL;
}

/* --- and what it costs -------------------------------------------------------------
 */

static void quietly(const char *what, CUgraph (*scenario)(struct arm *a))
{
	listen();
	arms(what, scenario, 0);
	is(printed(), 0, "%s: nothing is printed", what);
}

/* As much is there afterwards as before, however often. */
static void nothing_left(const char *what, CUgraph (*scenario)(struct arm *a))
{
	struct sim_live before, after;
	struct arms r;
	int i, good = 1;

	if (!drv_is_sim()) {
		skip("only a simulated driver tells what is left over");
		return;
	}
	before = sim_live();
	for (i = 0; i < ROUNDS; i++) {
		r = arms_run(scenario, 0, arms_ctx, arms_stream, arms_memory);
		good &= r.results && r.kinds && r.bytes;
	}
	after = sim_live();
	ok(good, "%s: the same, %d times more", what, ROUNDS);
	is(after.graphs, before.graphs, "%s: no graph is left", what);
	is(after.streams, before.streams, "%s: no stream", what);
	is(after.libraries, before.libraries, "%s: no library", what);
	is(after.allocations, before.allocations, "%s: no memory", what);
}

static const struct {
	const char *what;
	CUresult (*spoil)(CUstream stream);
} ways[] = {
    {"an allocation", allocate},
    {"waiting for the stream", synchronize},
    {"asking whether it is done", query},
    {"waiting for the context", synchronize_context},
};

static const char *const modes[] = {"global", "thread-local", "relaxed"};

int main(void)
{
	char what[80];
	size_t i;
	int k;

	arms_start();
	for (k = 0; k < 3; k++) {
		mode = (CUstreamCaptureMode)k;
		for (i = 0; i < sizeof ways / sizeof *ways; i++) {
			spoil = ways[i].spoil;
			snprintf(what, sizeof what, "%s, %s mode", ways[i].what,
			         modes[k]);
			/* What relaxed mode allows spoils nothing, and is no test. */
			if (spoil != allocate || k != CU_STREAM_CAPTURE_MODE_RELAXED)
				quietly(what, spoiled);
		}
		snprintf(what, sizeof what, "into a graph, %s mode", modes[k]);
		quietly(what, spoiled_into_a_graph);
	}
	spoil = synchronize;
	nothing_left("a spoiled capture", spoiled);
	nothing_left("a spoiled graph", spoiled_into_a_graph);
	/* The strictest mode last: nobody promises that a driver forgets it. */
	for (k = 2; k >= 0; k--) {
		mode = (CUstreamCaptureMode)k;
		snprintf(what, sizeof what, "a destroyed stream, %s mode", modes[k]);
		quietly(what, left_behind);
	}
	nothing_left("a destroyed stream", left_behind);
	return done();
}
