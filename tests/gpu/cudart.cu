/* SPDX-License-Identifier: MIT */
/*
 * cudart.cu - captures every asynchronous memset that the runtime API offers, and says
 * which nodes came of it and which bytes its replays left.
 *
 *     STREAM OPERATION memset M kernel K other O bytes HASH
 *
 * A line each; `eager` for M, K and O where nothing was captured.  cudart.sh compares
 * the lines of a bare and of a shimmed run.  Built with the static and the shared
 * runtime, and with the legacy and the per-thread default stream.  Exits 77 where there
 * is no GPU.
 */
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#define BYTES ((size_t)4 << 20)

static unsigned char *device;
static std::vector<unsigned char> pattern(BYTES), result(BYTES);

#define must(call) check((call), #call, __LINE__)
static void check(cudaError_t error, const char *call, int line)
{
	if (error == cudaSuccess)
		return;
	printf("error line %d: %s: %s\n", line, call, cudaGetErrorName(error));
	exit(error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ? 77
	                                                                        : 1);
}

static void must_driver(CUresult result, int line)
{
	if (result == CUDA_SUCCESS)
		return;
	printf("error line %d: CUresult %d\n", line, (int)result);
	exit(1);
}

/* --- the operations ------------------------------------------------------------- */

static void one_word(cudaStream_t s)
{
	must(cudaMemsetAsync(device + 64, 0, 4, s));
}

static void odd_bytes(cudaStream_t s)
{
	must(cudaMemsetAsync(device + 13, 0x5a, (1 << 20) + 3, s));
}

static void three_in_a_row(cudaStream_t s)
{
	must(cudaMemsetAsync(device, 1, 4096, s));
	must(cudaMemsetAsync(device + 100, 2, 1000, s));
	must(cudaMemsetAsync(device + 4000, 0xff, 7777, s));
}

static void zero_bytes(cudaStream_t s)
{
	must(cudaMemsetAsync(device + 8, 0x11, 0, s));
	must(cudaMemsetAsync(device + 8, 0x11, 1, s));
}

static void rows(cudaStream_t s)
{
	must(cudaMemset2DAsync(device + 32, 256, 0x33, 64, 64, s));
}

static void odd_rows(cudaStream_t s)
{
	must(cudaMemset2DAsync(device + 5, 333, 0x44, 77, 19, s));
}

static void box(cudaStream_t s)
{
	must(cudaMemset3DAsync(make_cudaPitchedPtr(device, 512, 300, 20), 0x66,
	                       make_cudaExtent(100, 10, 4), s));
}

static void whole_box(cudaStream_t s)
{
	must(cudaMemset3DAsync(make_cudaPitchedPtr(device, 512, 512, 20), 0x77,
	                       make_cudaExtent(512, 20, 4), s));
}

typedef CUresult (*d8_fn)(CUdeviceptr, unsigned char, size_t, CUstream);
typedef CUresult (*d32_fn)(CUdeviceptr, unsigned int, size_t, CUstream);

static void *entry(const char *name)
{
	cudaDriverEntryPointQueryResult status;
	void *found = NULL;

	must(cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &status));
	return status == cudaDriverEntryPointSuccess ? found : NULL;
}

static void *entry_by_version(const char *name)
{
	void *found = NULL;
#if CUDART_VERSION >= 12050
	cudaDriverEntryPointQueryResult status;

	must(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault,
	                                      &status));
	if (status != cudaDriverEntryPointSuccess)
		found = NULL;
#else
	found = entry(name);
#endif
	return found;
}

static void call_d8(void *function, cudaStream_t s)
{
	must_driver(((d8_fn)function)((CUdeviceptr)device + 7, 0x88, 999, s), __LINE__);
}

static void call_d32(void *function, cudaStream_t s)
{
	must_driver(((d32_fn)function)((CUdeviceptr)device + 16, 0xdeadbeef, 1001, s),
	            __LINE__);
}

static void entry_d8(cudaStream_t s)
{
	call_d8(entry("cuMemsetD8Async"), s);
}

static void entry_d32(cudaStream_t s)
{
	call_d32(entry("cuMemsetD32Async"), s);
}

static void version_d8(cudaStream_t s)
{
	call_d8(entry_by_version("cuMemsetD8Async"), s);
}

static void version_d32(cudaStream_t s)
{
	call_d32(entry_by_version("cuMemsetD32Async"), s);
}

