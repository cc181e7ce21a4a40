/* SPDX-License-Identifier: MIT */
/*
 * What a program does beside a capture, or in one - loads and unloads code, asks pools
 * and events, allocates - has the result that it has natively and does to the capture
 * what it does natively, also where the capture's memset is the first of the process.
 */
#include <pthread.h>
#include <string.h>

#include "drv.h"

#define SIZE 256u
#define CAPTURES 3

extern const unsigned char test_image[];

static CUcontext ctx;
static CUdeviceptr memory;

/* Made before the captures begin, for the calls to use. */
static struct {
	CUmodule module;
	CUlibrary library;
	CUevent event;
	CUmemoryPool pool;
} made;

static CUresult load_module(void)
{
	return cuModuleLoadData(&made.module, test_image);
}

static CUresult unload_module(void)
{
	return cuModuleUnload(made.module);
}

static CUresult load_library(void)
{
	return cuLibraryLoadData(&made.library, test_image, NULL, NULL, 0, NULL, NULL,
	                         0);
}

static CUresult unload_library(void)
{
	return cuLibraryUnload(made.library);
}

static CUresult default_pool(void)
{
	return cuDeviceGetDefaultMemPool(&made.pool, 0);
}

static CUresult pool_attribute(void)
{
	CUresult (*ask)(CUmemoryPool, CUmemPool_attribute, void *);
	cuuint64_t value;

	*(void **)&ask = drv_entry("cuMemPoolGetAttribute");
	return ask ? ask(made.pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value)
	           : CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult query_event(void)
{
	return cuEventQuery(made.event);
}

static CUresult allocate(void)
{
	CUdeviceptr p;
	CUresult result = cuMemAlloc(&p, SIZE);

	/* Freeing it is another call; a process of its own ends soon. */
	return result;
}

static CUresult exchange_twice(void)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	CUresult result = cuThreadExchangeStreamCaptureMode(&mode);

	/* The thread's own was global, whatever has been loaded meanwhile. */
	if (mode != CU_STREAM_CAPTURE_MODE_GLOBAL)
		return CUDA_ERROR_UNKNOWN;
	cuThreadExchangeStreamCaptureMode(&mode);
	return mode == CU_STREAM_CAPTURE_MODE_RELAXED ? result : CUDA_ERROR_UNKNOWN;
}

static const struct scene {
	const char *what;
	CUresult (*call)(void);
} scenes[] = {
    {"a module is loaded", load_module},
    {"a module is unloaded", unload_module},
    {"a library is loaded", load_library},
    {"a library is unloaded", unload_library},
    {"a pool is asked for", default_pool},
    {"a pool is asked for an attribute", pool_attribute},
    {"an event is queried", query_event},
    {"memory is allocated", allocate},
    {"the capture mode is exchanged, and back", exchange_twice},
};

#define SCENES (sizeof scenes / sizeof *scenes)

struct outcome {
	CUresult call, before, after, end, replay;
	size_t nodes, kernels;
	int bytes_right;
};

struct beside {
	CUresult (*call)(void);
	CUresult result;
};

static void *in_a_thread(void *arg)
{
	struct beside *b = arg;

	must(cuCtxSetCurrent(ctx));
	b->result = b->call();
	return NULL;
}

static CUresult call_in_a_thread(CUresult (*call)(void))
{
	struct beside b = {.call = call};
	pthread_t thread;

	if (pthread_create(&thread, NULL, in_a_thread, &b))
		bail("no thread");
	pthread_join(thread, NULL);
	return b.result;
}

static void make(void)
{
	memset(&made, 0, sizeof made);
	must(load_module());
	must(load_library());
	must(default_pool());
	must(cuEventCreate(&made.event, CU_EVENT_DISABLE_TIMING));
}

/* A memset before the call and one after it. */
static struct outcome try(const struct scene *scene, CUstreamCaptureMode mode,
                          int thread, int shimmed)
{
	unsigned char got[2] = {0};
	struct outcome o = {.replay = CUDA_ERROR_UNKNOWN};
	CUstream stream = drv_stream();
	CUgraph graph = NULL;

	make();
	drv_write(memory, got, sizeof got);
	drv_shim(shimmed);
	must(cuStreamBeginCapture(stream, mode));
	o.before = cuMemsetD8Async(memory, 1, 1, stream);
	o.call = thread ? call_in_a_thread(scene->call) : scene->call();
	o.after = cuMemsetD8Async(memory + 1, 2, 1, stream);
	o.end = cuStreamEndCapture(stream, &graph);
	drv_shim(1);
	if (graph) {
		o.nodes = drv_nodes(graph);
		o.kernels = drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL);
		o.replay = drv_replay(graph, stream, 1);
		must(cuGraphDestroy(graph));
		drv_read(got, memory, sizeof got);
	}
	o.bytes_right = got[0] == (graph ? 1 : 0) && got[1] == (graph ? 2 : 0);
	return o;
}

static void show(const char *arm, const struct outcome *o)
{
	printf("# %s: call %d, memsets %d and %d, end %d, %zu nodes, %zu kernels, "
	       "replay %d, bytes %s\n",
	       arm, (int)o->call, (int)o->before, (int)o->after, (int)o->end, o->nodes,
	       o->kernels, (int)o->replay, o->bytes_right ? "right" : "wrong");
}

/* In a process of its own, with the shim first, so that the first memset is there. */
static int both(const struct scene *scene, CUstreamCaptureMode mode, int thread)
{
	struct outcome n, o;
	int same;

	ctx = drv_start();
	memory = drv_alloc(SIZE);
	o = try(scene, mode, thread, 1);
	n = try(scene, mode, thread, 0);
	same = holds(o.call == n.call) & holds(o.before == n.before) &
	       holds(o.after == n.after) & holds(o.end == n.end) &
	       holds(o.nodes == n.nodes) & holds(o.replay == n.replay) &
	       holds(o.bytes_right && n.bytes_right) &
	       holds(o.kernels == o.nodes && !n.kernels);
	if (!same) {
		show("natively", &n);
		show("with fills", &o);
	}
	return same;
}

int main(int argc, char **argv)
{
	static const char *const modes[] = {"global", "thread-local", "relaxed"};
	char argument[4] = "";
	int mode, thread;
	size_t i;

	if (argc > 1)
		return !both(&scenes[argv[1][0] - '0'],
		             (CUstreamCaptureMode)(argv[1][1] - '0'),
		             argv[1][2] == '1');
	drv_need_gpu();
	for (i = 0; i < SCENES; i++)
		for (mode = 0; mode < CAPTURES; mode++)
			for (thread = 0; thread < 2; thread++) {
				argument[0] = (char)('0' + i);
				argument[1] = (char)('0' + mode);
				argument[2] = (char)('0' + thread);
				is(drv_rerun(argument), 0, "%s, %s mode, in %s thread",
				   scenes[i].what, modes[mode],
				   thread ? "another" : "the same");
			}
	return done();
}
