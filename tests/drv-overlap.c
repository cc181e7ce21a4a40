/* SPDX-License-Identifier: MIT */
/*
 * A kernel launched with programmatic stream serialization depends on the memsets
 * before it by full edges, in one stream and across streams, as it does natively; what
 * does not ask for overlap gets no node more.
 */
#include <string.h>

#include "drv.h"

#define SIZE 4096u
#define MAX_NODES 16
#define MAX_EDGES 32

static CUstream stream, side;
static CUevent event;
static CUdeviceptr memory, copy;

static void set(CUstream s, unsigned int part)
{
	must(cuMemsetD8Async(memory + (size_t)part * SIZE, (unsigned char)(part + 1),
	                     SIZE, s));
}

/* One stream waits for what another one has captured. */
static void after(CUstream waits, CUstream is_waited_for)
{
	must(cuEventRecord(event, is_waited_for));
	must(cuStreamWaitEvent(waits, event, 0));
}

static void behind_one(int overlap)
{
	set(stream, 0);
	must(drv_launch_copy(copy, memory, SIZE, stream, overlap));
}

static void behind_a_row(int overlap)
{
	set(stream, 0);
	set(stream, 1);
	must(drv_launch_copy(copy, memory, (size_t)2 * SIZE, stream, overlap));
}

static void through_an_event(int overlap)
{
	set(stream, 0);
	after(side, stream);
	must(drv_launch_copy(copy, memory, SIZE, side, overlap));
	after(stream, side);
}

static void behind_a_join(int overlap)
{
	after(side, stream);
	set(stream, 0);
	set(side, 1);
	after(stream, side);
	must(drv_launch_copy(copy, memory, (size_t)2 * SIZE, stream, overlap));
}

static void behind_memset_and_kernel(int overlap)
{
	after(side, stream);
	set(stream, 0);
	must(drv_launch_copy(copy + SIZE, memory + SIZE, SIZE, side, 0));
	after(stream, side);
	must(drv_launch_copy(copy, memory, SIZE, stream, overlap));
}

static void behind_a_kernel(int overlap)
{
	set(stream, 0);
	must(drv_launch_copy(copy, memory, SIZE, stream, 0));
	must(drv_launch_copy(copy, memory, SIZE, stream, overlap));
}

static void twice(int overlap)
{
	behind_one(overlap);
	behind_one(overlap);
}

/* What arrives at each kernel that is not a fill, empty nodes looked through. */
struct incoming {
	size_t full, programmatic, nodes, empty;
};

static struct incoming incoming(CUgraph graph)
{
	CUresult (*get_edges)(CUgraph, CUgraphNode *, CUgraphNode *, CUgraphEdgeData *,
	                      size_t *);
	CUgraphNode from[MAX_EDGES], to[MAX_EDGES];
	CUgraphEdgeData data[MAX_EDGES];
	struct incoming found = {.nodes = drv_nodes(graph),
	                         .empty = drv_count(graph, CU_GRAPH_NODE_TYPE_EMPTY)};
	size_t n = MAX_EDGES, i;

	*(void **)&get_edges = drv_entry("cuGraphGetEdges_v2");
	must(get_edges(graph, from, to, data, &n));
	for (i = 0; i < n; i++) {
		found.programmatic +=
		    data[i].type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
		found.full += data[i].type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT &&
		              !data[i].from_port;
	}
	return found;
}

static int bytes_right(CUgraph graph, unsigned int parts)
{
	unsigned char got[2 * SIZE];
	size_t i, bad = 0;
	int times;

	for (times = 0; times < 3; times++) {
		drv_dirty(got, sizeof got, (unsigned int)times);
		drv_write(memory, got, sizeof got);
		drv_write(copy, got, sizeof got);
		must(drv_replay(graph, stream, 1));
		drv_read(got, copy, sizeof got);
		for (i = 0; i < (size_t)parts * SIZE; i++)
			bad += got[i] != i / SIZE + 1;
	}
	return !bad;
}

static CUgraph captured(void (*body)(int), int overlap, int shimmed)
{
	CUgraph graph;

	drv_shim(shimmed);
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	body(overlap);
	must(cuStreamEndCapture(stream, &graph));
	drv_shim(1);
	return graph;
}

