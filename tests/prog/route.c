/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "route.h"

#define FUNCTIONS(F)                   \
	F(cuInit)                      \
	F(cuDeviceGet)                 \
	F(cuDevicePrimaryCtxRetain)    \
	F(cuCtxSetCurrent)             \
	F(cuMemAlloc)                  \
	F(cuMemcpyHtoD)                \
	F(cuMemcpyDtoH)                \
	F(cuStreamCreate)              \
	F(cuStreamSynchronize)         \
	F(cuStreamBeginCapture)        \
	F(cuStreamEndCapture)          \
	F(cuMemsetD8Async)             \
	F(cuMemsetD16Async)            \
	F(cuMemsetD32Async)            \
	F(cuMemsetD2D8Async)           \
	F(cuMemsetD2D16Async)          \
	F(cuMemsetD2D32Async)          \
	F(cuGraphGetNodes)             \
	F(cuGraphNodeGetType)          \
	F(cuGraphKernelNodeGetParams)  \
	F(cuGraphInstantiateWithFlags) \
	F(cuGraphLaunch)

/* The macros of cuda.h expand both here and where a field is used. */
static struct {
#define FIELD(name) __typeof__(&(name)) name;
	FUNCTIONS(FIELD)
} cu;

#define BUFFER 4096
#define BEFORE 0x5a
#define PITCH 128

static CUdeviceptr buffer;
static int failed;

#define must(call) check((call), #call)

static void check(CUresult result, const char *call)
{
	if (result == CUDA_SUCCESS)
		return;
	printf("%s: CUresult %d\n", call, (int)result);
	exit(1);
}

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

static void get_all(route_lookup lookup)
{
	void *found;

#define GET(name)                                 \
	found = lookup(#name, TEXT(name));        \
	if (!found) {                             \
		printf("%s: not found\n", #name); \
		exit(1);                          \
	}                                         \
	*(void **)&cu.name = found;
	FUNCTIONS(GET)
}

static const char *kind_of(CUgraph graph)
{
	CUgraphNode node;
	CUgraphNodeType type;
	CUDA_KERNEL_NODE_PARAMS params;
	size_t count = 0;

	must(cu.cuGraphGetNodes(graph, NULL, &count));
	if (count != 1)
		return "no single node";
	must(cu.cuGraphGetNodes(graph, &node, &count));
	must(cu.cuGraphNodeGetType(node, &type));
	/* A fill says that it is a memset, and can be asked as a kernel. */
	if (cu.cuGraphKernelNodeGetParams(node, &params) == CUDA_SUCCESS)
		return "kernel";
	return type == CU_GRAPH_NODE_TYPE_MEMSET ? "memset" : "another node";
}

/* Rows of `width` bytes at offset 16, each byte as element and value say. */
static int bytes_right(unsigned int value, unsigned int elem, size_t width, size_t rows)
{
	static unsigned char got[BUFFER];
	size_t i;

	must(cu.cuMemcpyDtoH(got, buffer, sizeof got));
	for (i = 0; i < sizeof got; i++) {
		size_t row = i < 16 ? rows : (i - 16) / PITCH;
		size_t column = i < 16 ? 0 : (i - 16) % PITCH;
		int inside = row < rows && column < width;
		unsigned char want = (unsigned char)(value >> (8 * (column % elem)));

		if (got[i] != (inside ? want : BEFORE))
			return 0;
	}
	return 1;
}

static void show(const char *what, CUstream stream, unsigned int value,
                 unsigned int elem, size_t width, size_t rows)
{
	static unsigned char before[BUFFER];
	CUgraph graph;
	CUgraphExec exec;
	int right;

	must(cu.cuStreamEndCapture(stream, &graph));
	memset(before, BEFORE, sizeof before);
	must(cu.cuMemcpyHtoD(buffer, before, sizeof before));
	must(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
	must(cu.cuGraphLaunch(exec, stream));
	must(cu.cuStreamSynchronize(stream));
	right = bytes_right(value, elem, width, rows);
	failed += !right;
	printf("%s: %s, bytes %s\n", what, kind_of(graph), right ? "right" : "wrong");
}

static void begin(CUstream stream)
{
	must(cu.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
}

int route_run(route_lookup lookup, enum route_stream which)
{
	CUstream s = NULL;
	CUcontext ctx;
	CUdevice device;
	CUdeviceptr at;

	get_all(lookup);
	must(cu.cuInit(0));
	must(cu.cuDeviceGet(&device, 0));
	must(cu.cuDevicePrimaryCtxRetain(&ctx, device));
	must(cu.cuCtxSetCurrent(ctx));
	must(cu.cuMemAlloc(&buffer, BUFFER));
	if (which == ROUTE_CREATED)
		must(cu.cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	at = buffer + 16;

	begin(s);
	must(cu.cuMemsetD8Async(at, 0x11, 100, s));
	show("D8", s, 0x11, 1, 100, 1);
	begin(s);
	must(cu.cuMemsetD16Async(at, 0x2122, 33, s));
	show("D16", s, 0x2122, 2, 66, 1);
	begin(s);
	must(cu.cuMemsetD32Async(at, 0x31323334, 32, s));
	show("D32", s, 0x31323334, 4, 128, 1);
	begin(s);
	must(cu.cuMemsetD2D8Async(at, PITCH, 0x41, 7, 5, s));
	show("D2D8", s, 0x41, 1, 7, 5);
	begin(s);
	must(cu.cuMemsetD2D16Async(at, PITCH, 0x5152, 9, 4, s));
	show("D2D16", s, 0x5152, 2, 18, 4);
	begin(s);
	must(cu.cuMemsetD2D32Async(at, PITCH, 0x61626364, 3, 3, s));
	show("D2D32", s, 0x61626364, 4, 12, 3);
	return failed != 0;
}

void *route_open(const char *library, int flags)
{
	void *handle = dlopen(library, flags);

	if (!handle) {
		printf("%s\n", dlerror());
		exit(1);
	}
	return handle;
}

void *route_symbol(void *handle, const char *name)
{
	void *found = dlsym(handle, name);

	if (!found)
		printf("%s\n", dlerror());
	return found;
}
