/* SPDX-License-Identifier: MIT */
/*
 * Two devices: a memset in a stream of one while the other is current becomes a fill
 * there, and memory of the other device, with or without access to it, is left to the
 * driver; calls, captures and bytes are as natively.
 */
#include <string.h>

#include "drv.h"

#define SIZE 512u

static CUcontext home[2];
static CUstream stream[2];
static CUdeviceptr memory[2];

struct outcome {
	CUresult call, end, instantiate, launch;
	size_t nodes, kernels;
	int bytes_right, current_kept;
};

static int current_is(CUcontext ctx)
{
	CUcontext now;

	must(cuCtxGetCurrent(&now));
	return now == ctx;
}

static int bytes_are(int device, unsigned char value)
{
	unsigned char got[SIZE];
	size_t i, bad = 0;

	must(cuCtxPushCurrent(home[device]));
	drv_read(got, memory[device], SIZE);
	must(cuCtxPopCurrent(NULL));
	for (i = 0; i < SIZE; i++)
		bad += got[i] != value;
	return !bad;
}

/* In `of`'s stream, on `where`'s memory, with `current`'s context. */
static struct outcome try(int of, int where, int current, int shimmed)
{
	unsigned char zero[SIZE] = {0};
	struct outcome o = {.instantiate = CUDA_ERROR_UNKNOWN};
	CUgraph graph = NULL;
	CUgraphExec exec;

	must(cuCtxSetCurrent(home[where]));
	drv_write(memory[where], zero, SIZE);
	must(cuCtxSetCurrent(home[current]));
	drv_shim(shimmed);
	must(cuStreamBeginCapture(stream[of], CU_STREAM_CAPTURE_MODE_GLOBAL));
	o.call = cuMemsetD32Async(memory[where], 0x4b4b4b4b, SIZE / 4, stream[of]);
	o.end = cuStreamEndCapture(stream[of], &graph);
	drv_shim(1);
	o.current_kept = current_is(home[current]);
	if (graph) {
		o.nodes = drv_nodes(graph);
		o.kernels = drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL);
		o.instantiate = cuGraphInstantiateWithFlags(&exec, graph, 0);
	}
	if (o.instantiate == CUDA_SUCCESS) {
		o.launch = cuGraphLaunch(exec, stream[of]);
		must(cuStreamSynchronize(stream[of]));
		o.bytes_right = bytes_are(where, 0x4b);
		must(cuGraphExecDestroy(exec));
	}
	if (graph)
		must(cuGraphDestroy(graph));
	return o;
}

static void both(const char *what, int of, int where, int current, size_t kernels)
{
	struct outcome n = try(of, where, current, 0), o = try(of, where, current, 1);

	ok(n.call == o.call && n.end == o.end && n.nodes == o.nodes &&
	       n.instantiate == o.instantiate && n.launch == o.launch &&
	       n.bytes_right == o.bytes_right,
	   "%s: memset %d, end %d, instantiation %d, launch %d (natively %d, %d, %d, "
	   "%d)",
	   what, (int)o.call, (int)o.end, (int)o.instantiate, (int)o.launch,
	   (int)n.call, (int)n.end, (int)n.instantiate, (int)n.launch);
	ok(n.current_kept && o.current_kept, "%s: the current context is kept", what);
	is(o.kernels, kernels, "%s: fills", what);
}

int main(void)
{
	CUresult (*enable)(CUcontext, unsigned int);
	int devices, i, access = 0;

	drv_start();
	must(cuDeviceGetCount(&devices));
	if (devices < 2)
		skip_all("needs two devices");
	for (i = 0; i < 2; i++) {
		must(cuDevicePrimaryCtxRetain(&home[i], i));
		must(cuCtxSetCurrent(home[i]));
		stream[i] = drv_stream();
		memory[i] = drv_alloc(SIZE);
	}
	both("device 0 is current, the stream and memory are its", 0, 0, 0, 1);
	both("device 0 is current, the stream and memory are device 1's", 1, 1, 0, 1);
	both("device 1 is current, the stream and memory are device 0's", 0, 0, 1, 1);
	both("memory of the other device, no access", 0, 1, 0, 0);
	both("memory of the current device, stream of the other", 0, 1, 1, 0);

	*(void **)&enable = drv_entry("cuCtxEnablePeerAccess");
	must(cuDeviceCanAccessPeer(&access, 0, 1));
	must(cuCtxSetCurrent(home[0]));
	if (!enable || !access || enable(home[1], 0) != CUDA_SUCCESS)
		skip("this device has no access to the other");
	else
		both("memory of the other device, with access", 0, 1, 0, 0);
	return done();
}
