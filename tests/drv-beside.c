/* SPDX-License-Identifier: MIT */
/*
 * What a program does beside a capture, or in one - loads and unloads code, asks pools
 * and events, allocates - has the result that it has natively and does to the capture
 * what it does natively, also where the capture's memset is the first of the process.
 */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "drv.h"

#define SIZE 256u
#define MODES 3

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

static CUresult pool_attribute(void)
{
	CUresult (*ask)(CUmemoryPool, CUmemPool_attribute, void *);
	CUresult result = cuDeviceGetDefaultMemPool(&made.pool, 0);
	cuuint64_t value;

	*(void **)&ask = drv_entry("cuMemPoolGetAttribute");
	return result == CUDA_SUCCESS && ask
	           ? ask(made.pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value)
	           : result;
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
	must(cuEventCreate(&made.event, CU_EVENT_DISABLE_TIMING));
}

/* A memset before the call and one after it. */
static struct outcome try(const struct scene *scene, CUstreamCaptureMode mode,
                          int thread, int on)
{
	unsigned char got[2] = {0};
	struct outcome o = {.replay = CUDA_ERROR_UNKNOWN};
	CUstream stream = drv_stream();
	CUgraph graph = NULL;

	make();
	drv_write(memory, got, sizeof got);
	drv_shim(on);
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

/* One for each capture mode and thread, natively and with the shim. */
struct answers {
	struct outcome native[MODES][2], ours[MODES][2];
};

struct job {
	const struct scene *scene;
	struct answers *answers; /* which the child shares */
	int mode, thread;
};

static void start(void)
{
	ctx = drv_start();
	memory = drv_alloc(SIZE);
}

/* Each in a process of its own, so that its memset is the first. */
static int shimmed(void *arg)
{
	const struct job *j = arg;

	start();
	j->answers->ours[j->mode][j->thread] =
	    try(j->scene, (CUstreamCaptureMode)j->mode, j->thread, 1);
	return 0;
}

static int native(void *arg)
{
	const struct job *j = arg;
	int mode, thread;

	start();
	for (mode = 0; mode < MODES; mode++)
		for (thread = 0; thread < 2; thread++)
			j->answers->native[mode][thread] =
			    try(j->scene, (CUstreamCaptureMode)mode, thread, 0);
	return 0;
}

static int same(const struct outcome *n, const struct outcome *o)
{
	int good = holds(o->call == n->call) & holds(o->before == n->before) &
	           holds(o->after == n->after) & holds(o->end == n->end) &
	           holds(o->nodes == n->nodes) & holds(o->replay == n->replay) &
	           holds(o->bytes_right && n->bytes_right) &
	           holds(o->kernels == o->nodes && !n->kernels);

	if (!good) {
		show("natively", n);
		show("with fills", o);
	}
	return good;
}

static void play(const struct scene *scene, struct answers *answers)
{
	static const char *const modes[] = {"global", "thread-local", "relaxed"};
	struct job j = {.scene = scene, .answers = answers};

	memset(answers, 0, sizeof *answers);
	is(drv_child(native, &j), 0, "%s, natively", scene->what);
	for (j.mode = 0; j.mode < MODES; j.mode++)
		for (j.thread = 0; j.thread < 2; j.thread++)
			ok(drv_child(shimmed, &j) == 0 &&
			       same(&answers->native[j.mode][j.thread],
			            &answers->ours[j.mode][j.thread]),
			   "%s, %s mode, in %s thread", scene->what, modes[j.mode],
			   j.thread ? "another" : "the same");
}

int main(void)
{
	struct answers *answers = mmap(NULL, sizeof *answers, PROT_READ | PROT_WRITE,
	                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	size_t i;

	if (answers == MAP_FAILED)
		bail("no memory to share");
	drv_need_gpu();
	for (i = 0; i < SCENES; i++)
		play(&scenes[i], answers);
	return done();
}
