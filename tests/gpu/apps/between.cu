/* SPDX-License-Identifier: MIT */
/*
 * between.cu - a graph of short kernels with a 4-byte memset between each two.
 *
 *     between [REPLAYS] [memset|kernel|none] [nodes=PAIRS]
 *
 * The memset does what libraries use it for: it clears the counter by which the last
 * block of the next kernel knows itself.  `kernel` clears it with a one-thread kernel
 * of its own, to the same checksum; `none` does not clear it, so that its checksum is
 * another.  Exits 77 where there is no GPU.
 */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

static const int blocks = 132, threads = 256, steps = 16;

enum clear { MEMSET, KERNEL, NONE };
static const char *const clear_names[] = {"memset", "kernel", "none"};

static struct {
	int replays, pairs;
	enum clear clear;
} options = {300, 1000, MEMSET};

#define must(call) check((call), #call, __LINE__)
static void check(cudaError_t error, const char *call, int line)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "between: line %d: %s: %s\n", line, call,
	        cudaGetErrorName(error));
	exit(error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ? 77
	                                                                        : 1);
}

/* About 1.5 us on an H200.  rounds: how many kernels found their counter cleared. */
static __global__ void compute(uint32_t *data, uint32_t *counter, uint32_t *rounds)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
	uint32_t x;

	if (threadIdx.x == 0 && atomicAdd(counter, 1) == gridDim.x - 1)
		*rounds += 1;
	x = data[i];
	for (int step = 0; step < steps; step++)
		x = x * 1664525u + 1013904223u;
	data[i] = x;
}

static __global__ void clear_word(uint32_t *word)
{
	*word = 0;
}

static int usage(void)
{
	fputs("usage: between [REPLAYS] [memset|kernel|none] [nodes=PAIRS]\n", stderr);
	return 2;
}

static int read_count(const char *text, int *count)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (end == text || *end != '\0' || value < 1 || value > 10000000)
		return 0;
	*count = (int)value;
	return 1;
}

static int read_argument(const char *text)
{
	for (int i = MEMSET; i <= NONE; i++) {
		if (strcmp(text, clear_names[i]) == 0) {
			options.clear = (enum clear)i;
			return 1;
		}
	}
	if (strncmp(text, "nodes=", 6) == 0)
		return read_count(text + 6, &options.pairs);
	return read_count(text, &options.replays);
}

/* data, then the counter and the rounds */
static cudaGraphExec_t capture(cudaStream_t stream, uint32_t *data)
{
	uint32_t *counter = data + blocks * threads, *rounds = counter + 1;
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	for (int i = 0; i < options.pairs; i++) {
		compute<<<blocks, threads, 0, stream>>>(data, counter, rounds);
		if (options.clear == MEMSET)
			must(cudaMemsetAsync(counter, 0, sizeof *counter, stream));
		else if (options.clear == KERNEL)
			clear_word<<<1, 1, 0, stream>>>(counter);
	}
	must(cudaGetLastError());
	must(cudaStreamEndCapture(stream, &graph));
	must(cudaGraphInstantiate(&exec, graph, 0));
	must(cudaGraphDestroy(graph));
	return exec;
}

static uint64_t checksum(const void *memory, size_t bytes)
{
	const unsigned char *at = (const unsigned char *)memory;
	uint64_t sum = 14695981039346656037u; /* FNV-1a */

	for (size_t i = 0; i < bytes; i++)
		sum = (sum ^ at[i]) * 1099511628211u;
	return sum;
}

int main(int argc, char **argv)
{
	const size_t words = (size_t)blocks * threads + 2;
	const size_t bytes = words * sizeof(uint32_t);
	std::vector<uint32_t> host(words);
	cudaGraphExec_t exec;
	cudaStream_t stream;
	uint32_t *data;

	for (int i = 1; i < argc; i++)
		if (!read_argument(argv[i]))
			return usage();
	for (size_t i = 0; i < words - 2; i++)
		host[i] = (uint32_t)i;
	must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	must(cudaMalloc(&data, bytes));
	must(cudaMemcpy(data, host.data(), bytes, cudaMemcpyHostToDevice));
	exec = capture(stream, data);
	for (int i = 0; i < options.replays; i++)
		must(cudaGraphLaunch(exec, stream));
	must(cudaStreamSynchronize(stream));
	must(cudaMemcpy(host.data(), data, bytes, cudaMemcpyDeviceToHost));
	printf("between %s rounds %u data %016llx\n", clear_names[options.clear],
	       host[words - 1], (unsigned long long)checksum(host.data(), bytes));
	must(cudaGraphExecDestroy(exec));
	must(cudaStreamDestroy(stream));
	must(cudaFree(data));
	return 0;
}
