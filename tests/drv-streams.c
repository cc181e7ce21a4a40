/* SPDX-License-Identifier: MIT */
/*
 * Streams: memsets in forked and joined streams give the topology that the driver's
 * would; the default streams, priorities and every way to begin a capture are kept.
 */
#include <string.h>

#include "drv.h"

#define MAX_NODES 32
#define MAX_EDGES 64
#define SIZE 1024u

struct edge {
	size_t from, to;
	CUgraphEdgeData data;
};

/* A graph by the order of its nodes. */
struct topology {
	size_t nodes, edges, kernels;
	CUgraphNodeType types[MAX_NODES];
	struct edge edge[MAX_EDGES];
};

static CUdeviceptr memory;

static size_t place(const CUgraphNode *nodes, size_t n, CUgraphNode node)
{
	size_t i;

	for (i = 0; i < n && nodes[i] != node; i++)
		;
	return i;
}

static int compare_edges(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct edge));
}

static struct topology topology_of(CUgraph graph)
{
	CUresult (*get_edges)(CUgraph, CUgraphNode *, CUgraphNode *, CUgraphEdgeData *,
	                      size_t *);
	CUgraphNode nodes[MAX_NODES], from[MAX_EDGES], to[MAX_EDGES];
	CUgraphEdgeData data[MAX_EDGES];
	struct topology t;
	size_t i;

	/* Compared whole, padding too. */
	memset(&t, 0, sizeof t);
	memset(data, 0, sizeof data);
	*(void **)&get_edges = drv_entry("cuGraphGetEdges_v2");
	t.nodes = MAX_NODES;
	must(cuGraphGetNodes(graph, nodes, &t.nodes));
	t.edges = MAX_EDGES;
	must(get_edges(graph, from, to, data, &t.edges));
	for (i = 0; i < t.nodes; i++) {
		t.types[i] = drv_type(nodes[i]);
		t.kernels += t.types[i] == CU_GRAPH_NODE_TYPE_KERNEL;
		if (t.types[i] == CU_GRAPH_NODE_TYPE_KERNEL)
			t.types[i] = CU_GRAPH_NODE_TYPE_MEMSET;
	}
	for (i = 0; i < t.edges; i++) {
		t.edge[i].from = place(nodes, t.nodes, from[i]);
		t.edge[i].to = place(nodes, t.nodes, to[i]);
		t.edge[i].data = data[i];
	}
	qsort(t.edge, t.edges, sizeof *t.edge, compare_edges);
	return t;
}

static void set(CUstream stream, unsigned int part, unsigned char value)
{
	must(cuMemsetD8Async(memory + (size_t)part * 64, value, 64, stream));
}

static void copy(CUstream stream, unsigned int to, unsigned int from)
{
	must(cuMemcpyDtoDAsync(memory + (size_t)to * 64, memory + (size_t)from * 64, 64,
	                       stream));
}

static void CUDA_CB nothing(void *data)
{
	(void)data;
}

