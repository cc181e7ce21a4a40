/* SPDX-License-Identifier: MIT */
/*
 * branches.cu - a graph of short kernels with a 4-byte memset after each of them, or at
 * the heads of branches.
 *
 *     branches [memset|kernel|none] [PAIRS] [REPLAYS] [BRANCHES] [--gate]
 *
 * kernel: a one-thread kernel of the program's own in the memset's place; none:
 * neither. BRANCHES: the graph forks that often, with a memset at each branch's head,
 * and joins. Prints a checksum; with --gate also, on stderr, the median time of a
 * replay in us, between events, behind a kernel that keeps the GPU busy until all is
 * queued.
 */
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call) check(call, #call)

static void check(cudaError_t error, const char *call)
{
	if (error != cudaSuccess) {
		fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
		exit(1);
	}
}

enum { BLOCKS = 132, THREADS = 256, MAX_BRANCHES = 8, SIZE = BLOCKS * THREADS };

static __global__ void work(float *data)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	data[i] = data[i] * 0.5f + 1.0f;
}

static __global__ void set_one(int *flag)
{
	*flag = 0;
}

static __global__ void spin(long long cycles)
{
	long long begun = clock64();

	while (clock64() - begun < cycles)
		;
}

static const char *mode = "memset";
static int pairs = 1000, replays = 300, branches, gate;
static float *data;
static int *flags;
static cudaStream_t stream, side[MAX_BRANCHES];
static cudaEvent_t fork_event, joins[MAX_BRANCHES];

static void set_flag(int *flag, cudaStream_t s)
{
	if (!strcmp(mode, "memset"))
		CHECK(cudaMemsetAsync(flag, 0, sizeof *flag, s));
	else if (!strcmp(mode, "kernel"))
		set_one<<<1, 1, 0, s>>>(flag);
}

static void capture_pair()
{
	work<<<BLOCKS, THREADS, 0, stream>>>(data);
	if (!branches)
		set_flag(flags, stream);
	CHECK(cudaEventRecord(fork_event, stream));
	for (int i = 0; i < branches; i++) {
		CHECK(cudaStreamWaitEvent(side[i], fork_event, 0));
		set_flag(flags + i, side[i]);
		work<<<BLOCKS / MAX_BRANCHES, THREADS, 0, side[i]>>>(data +
		                                                     (i + 1) * SIZE);
		CHECK(cudaEventRecord(joins[i], side[i]));
		CHECK(cudaStreamWaitEvent(stream, joins[i], 0));
	}
}

static void measure(cudaGraphExec_t exec)
{
	std::vector<float> times;
	cudaEvent_t begin, end;
	float ms;

	CHECK(cudaEventCreate(&begin));
	CHECK(cudaEventCreate(&end));
	for (int i = 0; i < 51; i++) {
		spin<<<1, 1, 0, stream>>>(10000000);
		CHECK(cudaEventRecord(begin, stream));
		CHECK(cudaGraphLaunch(exec, stream));
		CHECK(cudaEventRecord(end, stream));
		CHECK(cudaStreamSynchronize(stream));
		CHECK(cudaEventElapsedTime(&ms, begin, end));
		times.push_back(1000 * ms);
	}
	std::sort(times.begin(), times.end());
	fprintf(stderr, "replay_us %.3f\n", times[times.size() / 2]);
}

static void print_checksum()
{
	std::vector<float> host((MAX_BRANCHES + 1) * SIZE);
	double sum = 0;
	int set = 0;

	CHECK(cudaMemcpy(host.data(), data, host.size() * sizeof(float),
	                 cudaMemcpyDeviceToHost));
	for (float value : host)
		sum += value;
	CHECK(cudaMemcpy(&set, flags, sizeof set, cudaMemcpyDeviceToHost));
	printf("branches: sum %.6f, flag %d\n", sum, set);
	fflush(stdout);
}

static void read_arguments(int argc, char **argv)
{
	int *numbers[] = {&pairs, &replays, &branches};
	int n = 0;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--gate"))
			gate = 1;
		else if (argv[i][0] >= '0' && argv[i][0] <= '9' && n < 3)
			*numbers[n++] = atoi(argv[i]);
		else
			mode = argv[i];
	}
	branches = std::min(branches, (int)MAX_BRANCHES);
}

int main(int argc, char **argv)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	read_arguments(argc, argv);
	CHECK(cudaMalloc(&data, (MAX_BRANCHES + 1) * SIZE * sizeof *data));
	CHECK(cudaMalloc(&flags, MAX_BRANCHES * sizeof *flags));
	CHECK(cudaMemset(data, 0, (MAX_BRANCHES + 1) * SIZE * sizeof *data));
	CHECK(cudaMemset(flags, 1, MAX_BRANCHES * sizeof *flags));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaEventCreateWithFlags(&fork_event, cudaEventDisableTiming));
	for (int i = 0; i < branches; i++) {
		CHECK(cudaStreamCreate(&side[i]));
		CHECK(cudaEventCreateWithFlags(&joins[i], cudaEventDisableTiming));
	}
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	for (int i = 0; i < pairs; i++)
		capture_pair();
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	for (int i = 0; i < replays; i++)
		CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	if (gate)
		measure(exec);
	CHECK(cudaGetLastError());
	print_checksum();
	return 0;
}
