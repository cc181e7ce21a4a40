/* SPDX-License-Identifier: MIT */
/*
 * A memset behind a kernel that lets others start early - a launch that may overlap, a
 * programmatic event, an event of launch completion - is captured with the dependencies
 * that a memset node has, or is left to the driver: never does it start at a trigger.
 */
#include <string.h>

#include "drv.h"

#define SIZE 256u
#define MAX_EDGES 16

static CUstream stream, other;
static CUevent event;
static CUdeviceptr memory, copy;

static CUresult (*get_edges)(CUgraph, CUgraphNode *, CUgraphNode *, CUgraphEdgeData *,
                             size_t *);

static CUresult launch(CUstream s, CUlaunchAttribute *attribute)
{
	unsigned long long bytes = 16;
	void *params[] = {&copy, &memory, &bytes};
	CUlaunchConfig config = {.gridDimX = 1,
	                         .gridDimY = 1,
	                         .gridDimZ = 1,
	                         .blockDimX = 32,
	                         .blockDimY = 1,
	                         .blockDimZ = 1,
	                         .hStream = s,
	                         .attrs = attribute,
	                         .numAttrs = attribute != NULL};

	return cuLaunchKernelEx(&config, drv_kernel("sim_copy_bytes"), params, NULL);
}

/* Two kernels, the second of which may begin early, and the memset behind it. */
static CUresult behind_an_overlap(void)
{
	CUlaunchAttribute a = {
	    .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION};

	a.value.programmaticStreamSerializationAllowed = 1;
	must(launch(stream, NULL));
	must(launch(stream, &a));
	return cuMemsetD8Async(memory, 7, SIZE, stream);
}

static CUresult behind_an_event(const CUlaunchAttribute *a)
{
	CUlaunchAttribute copied = *a;
	CUresult result;

	must(launch(stream, &copied));
	must(cuStreamWaitEvent(other, event, 0));
	result = cuMemsetD8Async(memory, 7, SIZE, other);
	must(cuEventRecord(event, other));
	must(cuStreamWaitEvent(stream, event, 0));
	return result;
}

static CUresult behind_a_programmatic_event(void)
{
	CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT};

	a.value.programmaticEvent.event = event;
	return behind_an_event(&a);
}

static CUresult behind_a_block_start(void)
{
	CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT};

	a.value.programmaticEvent.event = event;
	a.value.programmaticEvent.triggerAtBlockStart = 1;
	return behind_an_event(&a);
}

static CUresult behind_a_completion(void)
{
	CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT};

	a.value.launchCompletionEvent.event = event;
	return behind_an_event(&a);
}

struct outcome {
	CUresult call, end, replay;
	size_t nodes, kernels, edges;
	size_t loose; /* edges into the memset that are not full */
	size_t other; /* and anywhere else */
	int bytes_right;
};

static int is_memset(CUgraphNode node)
{
	CUgraphNodeType type;

	must(cuGraphNodeGetType(node, &type));
	return type == CU_GRAPH_NODE_TYPE_MEMSET;
}

static void count_edges(CUgraph graph, struct outcome *o)
{
	CUgraphNode from[MAX_EDGES], to[MAX_EDGES];
	CUgraphEdgeData data[MAX_EDGES];
	size_t i;

	o->edges = MAX_EDGES;
	must(get_edges(graph, from, to, data, &o->edges));
	for (i = 0; i < o->edges; i++) {
		int loose = data[i].type || data[i].from_port || data[i].to_port;

		o->loose += loose && is_memset(to[i]);
		o->other += loose && !is_memset(to[i]);
	}
}

static struct outcome try(CUresult (*body)(void), int on)
{
	unsigned char got[SIZE] = {0};
	struct outcome o = {.replay = CUDA_ERROR_UNKNOWN};
	CUgraph graph = NULL;
	size_t i;

	drv_write(memory, got, SIZE);
	drv_shim(on);
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	o.call = body();
	o.end = cuStreamEndCapture(stream, &graph);
	drv_shim(1);
	if (!graph)
		return o;
	o.nodes = drv_nodes(graph);
	o.kernels = drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL);
	count_edges(graph, &o);
	o.replay = drv_replay(graph, stream, 3);
	drv_read(got, memory, SIZE);
	o.bytes_right = 1;
	for (i = 0; i < SIZE; i++)
		o.bytes_right &= got[i] == (o.call == CUDA_SUCCESS ? 7 : 0);
	must(cuGraphDestroy(graph));
	return o;
}

static void both(const char *what, CUresult (*body)(void))
{
	struct outcome n = try(body, 0), o = try(body, 1);

	ok(n.call == o.call && n.end == o.end && n.replay == o.replay,
	   "%s: memset %d, end %d, replay %d, as natively", what, (int)o.call,
	   (int)o.end, (int)o.replay);
	ok(n.nodes == o.nodes && n.edges == o.edges,
	   "%s: %zu nodes and %zu edges, as natively", what, n.nodes, n.edges);
	is(o.loose, n.loose, "%s: as natively, %zu edges to the memset are not full",
	   what, n.loose);
	is(o.other, n.other, "%s: and %zu others", what, n.other);
	ok(o.kernels == n.kernels || !o.loose, "%s: no fill starts at a trigger", what);
	is(o.bytes_right, n.bytes_right, "%s: bytes as natively", what);
	printf("# %s: the memset is %s\n", what,
	       o.kernels > n.kernels ? "a fill" : "left to the driver");
}

int main(void)
{
	drv_start();
	ok(drv_shim(1) >= 0, "the shim is loaded");
	*(void **)&get_edges = drv_entry("cuGraphGetEdges_v2");
	if (!get_edges)
		skip_all("this driver has no data on edges");
	stream = drv_stream();
	other = drv_stream();
	must(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	memory = drv_alloc(SIZE);
	copy = drv_alloc(SIZE);
	drv_kernel("sim_copy_bytes");
	both("a launch that may overlap", behind_an_overlap);
	both("a programmatic event", behind_a_programmatic_event);
	both("a programmatic event at block start", behind_a_block_start);
	both("an event of launch completion", behind_a_completion);
	return done();
}
