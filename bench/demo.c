/* SPDX-License-Identifier: MIT */
/*
 * demo - what the shim changes: the same memsets captured without and with it.
 *
 * Captures each of a few memsets into a graph of its own, says what kind of node the
 * graph holds, replays it, and looks at every byte.  Runs on any libcuda, so also on
 * the simulated one, and therefore says nothing about time.
 */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REGION 1024 /* bytes looked at, those around the memset included */
#define BEFORE 0xEE /* what they hold before the replay */

#define must(call) must_be((call), #call, __LINE__)
static void must_be(CUresult result, const char *call, int line)
{
	const char *name = NULL;

	if (result == CUDA_SUCCESS)
		return;
	cuGetErrorName(result, &name);
	fprintf(stderr, "demo: line %d: %s: %s\n", line, call, name ? name : "?");
	exit(1);
}

static const struct request {
	const char *text;
	size_t offset; /* into the region */
	unsigned int value;
	unsigned int element; /* bytes */
	size_t width, height; /* elements, rows */
	size_t pitch;         /* bytes */
} requests[] = {
    {"cuMemsetD32Async, one word", 0, 0x01020304, 4, 1, 1, 0},
    {"cuMemsetD8Async, 256 bytes from an odd address", 3, 0x5A, 1, 256, 1, 0},
    {"cuMemsetD2D16Async, 5 rows of 40 bytes, 96 apart", 128, 0xBEEF, 2, 20, 5, 96},
};
#define REQUESTS (sizeof requests / sizeof requests[0])

static void capture(const struct request *r, CUdeviceptr region, CUstream s)
{
	CUdeviceptr at = region + r->offset;

	if (r->height > 1)
		must(cuMemsetD2D16Async(at, r->pitch, (unsigned short)r->value,
		                        r->width, r->height, s));
	else if (r->element == 4)
		must(cuMemsetD32Async(at, r->value, r->width, s));
	else
		must(cuMemsetD8Async(at, (unsigned char)r->value, r->width, s));
}

static void expect(const struct request *r, unsigned char region[REGION])
{
	size_t row, i;

	memset(region, BEFORE, REGION);
	for (row = 0; row < r->height; row++)
		for (i = 0; i < r->width; i++)
			memcpy(region + r->offset + row * r->pitch + i * r->element,
			       &r->value, r->element); /* little-endian */
}

static void describe(CUgraph graph, char *text, size_t size)
{
	CUDA_KERNEL_NODE_PARAMS params;
	CUgraphNode node;
	CUgraphNodeType type;
	const char *name = NULL;
	size_t count = 0;

	must(cuGraphGetNodes(graph, NULL, &count));
	if (count != 1) {
		snprintf(text, size, "%zu nodes", count);
		return;
	}
	must(cuGraphGetNodes(graph, &node, &count));
	must(cuGraphNodeGetType(node, &type));
	memset(&params, 0, sizeof params);
	/* A fill says that it is a memset; asked as a kernel it has a name. */
	if (cuGraphKernelNodeGetParams(node, &params) == CUDA_SUCCESS) {
		if (!params.func || cuFuncGetName(&name, params.func) != CUDA_SUCCESS)
			(void)cuKernelGetName(&name, params.kern);
		snprintf(text, size, "kernel %s", name ? name : "of another name");
	} else {
		snprintf(text, size, "%s",
		         type == CU_GRAPH_NODE_TYPE_MEMSET ? "memset" : "another kind");
	}
}

/* What was captured goes to text; 1 when every byte is right after the replay. */
static int show(const struct request *r, CUdeviceptr region, CUstream s, char *text,
                size_t size)
{
	unsigned char want[REGION], got[REGION];
	CUgraph graph;
	CUgraphExec exec;

	must(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	capture(r, region, s);
	must(cuStreamEndCapture(s, &graph));
	describe(graph, text, size);

	memset(got, BEFORE, sizeof got);
	must(cuMemcpyHtoD(region, got, sizeof got));
	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	must(cuGraphLaunch(exec, s));
	must(cuStreamSynchronize(s));
	must(cuMemcpyDtoH(got, region, sizeof got));
	must(cuGraphExecDestroy(exec));
	must(cuGraphDestroy(graph));
	expect(r, want);
	return !memcmp(got, want, sizeof got);
}

int main(void)
{
	int (*set_enabled)(int);
	CUcontext ctx;
	CUdeviceptr region;
	CUdevice device;
	CUstream stream;
	char without[64], with[64];
	size_t i, wrong = 0;
	int count = 0;

	if (cuInit(0) != CUDA_SUCCESS || cuDeviceGetCount(&count) != CUDA_SUCCESS ||
	    count < 1) {
		fputs("demo: no GPU, and not the simulated driver\n", stderr);
		return 77;
	}
	*(void **)&set_enabled = dlsym(RTLD_DEFAULT, "memsetshim_set_enabled");
	if (!set_enabled) {
		fputs("demo: preload libmemsetshim.so, or there is nothing to show\n",
		      stderr);
		return 1;
	}
	must(cuDeviceGet(&device, 0));
	must(cuDevicePrimaryCtxRetain(&ctx, device));
	must(cuCtxSetCurrent(ctx));
	must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	must(cuMemAlloc(&region, REGION));

	printf("Captured on %s:\n\n", dlsym(RTLD_DEFAULT, "sim_reset")
	                                  ? "the simulated driver (no GPU needed)"
	                                  : "the GPU's driver");
	printf("  %-53s  %-11s  %s\n", "what the program captures", "without",
	       "with the shim");
	for (i = 0; i < REQUESTS; i++) {
		set_enabled(0);
		wrong += !show(&requests[i], region, stream, without, sizeof without);
		set_enabled(1);
		wrong += !show(&requests[i], region, stream, with, sizeof with);
		printf("  %-53s  %-11s  %s\n", requests[i].text, without, with);
	}
	printf("\nReplayed %zu graphs, %d bytes compared in each: %s.\n", 2 * REQUESTS,
	       REGION,
	       wrong ? "SOME ARE WRONG"
	             : "all as the program asked, no other byte touched");

	must(cuMemFree(region));
	must(cuStreamDestroy(stream));
	must(cuDevicePrimaryCtxRelease(device));
	return wrong != 0;
}
