/* SPDX-License-Identifier: MIT */
/*
 * Graphs with memsets are instantiated and launched as natively: for a device's own
 * launches, by the nodes' priorities, in other streams and contexts; and they keep what
 * was given to them to keep.
 */
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "drv_arms.h"

#define DEVICE_LAUNCH CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH
#define NODE_PRIORITY CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY

/* Captured, and an explicit one behind them. */
static CUgraph mixed(struct arm *a)
{
	CUgraphNode nodes[4], last;
	size_t n = 4;
	CUgraph graph;

	arm_begin(a, CU_STREAM_CAPTURE_MODE_GLOBAL);
	arm_set(a, 64, 0x11, 100);
	arm_note(
	    a, cuMemsetD2D32Async(a->memory + 256, 128, 0x01020304, 20, 5, a->stream));
	must(drv_launch_copy(a->memory + 2048, a->memory + 64, 800, a->stream, 0));
	graph = arm_end(a);
	must(cuGraphGetNodes(graph, nodes, &n));
	last = arm_add(a, graph, &nodes[n - 1], 1, 2000, 0x12, 300);
	arm_note_set(a, last);
	return graph;
}

/* --- instantiation ------------------------------------------------------------------
 */

/* With flags, by the call that says what it thinks. */
static CUgraph with_flags(struct arm *a, unsigned long long flags)
{
	CUDA_GRAPH_INSTANTIATE_PARAMS params = {.flags = flags,
	                                        .hUploadStream = a->stream};
	CUgraph graph = mixed(a);
	cuuint64_t told = 0;
	CUgraphExec exec;
	int i;

	arm_note(a, cuGraphInstantiateWithParams(&exec, graph, &params));
	if (!arm_note(a, params.result_out == CUDA_GRAPH_INSTANTIATE_SUCCESS))
		return graph;
	arm_note(a, cuGraphExecGetFlags(exec, &told));
	arm_note(a, told);
	arm_note(a, cuGraphUpload(exec, a->stream));
	for (i = 0; i < ARM_REPLAYS; i++)
		arm_launch(a, exec);
	must(cuGraphExecDestroy(exec));
	return graph;
}

static CUgraph device_launch(struct arm *a)
{
	return with_flags(a, DEVICE_LAUNCH);
}

static CUgraph device_launch_uploaded(struct arm *a)
{
	return with_flags(a, DEVICE_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD);
}