static const struct operation {
	const char *name;
	void (*run)(cudaStream_t);
} operations[] = {
    {"one-word", one_word},
    {"odd-bytes", odd_bytes},
    {"three-in-a-row", three_in_a_row},
    {"zero-bytes-then-one", zero_bytes},
    {"2d", rows},
    {"2d-odd", odd_rows},
    {"3d", box},
    {"3d-whole", whole_box},
    {"entry-point-D8", entry_d8},
    {"entry-point-D32", entry_d32},
    {"entry-point-by-version-D8", version_d8},
    {"entry-point-by-version-D32", version_d32},
};

/* --- measuring them -------------------------------------------------------------- */

static void dirty(void)
{
	must(cudaMemcpy(device, pattern.data(), BYTES, cudaMemcpyHostToDevice));
	must(cudaDeviceSynchronize());
}

static uint64_t hash_device(void)
{
	uint64_t h = 14695981039346656037u;

	must(cudaDeviceSynchronize());
	must(cudaMemcpy(result.data(), device, BYTES, cudaMemcpyDeviceToHost));
	for (unsigned char byte : result)
		h = (h ^ byte) * 1099511628211u;
	return h;
}

/* The driver's getter, because the runtime knows only kernels of its own. */
static bool is_kernel(cudaGraphNode_t node)
{
	static CUresult (*get)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS *);
	CUDA_KERNEL_NODE_PARAMS params;

	if (!get) {
		cudaDriverEntryPointQueryResult found;

		must(cudaGetDriverEntryPointByVersion("cuGraphKernelNodeGetParams",
		                                      (void **)&get, 12000,
		                                      cudaEnableDefault, &found));
	}
	return get(node, &params) == CUDA_SUCCESS;
}

static void print_nodes(cudaGraph_t graph)
{
	size_t n = 0, memsets = 0, kernels = 0;

	must(cudaGraphGetNodes(graph, NULL, &n));
	std::vector<cudaGraphNode_t> nodes(n);
	if (n)
		must(cudaGraphGetNodes(graph, nodes.data(), &n));
	for (cudaGraphNode_t node : nodes) {
		cudaGraphNodeType type;

		must(cudaGraphNodeGetType(node, &type));
		/* A fill says that it is a memset; asked as a kernel it answers. */
		if (is_kernel(node))
			kernels++;
		else
			memsets += type == cudaGraphNodeTypeMemset;
	}
	printf("memset %zu kernel %zu other %zu", memsets, kernels,
	       n - memsets - kernels);
}

static void captured(const char *stream_name, cudaStream_t s, const operation &op)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	must(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	op.run(s);
	must(cudaStreamEndCapture(s, &graph));
	must(cudaGraphInstantiate(&exec, graph, 0));
	must(cudaGraphLaunch(exec, s));
	must(cudaStreamSynchronize(s));
	dirty(); /* the second replay has to do all the work again */
	must(cudaGraphLaunch(exec, s));
	must(cudaStreamSynchronize(s));
	printf("%s %s ", stream_name, op.name);
	print_nodes(graph);
	printf(" bytes %016llx\n", (unsigned long long)hash_device());
	must(cudaGraphExecDestroy(exec));
	must(cudaGraphDestroy(graph));
}

static void eager(const char *stream_name, cudaStream_t s, const operation &op)
{
	dirty();
	op.run(s);
	must(cudaStreamSynchronize(s));
	printf("%s %s eager bytes %016llx\n", stream_name, op.name,
	       (unsigned long long)hash_device());
}

int main(void)
{
	cudaStream_t created;
	int devices = 0;

	must(cudaGetDeviceCount(&devices));
	must(cudaStreamCreateWithFlags(&created, cudaStreamNonBlocking));
	must(cudaMalloc(&device, BYTES));
	for (size_t i = 0; i < BYTES; i++)
		pattern[i] = (unsigned char)(i * 37 + (i >> 8) + 11);

	const struct {
		const char *name;
		cudaStream_t stream;
	} streams[] = {
	    {"created", created},
	    {"per-thread", cudaStreamPerThread},
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
	    {"default", 0}, /* the legacy one cannot be captured */
#endif
	};
	for (const auto &stream : streams) {
		for (const operation &op : operations) {
			captured(stream.name, stream.stream, op);
			eager(stream.name, stream.stream, op);
		}
	}
	return 0;
}
