/* SPDX-License-Identifier: MIT */
/*
 * Captured launches: what their attributes make of the edges before and behind them,
 * and which of them the node keeps.
 */
#include <string.h>

#include "drv_kernels.h"

#define SIZE 256u

static CUstream stream, other;
static CUdeviceptr memory;
static struct drv_add add_one;

static CUresult (*needs)(CUgraphNode, CUgraphNode *, CUgraphEdgeData *, size_t *);
static CUresult (*info)(CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *,
                        const CUgraphNode **, const CUgraphEdgeData **, size_t *);
static CUresult (*info_old)(CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *,
                            const CUgraphNode **, size_t *);

static CUresult launch(CUstream s, CUlaunchAttribute *attribute)
{
	CUlaunchConfig config = {.gridDimX = 1,
	                         .gridDimY = 1,
	                         .gridDimZ = 1,
	                         .blockDimX = 1,
	                         .blockDimY = 1,
	                         .blockDimZ = 1,
	                         .hStream = s,
	                         .attrs = attribute,
	                         .numAttrs = attribute != NULL};

	return cuLaunchKernelEx(&config, drv_kernel("sim_add_bytes"),
	                        drv_add_args(&add_one), NULL);
}

static CUlaunchAttribute of(CUlaunchAttributeID id)
{
	CUlaunchAttribute a;

	memset(&a, 0, sizeof a);
	a.id = id;
	return a;
}

static CUlaunchAttribute serial(void)
{
	CUlaunchAttribute a = of(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);

	a.value.programmaticStreamSerializationAllowed = 1;
	return a;
}

static void begin(void)
{
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
}

static CUgraph end(void)
{
	CUgraph graph;

	must(cuStreamEndCapture(stream, &graph));
	return graph;
}

/* The one node that the stream has come to. */
static CUgraphNode last(CUstream s)
{
	CUstreamCaptureStatus status;
	const CUgraphNode *nodes;
	const CUgraphEdgeData *edges;
	size_t n = 0;

	must(info(s, &status, NULL, NULL, &nodes, &edges, &n));
	if (n != 1)
		bail("the stream has come to more than one node");
	return nodes[0];
}

static CUgraphEdgeData edge_to(CUgraphNode node, CUgraphNode from)
{
	CUgraphNode nodes[4];
	CUgraphEdgeData data[4];
	size_t n = 4, i;

	must(needs(node, nodes, data, &n));
	for (i = 0; i < n; i++)
		if (nodes[i] == from)
			return data[i];
	bail("no such edge");
}

static int is_full(CUgraphEdgeData e)
{
	return !e.type && !e.from_port && !e.to_port;
}

static void copy(CUstream s)
{
	must(cuMemcpyDtoDAsync(memory + 128, memory, 16, s));
}