static void check(const char *what, void (*body)(int), unsigned int parts, size_t added)
{
	CUgraph native = captured(body, 1, 0), ours = captured(body, 1, 1),
	        plain = captured(body, 0, 1), plain_native = captured(body, 0, 0);
	struct incoming n = incoming(native), o = incoming(ours);

	is(drv_count(ours, CU_GRAPH_NODE_TYPE_MEMSET), 0, "%s: fills", what);
	is(o.programmatic, n.programmatic, "%s: %zu programmatic edges, as natively",
	   what, n.programmatic);
	is(o.empty, added, "%s: %zu empty nodes bring the full edges back", what,
	   added);
	is(o.nodes, n.nodes + added, "%s: and no other node is added", what);
	ok(bytes_right(native, parts), "%s: right bytes natively", what);
	ok(bytes_right(ours, parts), "%s: right bytes", what);
	is(drv_nodes(plain), drv_nodes(plain_native), "%s: without overlap none", what);
	ok(bytes_right(plain, parts), "%s: without overlap right bytes", what);
	must(cuGraphDestroy(native));
	must(cuGraphDestroy(ours));
	must(cuGraphDestroy(plain));
	must(cuGraphDestroy(plain_native));
}

/* The launch's own result comes back, and the capture lives on. */
static void bad_launches(void)
{
	CUlaunchConfig config = {.gridDimX = 1,
	                         .gridDimY = 1,
	                         .gridDimZ = 1,
	                         .blockDimX = 1,
	                         .blockDimY = 1,
	                         .blockDimZ = 1,
	                         .hStream = stream};
	CUresult result[2], none[2];
	CUgraph graph;
	int on;

	for (on = 0; on < 2; on++) {
		drv_shim(on);
		must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
		set(stream, 0);
		result[on] = cuLaunchKernelEx(&config, NULL, NULL, NULL);
		none[on] =
		    cuLaunchKernelEx(NULL, drv_kernel("sim_copy_bytes"), NULL, NULL);
		must(cuStreamEndCapture(stream, &graph));
		is(drv_nodes(graph), 1, "a launch that fails adds no node (shim %d)",
		   on);
		must(cuGraphDestroy(graph));
	}
	drv_shim(1);
	is(result[1], result[0], "no function: %d, as natively", (int)result[0]);
	is(none[1], none[0], "no configuration: %d, as natively", (int)none[0]);
}

/* Begun where no hook sees it, ended where one does: another capture stays a capture.
 */
static void ended_beside(void)
{
	CUresult (*begin)(CUstream, CUstreamCaptureMode);
	struct incoming found;
	CUgraph graph, other;

	*(void **)&begin = drv_own("cuStreamBeginCapture_v2");
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	set(stream, 0);
	must(begin(side, CU_STREAM_CAPTURE_MODE_RELAXED));
	must(cuStreamEndCapture(side, &other));
	must(drv_launch_copy(copy, memory, SIZE, stream, 1));
	set(stream, 1);
	must(cuStreamEndCapture(stream, &graph));
	found = incoming(graph);
	is(found.programmatic, 0, "another capture ended meanwhile: full edges");
	is(drv_count(graph, CU_GRAPH_NODE_TYPE_MEMSET), 0, "and fills");
	must(cuGraphDestroy(graph));
	must(cuGraphDestroy(other));
}

int main(void)
{
	drv_start();
	ok(drv_shim(1) >= 0, "the shim is loaded");
	stream = drv_stream();
	side = drv_stream();
	must(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	memory = drv_alloc((size_t)2 * SIZE);
	copy = drv_alloc((size_t)2 * SIZE);
	drv_kernel("sim_copy_bytes");
	check("behind a memset", behind_one, 1, 1);
	check("behind a row of memsets", behind_a_row, 2, 1);
	check("through an event", through_an_event, 1, 1);
	check("behind a join of memsets", behind_a_join, 2, 1);
	check("behind a memset and a kernel", behind_memset_and_kernel, 1, 1);
	check("behind a kernel behind a memset", behind_a_kernel, 1, 0);
	check("memset and kernel, twice", twice, 1, 2);
	bad_launches();
	ended_beside();
	return done();
}