/* a forks into b and c, and c into a again by way of b; all join in a. */
static CUgraph fork_and_join(const CUstream s[3])
{
	CUevent fork, halfway, joined[2];
	CUgraph graph;
	int i;

	must(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
	must(cuEventCreate(&halfway, CU_EVENT_DISABLE_TIMING));
	for (i = 0; i < 2; i++)
		must(cuEventCreate(&joined[i], CU_EVENT_DISABLE_TIMING));
	must(cuStreamBeginCapture(s[0], CU_STREAM_CAPTURE_MODE_GLOBAL));
	set(s[0], 0, 1);
	must(cuEventRecord(fork, s[0]));
	must(cuStreamWaitEvent(s[1], fork, 0));
	must(cuStreamWaitEvent(s[2], fork, 0));
	set(s[1], 1, 2);
	copy(s[1], 2, 1);
	set(s[2], 3, 3);
	must(cuEventRecord(halfway, s[2]));
	must(cuStreamWaitEvent(s[1], halfway, 0));
	set(s[1], 4, 4); /* behind a copy and a memset of another stream */
	must(cuLaunchHostFunc(s[2], nothing, NULL));
	set(s[2], 3, 5);
	set(s[0], 5, 6);
	for (i = 0; i < 2; i++) {
		must(cuEventRecord(joined[i], s[i + 1]));
		must(cuStreamWaitEvent(s[0], joined[i], 0));
	}
	set(s[0], 6, 7); /* behind three */
	must(cuStreamEndCapture(s[0], &graph));
	must(cuEventDestroy(fork));
	must(cuEventDestroy(halfway));
	for (i = 0; i < 2; i++)
		must(cuEventDestroy(joined[i]));
	return graph;
}

static void forked(void)
{
	static const unsigned char parts[7] = {1, 2, 2, 5, 4, 6, 7};
	const CUstream s[3] = {drv_stream(), drv_stream(), drv_stream()};
	struct topology t[2];
	int on, i;

	for (on = 0; on < 2; on++) {
		unsigned char got[SIZE] = {0};
		CUgraph graph;
		int good = 1;

		drv_write(memory, got, SIZE);
		drv_shim(on);
		graph = fork_and_join(s);
		drv_shim(1);
		t[on] = topology_of(graph);
		must(drv_replay(graph, s[0], 1));
		drv_read(got, memory, SIZE);
		for (i = 0; i < 7 * 64; i++)
			good &= got[i] == parts[i / 64];
		ok(good, "fork and join: bytes right (%s)", on ? "shimmed" : "native");
		must(cuGraphDestroy(graph));
	}
	is(t[0].kernels, 0, "fork and join: no kernels natively");
	is(t[1].kernels, 7, "fork and join: all seven memsets are kernels");
	is(t[1].nodes, t[0].nodes, "fork and join: as many nodes");
	is(t[1].edges, t[0].edges, "fork and join: as many edges");
	ok(t[0].edges > 8, "which are enough to tell graphs apart");
	t[1].kernels = t[0].kernels;
	ok(!memcmp(&t[0], &t[1], sizeof t[0]), "fork and join: the same topology");
}

/* On the legacy stream, while a stream captures that it would have to wait for. */
static void legacy_beside_blocking(void)
{
	CUstream blocking;
	CUresult results[2], queried[2], ends[2];
	CUstreamCaptureStatus status[2];
	int on;

	must(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
	for (on = 0; on < 2; on++) {
		CUgraph graph = NULL;

		drv_shim(on);
		must(cuStreamBeginCapture(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
		results[on] = cuMemsetD8Async(memory, 1, 64, NULL);
		queried[on] = cuStreamIsCapturing(blocking, &status[on]);
		ends[on] = cuStreamEndCapture(blocking, &graph);
		drv_shim(1);
		if (graph)
			must(cuGraphDestroy(graph));
	}
	ok(results[0] != CUDA_SUCCESS, "legacy beside a blocking capture: an error");
	is(results[1], results[0], "the same with the shim");
	ok(queried[1] == queried[0] && status[1] == status[0],
	   "the capture is in the same state (%d)", (int)status[0]);
	is(ends[1], ends[0], "and ends alike");
	must(cuStreamDestroy(blocking));
}

static void legacy_beside_non_blocking(void)
{
	CUstream stream = drv_stream();
	unsigned char byte = 0;
	CUgraph graph;

	drv_write(memory, &byte, 1);
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	is(cuMemsetD8Async(memory, 0x41, 64, NULL), CUDA_SUCCESS,
	   "legacy beside a non-blocking capture: success");
	is(cuMemsetD8Async(memory + 64, 0x41, 64, CU_STREAM_LEGACY), CUDA_SUCCESS,
	   "by its handle, too");
	must(cuStreamEndCapture(stream, &graph));
	is(drv_nodes(graph), 0, "the capture has none of it");
	must(cuGraphDestroy(graph));
	must(cuStreamSynchronize(CU_STREAM_LEGACY));
	drv_read(&byte, memory + 127, 1);
	is(byte, 0x41, "the memory is set");
	must(cuStreamDestroy(stream));
}

/* One memset in a capture of the thread's own stream, by either set of names. */
static CUgraph in_own_stream(const struct drv_set *m, CUresult *result)
{
	CUresult (*begin)(CUstream, CUstreamCaptureMode);
	CUresult (*end)(CUstream, CUgraph *);
	CUstream stream = m->twin ? NULL : CU_STREAM_PER_THREAD;
	CUgraph graph = NULL;

	*(void **)&begin = drv_entry(m->twin ? "cuStreamBeginCapture_v2_ptsz"
	                                     : "cuStreamBeginCapture_v2");
	*(void **)&end =
	    drv_entry(m->twin ? "cuStreamEndCapture_ptsz" : "cuStreamEndCapture");
	must(begin(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
	*result = drv_memset(m, stream);
	must(end(stream, &graph));
	return graph;
}

/* The legacy stream's memset would have to wait for the thread's stream: an error. */
static CUresult legacy_beside_own(const struct drv_set *m, int on)
{
	CUgraph graph = NULL;
	CUresult result;

	must(
	    cuStreamBeginCapture(CU_STREAM_PER_THREAD, CU_STREAM_CAPTURE_MODE_RELAXED));
	drv_shim(on);
	result = drv_memset(m, NULL);
	drv_shim(1);
	cuStreamEndCapture(CU_STREAM_PER_THREAD, &graph);
	if (graph)
		must(cuGraphDestroy(graph));
	return result;
}

static void default_stream(const struct drv_set *m)
{
	const char *name = drv_set_name(m);
	CUresult result, native;
	CUgraph graph = in_own_stream(m, &result);

	is(result, CUDA_SUCCESS, "%s in the thread's stream: success", name);
	ok(drv_nodes(graph) == 1 && drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL) == 1,
	   "%s in the thread's stream: one node, a kernel", name);
	must(cuGraphDestroy(graph));
	if (m->twin)
		return;
	native = legacy_beside_own(m, 0);
	ok(native != CUDA_SUCCESS, "%s in the legacy stream beside it: an error", name);
	is(legacy_beside_own(m, 1), native, "%s: the same with the shim", name);
}

/* Stream 0 of every kind, which means one stream or the other. */
static void default_streams(void)
{
	struct drv_set m = {
	    .dst = memory, .value = 9, .width = 8, .height = 2, .pitch = 64};

	for (m.elem = 1; m.elem <= 4; m.elem *= 2)
		for (m.rows = 0; m.rows < 2; m.rows++)
			for (m.twin = 0; m.twin < 2; m.twin++)
				default_stream(&m);
}

static void priorities(void)
{
	int least, greatest, p;

	must(cuCtxGetStreamPriorityRange(&least, &greatest));
	if (least == greatest) {
		skip("no stream priorities here");
		return;
	}
	for (p = greatest; p <= least; p++) {
		CUlaunchAttributeValue value = {.priority = 99};
		CUgraphNode node;
		size_t one = 1;
		CUstream stream;
		CUgraph graph;

		must(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, p));
		must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
		set(stream, 0, 1);
		must(cuStreamEndCapture(stream, &graph));
		is(drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL), 1,
		   "stream of priority %d: a kernel", p);
		must(cuGraphGetNodes(graph, &node, &one));
		must(cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY,
		                                   &value));
		is(value.priority, p, "of the stream's priority");
		must(cuGraphDestroy(graph));
		must(cuStreamDestroy(stream));
	}
}

/* The first form, without a mode: global. */
static void old_begin(const char *name, CUstream stream)
{
	CUresult (*begin)(CUstream);
	CUgraph graph;

	*(void **)&begin = drv_entry(name);
	if (!begin) {
		skip("this driver has no %s", name);
		return;
	}
	must(begin(stream));
	set(stream, 0, 1);
	must(cuStreamEndCapture(stream, &graph));
	is(drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL), 1, "%s: a kernel", name);
	must(cuGraphDestroy(graph));
}

/* Behind a node that is there already. */
static void into_a_graph(const char *name, CUstream stream)
{
	CUresult (*begin)(CUstream, CUgraph, const CUgraphNode *,
	                  const CUgraphEdgeData *, size_t, CUstreamCaptureMode);
	struct topology t[2];
	int on;

	*(void **)&begin = drv_entry(name);
	if (!begin) {
		skip("this driver has no %s", name);
		return;
	}
	for (on = 0; on < 2; on++) {
		CUgraph graph, same = NULL;
		CUgraphNode first;

		must(cuGraphCreate(&graph, 0));
		must(cuGraphAddEmptyNode(&first, graph, NULL, 0));
		drv_shim(on);
		must(begin(stream, graph, &first, NULL, 1,
		           CU_STREAM_CAPTURE_MODE_GLOBAL));
		set(stream, 0, 1);
		set(stream, 1, 2);
		must(cuStreamEndCapture(stream, &same));
		drv_shim(1);
		ok(same == graph, "%s: the same graph comes back", name);
		t[on] = topology_of(graph);
		must(cuGraphDestroy(graph));
	}
	is(t[1].kernels, 2, "%s: kernels", name);
	t[1].kernels = t[0].kernels;
	ok(t[0].nodes == 3 && t[0].edges == 2 && !memcmp(&t[0], &t[1], sizeof t[0]),
	   "%s: the same topology", name);
}

int main(void)
{
	CUstream stream;

	drv_start();
	ok(drv_shim(1) >= 0, "the shim is loaded");
	stream = drv_stream();
	memory = drv_alloc(SIZE);
	forked();
	legacy_beside_blocking();
	legacy_beside_non_blocking();
	default_streams();
	priorities();
	old_begin("cuStreamBeginCapture", stream);
	old_begin("cuStreamBeginCapture_ptsz", stream);
	into_a_graph("cuStreamBeginCaptureToGraph", stream);
	into_a_graph("cuStreamBeginCaptureToGraph_ptsz", stream);
	return done();
}