static void serialization(void)
{
	CUlaunchAttribute loose = serial();
	CUgraphNode kernel, behind, between, third, joined;
	CUgraphEdgeData e;
	CUevent event;
	CUgraph graph;

	must(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	begin();
	must(launch(stream, NULL));
	kernel = last(stream);
	is(launch(stream, &loose), CUDA_SUCCESS, "a launch that need not wait");
	behind = last(stream);
	e = edge_to(behind, kernel);
	is(e.type, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC,
	   "has a programmatic edge behind a kernel");
	is(e.from_port, CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, "from its port");
	copy(stream);
	between = last(stream);
	ok(is_full(edge_to(between, behind)), "a copy has a full one");
	must(launch(stream, &loose));
	third = last(stream);
	ok(is_full(edge_to(third, between)), "and so has such a launch behind a copy");

	must(cuEventRecord(event, stream));
	must(cuStreamWaitEvent(other, event, 0));
	copy(other);
	between = last(other);
	must(cuEventRecord(event, other));
	must(launch(stream, NULL));
	kernel = last(stream);
	must(cuStreamWaitEvent(stream, event, 0));
	must(launch(stream, &loose));
	joined = last(stream);
	e = edge_to(joined, kernel);
	is(e.type, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC,
	   "behind a kernel and a copy: programmatic from the kernel");
	ok(is_full(edge_to(joined, between)), "full from the copy");
	must(launch(stream, NULL));
	ok(is_full(edge_to(last(stream), joined)), "a plain launch has a full edge");
	graph = end();
	is(drv_replay(graph, stream, 1), CUDA_SUCCESS, "and all of it runs");
	must(cuGraphDestroy(graph));
	must(cuEventDestroy(event));
}

/* Recorded by a launch, waited for by another stream. */
static void launch_event(CUlaunchAttribute a, CUevent event, int type, const char *name)
{
	CUstreamCaptureStatus status;
	const CUgraphNode *nodes;
	const CUgraphEdgeData *edges;
	CUgraphNode kernel;
	CUgraphEdgeData e;
	size_t n = 0;
	CUgraph graph;

	begin();
	is(launch(stream, &a), CUDA_SUCCESS, "%s: recorded", name);
	kernel = last(stream);
	is(cuStreamWaitEvent(other, event, 0), CUDA_SUCCESS, "%s: waited for", name);
	is(info_old(other, &status, NULL, NULL, &nodes, &n), CUDA_ERROR_LOSSY_QUERY,
	   "%s: the old query would lose it", name);
	must(info(other, &status, NULL, NULL, &nodes, &edges, &n));
	ok(n == 1 && nodes[0] == kernel && edges[0].type == type && edges[0].from_port,
	   "%s: the stream depends on the kernel's port", name);
	must(launch(other, NULL));
	e = edge_to(last(other), kernel);
	ok(e.type == type && e.from_port, "%s: and so does a kernel there", name);
	if (type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT)
		is(e.from_port, CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER,
		   "%s: the port of launch order", name);
	must(cuEventRecord(event, other));
	must(cuStreamWaitEvent(stream, event, 0));
	graph = end();
	is(drv_replay(graph, stream, 1), CUDA_SUCCESS, "%s: runs", name);
	must(cuGraphDestroy(graph));
	is(launch(stream, &a), CUDA_SUCCESS, "%s: outside a capture", name);
	is(cuEventSynchronize(event), CUDA_SUCCESS, "%s: an event as any", name);
}

static void launch_events(void)
{
	CUlaunchAttribute a = of(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT),
	                  done_at = of(CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT);
	CUevent event, timing;

	must(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	must(cuEventCreate(&timing, CU_EVENT_DEFAULT));
	a.value.programmaticEvent.event = event;
	launch_event(a, event, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC,
	             "programmatic event");
	a.value.programmaticEvent.triggerAtBlockStart = 1;
	launch_event(a, event, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC,
	             "programmatic event at block start");
	done_at.value.launchCompletionEvent.event = event;
	launch_event(done_at, event, CU_GRAPH_DEPENDENCY_TYPE_DEFAULT,
	             "launch completion event");
	a.value.programmaticEvent.event = timing;
	ok(launch(stream, &a) != CUDA_SUCCESS, "an event that takes times: an error");
	a.value.programmaticEvent.event = event;
	a.value.programmaticEvent.flags = CU_EVENT_RECORD_EXTERNAL;
	ok(launch(stream, &a) != CUDA_SUCCESS, "an external one: an error");
	a = of(CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE);
	a.value.deviceUpdatableKernelNode.deviceUpdatable = 1;
	ok(launch(stream, &a) != CUDA_SUCCESS,
	   "an updatable node outside a capture: an error");
	must(cuEventDestroy(event));
	must(cuEventDestroy(timing));
}

static void external_events(void)
{
	CUgraphNode record, wait;
	CUevent event, found = NULL;
	CUgraph graph;

	must(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	begin();
	must(launch(stream, NULL));
	is(cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_EXTERNAL),
	   CUDA_SUCCESS, "an external record is captured");
	record = last(stream);
	must(cuGraphEventRecordNodeGetEvent(record, &found));
	ok(found == event, "as a node that records");
	is(cuStreamWaitEvent(stream, event, CU_EVENT_WAIT_EXTERNAL), CUDA_SUCCESS,
	   "an external wait too");
	wait = last(stream);
	ok(is_full(edge_to(wait, record)), "as a node behind it");
	graph = end();
	is(drv_replay(graph, stream, 1), CUDA_SUCCESS, "they run");
	must(cuGraphDestroy(graph));
	ok(cuStreamWaitEvent(stream, event, CU_EVENT_WAIT_EXTERNAL) != CUDA_SUCCESS,
	   "outside a capture an external wait is an error");
	must(cuEventDestroy(event));
}

static void attributes(void)
{
	CUlaunchAttribute a = of(CU_LAUNCH_ATTRIBUTE_PRIORITY),
	                  cooperative = of(CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
	CUlaunchAttributeValue value;
	CUgraphNode node[2];
	int least, greatest;
	CUgraph graph;

	must(cuCtxGetStreamPriorityRange(&least, &greatest));
	a.value.priority = greatest;
	cooperative.value.cooperative = 1;
	begin();
	must(launch(stream, &a));
	node[0] = last(stream);
	must(launch(stream, &cooperative));
	node[1] = last(stream);
	graph = end();
	must(cuGraphKernelNodeGetAttribute(node[0], CU_LAUNCH_ATTRIBUTE_PRIORITY,
	                                   &value));
	is(value.priority, greatest, "a launch's priority is its node's");
	must(cuGraphKernelNodeGetAttribute(node[1], CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
	                                   &value));
	is(value.cooperative, 1, "so is its cooperation");
	must(cuGraphKernelNodeGetAttribute(node[0], CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
	                                   &value));
	is(value.cooperative, 0, "which others do not have");
	value.priority = least;
	must(cuGraphKernelNodeSetAttribute(node[0], CU_LAUNCH_ATTRIBUTE_PRIORITY,
	                                   &value));
	must(cuGraphKernelNodeCopyAttributes(node[1], node[0]));
	must(cuGraphKernelNodeGetAttribute(node[1], CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
	                                   &value));
	is(value.cooperative, 0, "and all are copied at once");
	must(cuGraphDestroy(graph));
}

int main(void)
{
	int major = 0;

	drv_start();
	must(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
	                          0));
	*(void **)&needs = drv_entry("cuGraphNodeGetDependencies_v2");
	*(void **)&info = drv_entry("cuStreamGetCaptureInfo_v3");
	*(void **)&info_old = drv_entry("cuStreamGetCaptureInfo_v2");
	if (major < 9 || !needs || !info || !info_old)
		skip_all("no programmatic launches here");
	stream = drv_stream();
	other = drv_stream();
	memory = drv_alloc(SIZE);
	add_one = (struct drv_add){memory, 16, 1, {0}};
	drv_kernel("sim_add_bytes");
	serialization();
	launch_events();
	external_events();
	attributes();
	return done();
}
