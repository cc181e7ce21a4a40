/* SPDX-License-Identifier: MIT */
/*
 * Memory beside the usual: of a peer device, of a graph, freed before its graph is
 * instantiated, and memsets in streams of green contexts.
 */
#include <string.h>

#include "drv.h"

#define SIZE 256u

static CUcontext ctx;
static CUstream stream;

static CUgraph captured(CUstream s, CUdeviceptr at, unsigned char value)
{
	CUgraph graph;

	must(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	must(cuMemsetD8Async(at, value, SIZE, s));
	must(cuStreamEndCapture(s, &graph));
	return graph;
}

static CUgraph explicit_node(CUdeviceptr at, unsigned char value)
{
	CUDA_MEMSET_NODE_PARAMS set = {
	    .dst = at, .value = value, .elementSize = 1, .width = SIZE, .height = 1};
	CUgraphNode node;
	CUgraph graph;

	must(cuGraphCreate(&graph, 0));
	must(cuGraphAddMemsetNode(&node, graph, NULL, 0, &set, ctx));
	return graph;
}

/* Replays and destroys the graph; 1 when all bytes are `value`. */
static int sets(CUgraph graph, CUstream s, CUdeviceptr at, unsigned char value)
{
	unsigned char bytes[SIZE] = {0};
	int good = 1, i;

	drv_write(at, bytes, SIZE);
	must(drv_replay(graph, s, 1));
	must(cuGraphDestroy(graph));
	drv_read(bytes, at, SIZE);
	for (i = 0; i < (int)SIZE; i++)
		good &= bytes[i] == value;
	return good;
}

static void peer_memory(void)
{
	CUcontext other;
	CUdeviceptr at, later;
	int count = 0, can = 0;

	must(cuDeviceGetCount(&count));
	if (count > 1)
		must(cuDeviceCanAccessPeer(&can, 0, 1));
	if (!can) {
		skip("no second device with peer access");
		return;
	}
	must(cuDevicePrimaryCtxRetain(&other, 1));
	must(cuCtxPushCurrent(other));
	at = drv_alloc(SIZE);
	must(cuCtxPopCurrent(NULL));
	is(cuCtxDisablePeerAccess(other), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED,
	   "peer access: not there, so not to be disabled");
	is(cuCtxEnablePeerAccess(other, 1), CUDA_ERROR_INVALID_VALUE,
	   "peer access: no flags");
	is(cuCtxEnablePeerAccess(ctx, 0), CUDA_ERROR_INVALID_CONTEXT,
	   "peer access: not to oneself");
	is(cuCtxEnablePeerAccess(other, 0), CUDA_SUCCESS, "peer access: enabled");
	is(cuCtxEnablePeerAccess(other, 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,
	   "peer access: once");
	must(cuCtxPushCurrent(other));
	later = drv_alloc(SIZE);
	must(cuCtxPopCurrent(NULL));
	ok(sets(explicit_node(at, 3), stream, at, 3), "peer memory: an explicit node");
	ok(sets(captured(stream, at, 4), stream, at, 4),
	   "peer memory: a captured memset");
	ok(sets(captured(stream, later, 5), stream, later, 5),
	   "peer memory: allocated afterwards");
	is(cuCtxDisablePeerAccess(other), CUDA_SUCCESS, "peer access: disabled");
	must(cuCtxPushCurrent(other));
	must(cuMemFree(at));
	must(cuMemFree(later));
	must(cuCtxPopCurrent(NULL));
	must(cuDevicePrimaryCtxRelease(1));
}

static void graph_memory(void)
{
	CUpointer_attribute name = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
	CUdeviceptr at, base, inside = drv_alloc(SIZE);
	int type = -1, types = -1;
	void *data = &types;
	CUresult one, all, range;
	size_t bytes;
	CUgraph graph;

	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	must(cuMemAllocAsync(&at, SIZE, stream));
	one = cuPointerGetAttribute(&type, name, at);
	all = cuPointerGetAttributes(1, &name, &data, at);
	range = cuMemGetAddressRange(&base, &bytes, at);
	must(cuMemsetD8Async(at, 6, SIZE, stream));
	must(cuMemcpyDtoDAsync(inside, at, SIZE, stream));
	must(cuMemFreeAsync(at, stream));
	must(cuStreamEndCapture(stream, &graph));
	is(one, CUDA_ERROR_INVALID_VALUE, "graph memory: no attribute");
	ok(all == CUDA_SUCCESS && types == 0, "graph memory: all attributes are zero");
	is(range, CUDA_ERROR_NOT_FOUND, "graph memory: no range");
	is(drv_nodes(graph), 4, "graph memory: four nodes");
	ok(sets(graph, stream, inside, 6), "graph memory: used in the graph");
	must(cuMemFree(inside));
}

static void freed(void)
{
	CUdeviceptr at = drv_alloc((size_t)64 << 20);
	CUgraph graph = explicit_node(at, 1);
	CUgraphExec exec;

	must(cuMemFree(at));
	is(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_ERROR_INVALID_VALUE,
	   "memory freed before instantiation: invalid");
	must(cuGraphDestroy(graph));
}

static void green_context(void)
{
	CUdevResource all, part;
	CUdevResourceDesc desc;
	CUgreenCtx green, told = NULL;
	CUcontext converted = NULL, of_stream = NULL;
	unsigned int groups = 1;
	CUdeviceptr at;
	CUstream s;

	if (!drv_entry("cuGreenCtxStreamCreate") ||
	    cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS ||
	    cuDevSmResourceSplitByCount(&part, &groups, &all, NULL, 0, 8) !=
	        CUDA_SUCCESS) {
		skip("no green contexts here");
		return;
	}
	must(cuDevResourceGenerateDesc(&desc, &part, 1));
	must(cuGreenCtxCreate(&green, desc, 0, CU_GREEN_CTX_DEFAULT_STREAM));
	must(cuGreenCtxStreamCreate(&s, green, CU_STREAM_NON_BLOCKING, 0));
	must(cuCtxFromGreenCtx(&converted, green));
	must(cuStreamGetGreenCtx(s, &told));
	ok(told == green, "green: the stream's own");
	must(cuStreamGetCtx(s, &of_stream));
	ok(of_stream == converted, "green: as a context");
	must(cuStreamGetGreenCtx(stream, &told));
	ok(!told, "green: not every stream's");
	at = drv_alloc(SIZE);
	ok(sets(captured(s, at, 7), s, at, 7), "green: a captured memset");
	must(cuMemFree(at));
	must(cuStreamDestroy(s));
	is(cuGreenCtxDestroy(green), CUDA_SUCCESS, "green: destroyed");
}

int main(void)
{
	CUcontext now;

	ctx = drv_start();
	stream = drv_stream();
	peer_memory();
	graph_memory();
	freed();
	green_context();
	must(cuCtxGetCurrent(&now));
	ok(now == ctx, "the current context is what it was");
	return done();
}
