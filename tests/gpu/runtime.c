/* SPDX-License-Identifier: MIT */
/*
 * runtime.c - what becomes of the memsets that a runtime library captures.
 *
 * A plain C program of the runtime API, so that a C compiler, headers and a libcudart
 * of any release since 11.8 build it.  It captures fills and a copy, replays them onto
 * dirty memory, updates the executable graph with a second capture, and prints
 *
 *     runtime R built R
 *     nodes N kernels K memsets M        as the driver tells them, not the runtime
 *     bytes right                        or where the first wrong one is
 *     update ERROR RESULT                0 and 0 are success
 *     bytes right                        the second capture's
 *
 * Exits 1 when something went wrong, and 77 where the runtime finds no GPU: then it
 * prints what each call says.
 */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES ((size_t)160 << 10)
#define REPLAYS 3
#define NO_GPU 77

struct fill {
	size_t at, pitch, width, height; /* a pitch of 0: cudaMemsetAsync */
};

/* Apart from each other, so that a fill which is too long shows as well. */
static const struct fill fills[] = {
    {256, 0, 4, 1},       {1025, 0, 100, 1},  {8192, 0, 4096, 1},
    {16387, 0, 70000, 1}, {98304, 96, 37, 9}, {110592, 512, 512, 4},
};

#define FILLS (sizeof fills / sizeof *fills)

/* Takes filled bytes and dirty ones along, so it has to come after the third fill. */
#define COPY_FROM ((size_t)8100)
#define COPY_TO ((size_t)131072)
#define COPY_BYTES ((size_t)4300)

static unsigned char *memory; /* on the device */
static unsigned char dirt[BYTES], wanted[BYTES], got[BYTES];
static cudaStream_t stream;

#define must(call) check((call), #call, __LINE__)
static void check(cudaError_t error, const char *call, int line)
{
	if (error == cudaSuccess)
		return;
	printf("error line %d: %s: %d %s\n", line, call, (int)error,
	       cudaGetErrorName(error));
	exit(1);
}

/* --- where there is no GPU -------------------------------------------------------- */

static void tell(const char *call, cudaError_t error)
{
	printf("%s: %d %s, then %d\n", call, (int)error, cudaGetErrorName(error),
	       (int)cudaGetLastError());
}

#define TELL(call) tell(#call, call)

static void tell_errors(void)
{
	enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
	cudaGraph_t graph = NULL;
	void *at = NULL;
	int n = -1;

	TELL(cudaDriverGetVersion(&n));
	printf("driver %d\n", n);
	TELL(cudaGetDeviceCount(&n));
	TELL(cudaMalloc(&at, 4096));
	TELL(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal));
	TELL(cudaMemsetAsync(at, 1, 4096, cudaStreamPerThread));
	TELL(cudaMemset2DAsync(at, 64, 1, 32, 4, cudaStreamPerThread));
	TELL(cudaStreamIsCapturing(cudaStreamPerThread, &status));
	TELL(cudaStreamEndCapture(cudaStreamPerThread, &graph));
	TELL(cudaMemset(at, 1, 4096));
	TELL(cudaDeviceSynchronize());
}

/* --- the graph ---------------------------------------------------------------------
 */

/* Updating a graph changes memset nodes of one dimension only. */
static int fill_value(size_t i, int base)
{
	return ((fills[i].pitch ? 1 : base) + 37 * (int)i) & 0xff;
}

static cudaGraph_t capture(int base)
{
	cudaGraph_t graph;
	size_t i;

	must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	for (i = 0; i < FILLS; i++) {
		const struct fill *f = &fills[i];

		if (f->pitch)
			must(cudaMemset2DAsync(memory + f->at, f->pitch,
			                       fill_value(i, base), f->width, f->height,
			                       stream));
		else
			must(cudaMemsetAsync(memory + f->at, fill_value(i, base),
			                     f->width, stream));
	}
	must(cudaMemcpyAsync(memory + COPY_TO, memory + COPY_FROM, COPY_BYTES,
	                     cudaMemcpyDeviceToDevice, stream));
	must(cudaStreamEndCapture(stream, &graph));
	return graph;
}