static CUgraph free_on_launch(struct arm *a)
{
	return with_flags(a, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
}

static CUgraph node_priority(struct arm *a)
{
	return with_flags(a, NODE_PRIORITY);
}

/* A host function is nothing for a device, whatever stands beside it. */
static void CUDA_CB nothing(void *data)
{
	(void)data;
}

static CUgraph not_for_a_device(struct arm *a)
{
	CUDA_GRAPH_INSTANTIATE_PARAMS params = {.flags = DEVICE_LAUNCH};
	CUDA_HOST_NODE_PARAMS host = {.fn = nothing};
	CUgraph graph = mixed(a);
	CUgraphNode node;
	CUgraphExec exec;

	must(cuGraphAddHostNode(&node, graph, NULL, 0, &host));
	arm_note(a, cuGraphInstantiateWithParams(&exec, graph, &params));
	arm_note(a, params.result_out);
	arm_note(a, params.hErrNode_out == node);
	return graph;
}

/* --- priorities ---------------------------------------------------------------------
 */

/* Between graphs of streams of two priorities, where these count. */
static CUgraph other_priority(struct arm *a)
{
	CUgraphExecUpdateResultInfo info;
	CUstream low, high;
	CUgraph graph[2];
	CUgraphExec exec;
	int least, greatest, i;

	must(cuCtxGetStreamPriorityRange(&least, &greatest));
	must(cuStreamCreateWithPriority(&low, CU_STREAM_NON_BLOCKING, least));
	must(cuStreamCreateWithPriority(&high, CU_STREAM_NON_BLOCKING, greatest));
	for (i = 0; i < 2; i++) {
		struct drv_outcome o;
		struct drv_set m = {.elem = 1,
		                    .dst = a->memory + 64,
		                    .value = 0x41u + (unsigned int)i,
		                    .width = 100};

		graph[i] = drv_capture(&m, i ? high : low, &o);
		arm_note(a, o.call);
	}
	must(cuGraphInstantiateWithFlags(&exec, graph[0], 0));
	arm_launch(a, exec);
	/* Without the flag priorities are no hindrance. */
	arm_note(a, cuGraphExecUpdate(exec, graph[1], &info));
	arm_launch(a, exec);
	must(cuGraphExecDestroy(exec));
	must(cuGraphInstantiateWithFlags(&exec, graph[0], NODE_PRIORITY));
	arm_launch(a, exec);
	must(cuGraphExecDestroy(exec));
	must(cuGraphInstantiateWithFlags(&exec, graph[1], NODE_PRIORITY));
	arm_launch(a, exec);
	must(cuGraphExecDestroy(exec));
	must(cuGraphDestroy(graph[0]));
	must(cuStreamDestroy(low));
	must(cuStreamDestroy(high));
	return graph[1];
}

/* --- streams and contexts -----------------------------------------------------------
 */

/* Launched in the given stream, whatever context is current. */
static void launched_in(struct arm *a, CUgraphExec exec, CUstream stream)
{
	CUstream own = a->stream;

	a->stream = stream;
	arm_launch(a, exec);
	a->stream = own;
}

/* Where it was captured, in other streams, and in those of another context. */
static CUgraph elsewhere(struct arm *a)
{
	CUstream beside = drv_stream(), blocking, there;
	CUcontext second;
	CUgraph graph = mixed(a);
	CUgraphExec exec;

	must(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	launched_in(a, exec, beside);
	launched_in(a, exec, blocking);
	launched_in(a, exec, CU_STREAM_LEGACY);
	launched_in(a, exec, CU_STREAM_PER_THREAD);
	second = drv_context();
	there = drv_stream();
	launched_in(a, exec, there);
	launched_in(a, exec, beside);
	launched_in(a, exec, CU_STREAM_PER_THREAD);
	must(cuGraphExecDestroy(exec));
	/* Instantiated where it was not captured. */
	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	launched_in(a, exec, a->stream);
	launched_in(a, exec, there);
	must(cuCtxPopCurrent(NULL));
	launched_in(a, exec, there);
	must(cuGraphExecDestroy(exec));
	must(cuCtxDestroy(second));
	must(cuStreamDestroy(beside));
	must(cuStreamDestroy(blocking));
	return graph;
}

/* Memsets of two contexts in one graph, each with memory of its own. */
static CUgraph two_contexts(struct arm *a)
{
	CUDA_MEMSET_NODE_PARAMS set = {
	    .value = 0x51, .elementSize = 1, .width = 64, .height = 1};
	unsigned char got[64] = {0};
	CUgraph graph = mixed(a);
	CUgraphNode node;
	CUcontext second;
	CUgraphExec exec;
	CUdeviceptr at;
	size_t i, good = 0;

	second = drv_context();
	at = drv_alloc(64);
	drv_write(at, got, 64);
	set.dst = at;
	arm_note(a, cuGraphAddMemsetNode(&node, graph, NULL, 0, &set, second));
	arm_note(a, cuGraphInstantiateWithFlags(&exec, graph, 0));
	for (i = 0; i < ARM_REPLAYS; i++)
		arm_launch(a, exec);
	drv_read(got, at, 64);
	for (i = 0; i < 64; i++)
		good += got[i] == 0x51;
	arm_note(a, good);
	arm_shape(a, graph);
	must(cuGraphExecDestroy(exec));
	must(cuGraphDestroy(graph));
	must(cuCtxDestroy(second));
	return NULL;
}

/* --- objects that a graph keeps -----------------------------------------------------
 */

static CUresult (*object_create)(CUuserObject *, void *, CUhostFn, unsigned int,
                                 unsigned int);
static CUresult (*object_retain)(CUgraph, CUuserObject, unsigned int, unsigned int);
static atomic_int times_gone;
static int too_early;

static void CUDA_CB gone(void *nobody)
{
	(void)nobody;
	atomic_fetch_add(&times_gone, 1);
}

/* The driver calls gone() in a thread of its own, some time: a while is waited for it.
 */
static int gone_in_time(void)
{
	int tries;

	for (tries = 0; tries < 2000 && !atomic_load(&times_gone); tries++)
		usleep(1000);
	return atomic_load(&times_gone);
}

/* Not before the graph, its clone and what was made of that are all gone. */
static CUgraph keeps(struct arm *a)
{
	CUgraph graph = mixed(a), clone;
	CUuserObject object;
	CUgraphExec exec;

	atomic_store(&times_gone, 0);
	must(object_create(&object, NULL, gone, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
	must(object_retain(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
	must(cuGraphClone(&clone, graph));
	must(cuGraphDestroy(graph));
	must(cuGraphInstantiateWithFlags(&exec, clone, 0));
	must(cuGraphDestroy(clone));
	arm_launch(a, exec);
	too_early += atomic_load(&times_gone);
	must(cuGraphExecDestroy(exec));
	arm_note(a, (unsigned int)gone_in_time());
	return NULL;
}

/* A memset's node goes, with and without the shim, and the object stays. */
static CUgraph keeps_without_nodes(struct arm *a)
{
	CUgraphNode node;
	CUuserObject object;
	CUgraph graph;

	atomic_store(&times_gone, 0);
	must(cuGraphCreate(&graph, 0));
	node = arm_add(a, graph, NULL, 0, 64, 0x61, 100);
	must(object_create(&object, NULL, gone, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
	must(object_retain(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
	arm_note(a, cuGraphDestroyNode(node));
	too_early += atomic_load(&times_gone);
	must(cuGraphDestroy(graph));
	arm_note(a, (unsigned int)gone_in_time());
	return NULL;
}

static void objects(void)
{
	*(void **)&object_create = drv_entry("cuUserObjectCreate");
	*(void **)&object_retain = drv_entry("cuGraphRetainUserObject");
	if (!object_create || !object_retain) {
		skip("this driver has no user objects");
		return;
	}
	arms("a kept object", keeps, 0);
	is(atomic_load(&times_gone), 1, "a kept object: gone, once");
	arms("an object kept longer than a node", keeps_without_nodes, 0);
	is(atomic_load(&times_gone), 1,
	   "an object kept longer than a node: gone, once");
	is(too_early, 0, "and neither of them too early");
}

int main(void)
{
	arms_start();
	arms("for a device's launches", device_launch, 0);
	arms("for a device's launches, uploaded", device_launch_uploaded, 0);
	arms("not for a device", not_for_a_device, 0);
	arms("freed on launch", free_on_launch, 0);
	arms("by the nodes' priorities", node_priority, 0);
	arms("updates to another priority", other_priority, 0);
	arms("in other streams and contexts", elsewhere, 0);
	arms("memsets of two contexts", two_contexts, 0);
	objects();
	return done();
}
