/* SPDX-License-Identifier: MIT */
/*
 * Instantiation: every form of it, its flags, what a device may launch, and what it
 * says of a graph that it refuses; updates and pictures of graphs.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "drv_kernels.h"

#define SIZE 256u

static CUcontext ctx;
static CUstream stream;
static CUdeviceptr memory;

static void CUDA_CB nothing(void *data)
{
	(void)data;
}

static CUgraph new_graph(void)
{
	CUgraph graph;

	must(cuGraphCreate(&graph, 0));
	return graph;
}

static CUgraphNode kernel(CUgraph graph)
{
	struct drv_add a = {memory, 16, 1, {0}};
	CUDA_KERNEL_NODE_PARAMS p;
	CUgraphNode node;

	memset(&p, 0, sizeof p);
	p.func = drv_kernel("sim_add_bytes");
	p.gridDimX = p.gridDimY = p.gridDimZ = 1;
	p.blockDimX = p.blockDimY = p.blockDimZ = 1;
	p.kernelParams = drv_add_args(&a);
	must(cuGraphAddKernelNode(&node, graph, NULL, 0, &p));
	return node;
}

static CUgraphNode copy(CUgraph graph, CUcontext in)
{
	CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
	                   .srcDevice = memory,
	                   .dstMemoryType = CU_MEMORYTYPE_DEVICE,
	                   .dstDevice = memory + 128,
	                   .WidthInBytes = 16,
	                   .Height = 1,
	                   .Depth = 1};
	CUgraphNode node;

	must(cuGraphAddMemcpyNode(&node, graph, NULL, 0, &c, in));
	return node;
}

static CUgraphNode host_node(CUgraph graph)
{
	CUDA_HOST_NODE_PARAMS host = {.fn = nothing};
	CUgraphNode node;

	must(cuGraphAddHostNode(&node, graph, NULL, 0, &host));
	return node;
}

static void old_form(const char *name)
{
	CUresult (*instantiate)(CUgraphExec *, CUgraph, CUgraphNode *, char *, size_t);
	CUgraph graph = new_graph();
	CUgraphNode bad = NULL;
	CUgraphExec exec;
	char text[64];

	*(void **)&instantiate = drv_entry(name);
	if (!instantiate) {
		skip("this driver has no %s", name);
		return;
	}
	kernel(graph);
	is(instantiate(&exec, graph, &bad, text, sizeof text), CUDA_SUCCESS, "%s",
	   name);
	is(cuGraphLaunch(exec, stream), CUDA_SUCCESS, "%s: launched", name);
	must(cuStreamSynchronize(stream));
	must(cuGraphExecDestroy(exec));
	is(instantiate(&exec, graph, NULL, NULL, 0), CUDA_SUCCESS, "%s: nothing asked",
	   name);
	must(cuGraphExecDestroy(exec));
	must(cuGraphDestroy(graph));
}

static void flags(void)
{
	CUDA_GRAPH_INSTANTIATE_PARAMS params = {
	    .flags = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD, .hUploadStream = stream};
	CUgraph graph = new_graph();
	cuuint64_t told = 99;
	CUgraphExec exec;

	kernel(graph);
	must(cuGraphInstantiateWithFlags(
	    &exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY));
	must(cuGraphExecGetFlags(exec, &told));
	is(told, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY, "flags are told");
	must(cuGraphExecDestroy(exec));
	is(cuGraphInstantiateWithParams(&exec, graph, &params), CUDA_SUCCESS,
	   "with an upload");
	is(params.result_out, CUDA_GRAPH_INSTANTIATE_SUCCESS, "it says so");
	must(cuGraphExecGetFlags(exec, &told));
	is(told, 0, "which is no flag of the graph's");
	must(cuStreamSynchronize(stream));
	must(cuGraphExecDestroy(exec));
	ok(cuGraphInstantiateWithFlags(&exec, graph, 1ull << 40) != CUDA_SUCCESS,
	   "an unknown flag: an error");
	ok(cuGraphInstantiateWithFlags(
	       &exec, graph,
	       CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH |
	           CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != CUDA_SUCCESS,
	   "launched by a device and freeing: an error");
	must(cuGraphDestroy(graph));
}

static void refused(CUgraph graph, CUgraphInstantiateResult why, CUgraphNode node,
                    const char *what)
{
	CUDA_GRAPH_INSTANTIATE_PARAMS params = {
	    .flags = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH};
	CUgraphExec exec;

	if (!ok(cuGraphInstantiateWithParams(&exec, graph, &params) != CUDA_SUCCESS,
	        "not for a device: %s", what))
		return;
	is(params.result_out, why, "not for a device: %s: why", what);
	ok(params.hErrNode_out == node, "not for a device: %s: where", what);
}

static void for_a_device(void)
{
	CUgraph graph = new_graph();
	CUgraphNode host;
	CUcontext second;
	CUgraphExec exec;
	CUgraphNode there;

	ok(cuGraphInstantiateWithFlags(
	       &exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != CUDA_SUCCESS,
	   "not for a device: an empty graph");
	kernel(graph);
	copy(graph, ctx);
	is(cuGraphInstantiateWithFlags(&exec, graph,
	                               CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH),
	   CUDA_SUCCESS, "a kernel and a copy for a device");
	is(cuGraphLaunch(exec, stream), CUDA_SUCCESS, "which the host may launch too");
	must(cuStreamSynchronize(stream));
	must(cuGraphExecDestroy(exec));
	host = host_node(graph);
	refused(graph, CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED, host,
	        "a host function");
	must(cuGraphDestroyNode(host));
	second = drv_context();
	must(cuCtxPopCurrent(NULL));
	there = copy(graph, second);
	refused(graph, CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED, there,
	        "a second context");
	must(cuGraphDestroy(graph));
	must(cuCtxDestroy(second));
}

static void cycle(void)
{
	CUresult (*linked)(CUgraph, const CUgraphNode *, const CUgraphNode *, size_t);
	CUDA_GRAPH_INSTANTIATE_PARAMS params = {0};
	CUgraph graph = new_graph();
	CUgraphNode node[2], from[2], to[2];
	CUgraphExec exec;

	*(void **)&linked = drv_entry("cuGraphAddDependencies");
	node[0] = host_node(graph);
	node[1] = host_node(graph);
	from[0] = to[1] = node[0];
	from[1] = to[0] = node[1];
	if (linked(graph, from, to, 2) != CUDA_SUCCESS) {
		skip("this driver sees a cycle when it is made");
	} else {
		ok(cuGraphInstantiateWithParams(&exec, graph, &params) != CUDA_SUCCESS,
		   "a cycle: an error");
		is(params.result_out, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE,
		   "of structure");
		ok(params.hErrNode_out == node[0] || params.hErrNode_out == node[1],
		   "at one of its nodes");
	}
	must(cuGraphDestroy(graph));
}

static void once(void)
{
	CUdeviceptr at;
	CUgraphExec exec, again;
	CUgraph graph;

	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	must(cuMemAllocAsync(&at, SIZE, stream));
	must(cuMemFreeAsync(at, stream));
	must(cuStreamEndCapture(stream, &graph));
	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	ok(cuGraphInstantiateWithFlags(&again, graph, 0) != CUDA_SUCCESS,
	   "a graph with memory is instantiated once");
	must(cuGraphExecDestroy(exec));
	is(cuGraphInstantiateWithFlags(&again, graph, 0), CUDA_SUCCESS, "at a time");
	must(cuGraphExecDestroy(again));
	must(cuGraphDestroy(graph));
}

static void old_update(void)
{
	CUresult (*update)(CUgraphExec, CUgraph, CUgraphNode *,
	                   CUgraphExecUpdateResult *);
	CUgraph graph = new_graph(), same = new_graph(), other = new_graph();
	CUgraphExecUpdateResult why = CU_GRAPH_EXEC_UPDATE_ERROR;
	CUgraphNode where = NULL, host;
	CUgraphExec exec;

	*(void **)&update = drv_entry("cuGraphExecUpdate");
	kernel(graph);
	kernel(same);
	host = host_node(other);
	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	is(update(exec, same, &where, &why), CUDA_SUCCESS, "the old update");
	is(why, CU_GRAPH_EXEC_UPDATE_SUCCESS, "succeeds");
	is(update(exec, other, &where, &why), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
	   "to another type: a failure");
	is(why, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, "for that reason");
	ok(where == host, "at that node");
	must(cuGraphExecDestroy(exec));
	must(cuGraphDestroy(graph));
	must(cuGraphDestroy(same));
	must(cuGraphDestroy(other));
}

static void priorities(void)
{
	CUgraph graph = new_graph(), other = new_graph();
	CUgraphExecUpdateResultInfo info;
	CUlaunchAttributeValue value;
	CUgraphExec exec;
	CUgraphNode node;
	int least, greatest;

	must(cuCtxGetStreamPriorityRange(&least, &greatest));
	kernel(graph);
	node = kernel(other);
	memset(&value, 0, sizeof value);
	value.priority = greatest;
	must(cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
	must(cuGraphInstantiateWithFlags(
	    &exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY));
	if (least == greatest) {
		skip("no priorities here");
	} else {
		is(cuGraphExecUpdate(exec, other, &info),
		   CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
		   "where priorities count, they cannot change");
		is(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED,
		   "and that is why");
	}
	must(cuGraphExecDestroy(exec));
	must(cuGraphDestroy(graph));
	must(cuGraphDestroy(other));
}

static size_t read_file(const char *path, char *text, size_t room)
{
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, room - 1, f) : 0;

	if (f)
		fclose(f);
	text[n] = '\0';
	return n;
}

static void picture(void)
{
	char path[32], once_text[8192], again[8192];
	int fd = memfd_create("picture", 0);
	CUgraph graph = new_graph();

	if (fd < 0)
		bail("no file in memory");
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	kernel(graph);
	host_node(graph);
	is(cuGraphDebugDotPrint(graph, path, 0), CUDA_SUCCESS, "a picture");
	ok(read_file(path, once_text, sizeof once_text) &&
	       strstr(once_text, "digraph") && strstr(once_text, "sim_add_bytes"),
	   "is a graph, and names the kernel");
	must(cuGraphDebugDotPrint(graph, path, 0));
	read_file(path, again, sizeof again);
	ok(!strcmp(once_text, again), "twice the same");
	ok(cuGraphDebugDotPrint(graph, "/nowhere/at/all", 0) != CUDA_SUCCESS,
	   "to nowhere: an error");
	close(fd);
	must(cuGraphDestroy(graph));
}

int main(void)
{
	ctx = drv_start();
	stream = drv_stream();
	memory = drv_alloc(SIZE);
	drv_kernel("sim_add_bytes");
	old_form("cuGraphInstantiate");
	old_form("cuGraphInstantiate_v2");
	flags();
	for_a_device();
	cycle();
	once();
	old_update();
	priorities();
	picture();
	return done();
}
