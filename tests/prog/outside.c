/* SPDX-License-Identifier: MIT */
#include "outside.h"

#include <dlfcn.h>
#include <string.h>

#include "drv.h"

#define VALUE 0x3c
#define BEFORE 0xa5

static CUstream stream;
static CUdeviceptr memory;

void outside_start(void)
{
	drv_start();
	stream = drv_stream();
	memory = drv_alloc(OUTSIDE_BYTES);
}

CUstream outside_stream(void)
{
	return stream;
}

CUdeviceptr outside_memory(void)
{
	return memory;
}

const char *outside_kind(CUgraph graph)
{
	__typeof__(&cuGraphKernelNodeGetParams) get_kernel;
	__typeof__(&cuGraphMemsetNodeGetParams) get_memset;
	CUDA_KERNEL_NODE_PARAMS kernel;
	CUDA_MEMSET_NODE_PARAMS set;
	CUgraphNode node;
	size_t count = drv_nodes(graph);

	*(void **)&get_kernel = drv_own("cuGraphKernelNodeGetParams_v2");
	*(void **)&get_memset = drv_own("cuGraphMemsetNodeGetParams");
	if (!get_kernel || !get_memset)
		return "not to be seen";
	if (count != 1)
		return count ? "several nodes" : "no node";
	must(cuGraphGetNodes(graph, &node, &count));
	return get_kernel(node, &kernel) == CUDA_SUCCESS ? "kernel"
	       : get_memset(node, &set) == CUDA_SUCCESS  ? "memset"
	                                                 : "another node";
}

CUgraph outside_graph(outside_set set)
{
	CUgraph graph;

	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	must(set(memory, VALUE, OUTSIDE_BYTES, stream));
	must(cuStreamEndCapture(stream, &graph));
	return graph;
}

void outside_show(const char *what, CUgraph graph)
{
	unsigned char bytes[OUTSIDE_BYTES], want[OUTSIDE_BYTES];

	memset(bytes, BEFORE, sizeof bytes);
	memset(want, VALUE, sizeof want);
	drv_write(memory, bytes, sizeof bytes);
	must(drv_replay(graph, stream, 2));
	drv_read(bytes, memory, sizeof bytes);
	printf("%s: %s, bytes %s\n", what, outside_kind(graph),
	       memcmp(bytes, want, sizeof bytes) ? "wrong" : "right");
	fflush(stdout);
	must(cuGraphDestroy(graph));
}

void outside_capture(const char *what)
{
	outside_show(what, outside_graph(cuMemsetD8Async));
}

const char *outside_object(const void *address)
{
	Dl_info info;
	const char *slash;

	if (!address || !dladdr(address, &info) || !info.dli_fname)
		return "nowhere";
	slash = strrchr(info.dli_fname, '/');
	return slash ? slash + 1 : info.dli_fname;
}
