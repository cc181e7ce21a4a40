/* SPDX-License-Identifier: MIT */
/*
 * capture SIZE...: captures a memset of each size into one graph, prints how many nodes
 * are memsets and how many kernels, and whether a replay wrote the right bytes.
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

#define GAP 64 /* bytes between two memsets that stay as they are */
#define BEFORE 0xee

static void must(CUresult result, const char *what)
{
	if (result == CUDA_SUCCESS)
		return;
	printf("%s: CUresult %d\n", what, (int)result);
	exit(1);
}

/* A fill says that it is a memset, but what is a kernel can be asked as one. */
static int is_kernel(CUgraphNode node)
{
	CUDA_KERNEL_NODE_PARAMS params;

	return cuGraphKernelNodeGetParams(node, &params) == CUDA_SUCCESS;
}

static void print_nodes(CUgraph graph)
{
	CUgraphNode nodes[64];
	CUgraphNodeType type;
	size_t count = sizeof nodes / sizeof nodes[0], memsets = 0, kernels = 0, i;

	must(cuGraphGetNodes(graph, nodes, &count), "cuGraphGetNodes");
	for (i = 0; i < count; i++) {
		must(cuGraphNodeGetType(nodes[i], &type), "cuGraphNodeGetType");
		kernels += is_kernel(nodes[i]);
		memsets += type == CU_GRAPH_NODE_TYPE_MEMSET && !is_kernel(nodes[i]);
	}
	printf("memset %zu kernel %zu\n", memsets, kernels);
}

/* The i-th of `count` memsets sets its bytes to i. */
static int right(const unsigned char *bytes, char **sizes, int count)
{
	int i;

	for (i = 0; i < count; i++) {
		size_t size = strtoul(sizes[i], NULL, 10), at;

		for (at = 0; at < size; at++)
			if (*bytes++ != (unsigned char)i)
				return 0;
		for (at = 0; at < GAP; at++)
			if (*bytes++ != BEFORE)
				return 0;
	}
	return 1;
}

int main(int argc, char **argv)
{
	CUcontext ctx;
	CUdevice device;
	CUdeviceptr base, at;
	CUgraph graph;
	CUgraphExec exec;
	CUstream s;
	size_t total = 0;
	unsigned char *host;
	int i;

	for (i = 1; i < argc; i++)
		total += strtoul(argv[i], NULL, 10) + GAP;
	must(cuInit(0), "cuInit");
	must(cuDeviceGet(&device, 0), "cuDeviceGet");
	must(cuDevicePrimaryCtxRetain(&ctx, device), "cuDevicePrimaryCtxRetain");
	must(cuCtxSetCurrent(ctx), "cuCtxSetCurrent");
	must(cuMemAlloc(&base, total + 1), "cuMemAlloc");
	must(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
	must(cuMemsetD8(base, BEFORE, total + 1), "cuMemsetD8");
	must(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL), "begin");
	for (i = 1, at = base; i < argc; i++) {
		size_t size = strtoul(argv[i], NULL, 10);

		must(cuMemsetD8Async(at, (unsigned char)(i - 1), size, s), "memset");
		at += size + GAP;
	}
	must(cuStreamEndCapture(s, &graph), "end");
	print_nodes(graph);
	must(cuGraphInstantiateWithFlags(&exec, graph, 0), "instantiate");
	must(cuGraphLaunch(exec, s), "launch");
	must(cuStreamSynchronize(s), "synchronize");
	host = malloc(total + 1);
	if (!host)
		return 1;
	must(cuMemcpyDtoH(host, base, total + 1), "cuMemcpyDtoH");
	printf("bytes %s\n", right(host, argv + 1, argc - 1) ? "right" : "wrong");
	free(host);
	return 0;
}