static cudaGraphExec_t instantiate(cudaGraph_t graph)
{
	cudaGraphExec_t exec;

#if CUDART_VERSION < 12000
	must(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
#else
	must(cudaGraphInstantiate(&exec, graph, 0));
#endif
	return exec;
}

/* 0 when the executable graph now is what the second capture says. */
static int update(cudaGraphExec_t exec, cudaGraph_t graph)
{
	cudaError_t error;
	int result;
#if CUDART_VERSION < 12000
	enum cudaGraphExecUpdateResult why = cudaGraphExecUpdateError;
	cudaGraphNode_t node;

	error = cudaGraphExecUpdate(exec, graph, &node, &why);
	result = (int)why;
#else
	cudaGraphExecUpdateResultInfo info = {0};

	error = cudaGraphExecUpdate(exec, graph, &info);
	result = (int)info.result;
#endif
	printf("update %d %d\n", (int)error, result);
	return error == cudaSuccess && result == (int)cudaGraphExecUpdateSuccess ? 0
	                                                                         : -1;
}

/*
 * Asks the driver for the parameters of each node, which it has only for a node of that
 * kind: what a node is, and no opinion on what it should be called.  A cudaGraph_t is a
 * CUgraph.
 */
static void print_nodes(cudaGraph_t graph)
{
	typedef int (*nodes_fn)(cudaGraph_t graph, cudaGraphNode_t * nodes,
	                        size_t * count);
	typedef int (*params_fn)(cudaGraphNode_t node, void *params);
	void *libcuda = dlopen("libcuda.so.1", RTLD_NOW);
	cudaGraphNode_t nodes[4 * FILLS];
	size_t count = 4 * FILLS, kernels = 0, memsets = 0, i;
	long long params[64]; /* larger than either structure */
	params_fn kernel, fill;
	nodes_fn get;

	*(void **)&get = libcuda ? dlsym(libcuda, "cuGraphGetNodes") : NULL;
	*(void **)&kernel =
	    libcuda ? dlsym(libcuda, "cuGraphKernelNodeGetParams_v2") : NULL;
	if (libcuda && !kernel) /* a driver older than 12.0 */
		*(void **)&kernel = dlsym(libcuda, "cuGraphKernelNodeGetParams");
	*(void **)&fill = libcuda ? dlsym(libcuda, "cuGraphMemsetNodeGetParams") : NULL;
	if (!get || !kernel || !fill || get(graph, nodes, &count) != 0) {
		printf("error: the driver does not tell the graph's nodes\n");
		exit(1);
	}
	for (i = 0; i < count; i++) {
		kernels += kernel(nodes[i], params) == 0;
		memsets += fill(nodes[i], params) == 0;
	}
	printf("nodes %zu kernels %zu memsets %zu\n", count, kernels, memsets);
}

/* --- the bytes ---------------------------------------------------------------------
 */

static void want(int base)
{
	size_t i, row;

	memcpy(wanted, dirt, BYTES);
	for (i = 0; i < FILLS; i++)
		for (row = 0; row < fills[i].height; row++)
			memset(wanted + fills[i].at + row * fills[i].pitch,
			       fill_value(i, base), fills[i].width);
	memcpy(wanted + COPY_TO, wanted + COPY_FROM, COPY_BYTES);
}

/* Replays onto other dirt each time; 0 when every byte was right. */
static int replay(cudaGraphExec_t exec, int base)
{
	size_t i;
	int n;

	for (n = 0; n < REPLAYS; n++) {
		for (i = 0; i < BYTES; i++)
			dirt[i] = (unsigned char)(i * 7 + i / 251 + (size_t)n * 85);
		want(base);
		must(cudaMemcpy(memory, dirt, BYTES, cudaMemcpyHostToDevice));
		/* It may return before the bytes are there. */
		must(cudaDeviceSynchronize());
		must(cudaGraphLaunch(exec, stream));
		must(cudaStreamSynchronize(stream));
		must(cudaMemcpy(got, memory, BYTES, cudaMemcpyDeviceToHost));
		for (i = 0; i < BYTES && got[i] == wanted[i]; i++)
			;
		if (i < BYTES) {
			printf("bytes wrong in replay %d at %zu: %d, not %d\n", n, i,
			       got[i], wanted[i]);
			return -1;
		}
	}
	printf("bytes right\n");
	return 0;
}

int main(void)
{
	cudaGraph_t first, second;
	cudaGraphExec_t exec;
	int version = 0, devices = 0, bad;

	/* Without a driver some releases do not even tell their version. */
	(void)cudaRuntimeGetVersion(&version);
	printf("runtime %d built %d\n", version, CUDART_VERSION);
	if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
		tell_errors();
		return NO_GPU;
	}
	must(cudaMalloc((void **)&memory, BYTES));
#ifndef CUDA_API_PER_THREAD_DEFAULT_STREAM
	/* The legacy stream cannot be captured; the thread's own is stream 0 otherwise.
	 */
	must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
#endif
	first = capture(1);
	print_nodes(first);
	exec = instantiate(first);
	bad = replay(exec, 1);
	second = capture(101);
	bad = (update(exec, second) || replay(exec, 101)) || bad;
	must(cudaGraphExecDestroy(exec));
	must(cudaGraphDestroy(first));
	must(cudaGraphDestroy(second));
	must(cudaFree(memory));
	return bad;
}
