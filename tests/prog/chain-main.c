/* SPDX-License-Identifier: MIT */
/*
 * chain-main LIBRARY: calls the functions of a library in levels (chain-level.c), the
 * one that sets memory in a capture, and prints who was called and what came of it.
 */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE 64u

typedef int (*create_fn)(int depth);
typedef __typeof__(&cuMemsetD8Async) set_fn;

static void must(CUresult result, const char *what)
{
	if (result == CUDA_SUCCESS)
		return;
	printf("%s: %d\n", what, (int)result);
	exit(1);
}

static void *look(void *library, const char *name)
{
	void *found = dlsym(library, name);

	if (!found)
		printf("%s is not there\n", name);
	return found;
}

static void capture(set_fn set)
{
	unsigned char bytes[SIZE];
	CUcontext ctx;
	CUdeviceptr p;
	CUgraphExec exec;
	CUstream stream;
	CUgraph graph;
	size_t n = 0, i, bad = 0;

	must(cuInit(0), "cuInit");
	must(cuDevicePrimaryCtxRetain(&ctx, 0), "context");
	must(cuCtxSetCurrent(ctx), "current");
	must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "stream");
	must(cuMemAlloc(&p, SIZE), "memory");
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), "begin");
	printf("the memset: %d\n", (int)set(p, 0x3c, SIZE, stream));
	must(cuStreamEndCapture(stream, &graph), "end");
	must(cuGraphGetNodes(graph, NULL, &n), "nodes");
	must(cuGraphInstantiate(&exec, graph, 0), "instantiate");
	must(cuGraphLaunch(exec, stream), "launch");
	must(cuStreamSynchronize(stream), "wait");
	must(cuMemcpyDtoH(bytes, p, SIZE), "read");
	for (i = 0; i < SIZE; i++)
		bad += bytes[i] != 0x3c;
	printf("%zu nodes, bytes %s\n", n, bad ? "wrong" : "right");
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"cudnnCreate", "cublasCreate_v2",
	                                    "cuChainCreate"};
	void *library =
	    argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : RTLD_DEFAULT;
	set_fn set;
	size_t i;

	if (argc > 1 && !library) {
		printf("%s\n", dlerror());
		return 1;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < sizeof names / sizeof *names; i++) {
		create_fn create;

		*(void **)&create = look(library, names[i]);
		printf("%s: %d\n", names[i], create ? create(1) : -3);
	}
	*(void **)&set = look(library, "cuMemsetD8Async");
	if (set)
		capture(set);
	return 0;
}
