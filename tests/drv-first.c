/* SPDX-License-Identifier: MIT */
/*
 * The first memset of a process, or of a context, may be a captured one: in every
 * capture mode, with lazy and eager loading, and while another thread captures in
 * global mode, the captures end well and hold a kernel node that writes the right
 * bytes.
 */
#include <pthread.h>
#include <string.h>

#include "drv.h"

#define SIZE 1000u

static const CUstreamCaptureMode modes[] = {CU_STREAM_CAPTURE_MODE_GLOBAL,
                                            CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                                            CU_STREAM_CAPTURE_MODE_RELAXED};
static const char *const mode_names[] = {"global", "thread-local", "relaxed"};

/* The graph of one captured memset, NULL when anything is not as it should be. */
static CUgraph capture(CUstream stream, CUstreamCaptureMode mode, CUdeviceptr p)
{
	CUgraph graph = NULL;
	int good;

	must(cuStreamBeginCapture(stream, mode));
	good = holds(cuMemsetD8Async(p, 0x3d, SIZE, stream) == CUDA_SUCCESS);
	good &= holds(cuStreamEndCapture(stream, &graph) == CUDA_SUCCESS);
	if (!graph)
		return NULL;
	good &= holds(drv_nodes(graph) == 1);
	good &= holds(drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL) == 1);
	return good ? graph : NULL;
}

static int replayed(CUgraph graph, CUstream stream, CUdeviceptr p)
{
	unsigned char bytes[SIZE] = {0}, want[SIZE];

	memset(want, 0x3d, sizeof want);
	drv_write(p, bytes, sizeof bytes);
	if (!holds(drv_replay(graph, stream, 1) == CUDA_SUCCESS))
		return 0;
	drv_read(bytes, p, sizeof bytes);
	return holds(!memcmp(bytes, want, sizeof want));
}

static int first_memset(CUstreamCaptureMode mode)
{
	CUstream stream = drv_stream();
	CUdeviceptr p = drv_alloc(SIZE);
	CUgraph graph = capture(stream, mode, p);

	return graph && replayed(graph, stream, p);
}

static int second_context(CUstreamCaptureMode mode)
{
	if (!first_memset(mode))
		return 0;
	drv_context();
	return first_memset(mode);
}

/* The other thread, which takes turns with this one at the barrier. */
struct other {
	pthread_barrier_t turn;
	CUcontext ctx;
	CUstream stream;
	CUdeviceptr p;
	CUgraph graph;
};

static void *capture_globally(void *arg)
{
	struct other *o = arg;
	CUgraph graph = NULL;
	int good;

	must(cuCtxSetCurrent(o->ctx));
	must(cuStreamBeginCapture(o->stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	pthread_barrier_wait(&o->turn);
	pthread_barrier_wait(&o->turn);
	good = holds(cuMemsetD8Async(o->p, 0x3d, SIZE, o->stream) == CUDA_SUCCESS);
	good &= holds(cuMemsetD8Async(o->p, 0x3d, 4, o->stream) == CUDA_SUCCESS);
	good &= holds(cuStreamEndCapture(o->stream, &graph) == CUDA_SUCCESS);
	good = good && holds(drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL) == 2) &&
	       holds(drv_nodes(graph) == 2);
	o->graph = good ? graph : NULL;
	return NULL;
}

static int beside_another(CUstreamCaptureMode mode)
{
	struct other o = {.stream = drv_stream(), .p = drv_alloc(SIZE)};
	CUstream stream = drv_stream();
	CUdeviceptr p = drv_alloc(SIZE);
	pthread_t thread;
	CUgraph graph;

	must(cuCtxGetCurrent(&o.ctx));
	pthread_barrier_init(&o.turn, NULL, 2);
	if (pthread_create(&thread, NULL, capture_globally, &o))
		bail("no thread");
	pthread_barrier_wait(&o.turn);
	graph = capture(stream, mode, p);
	pthread_barrier_wait(&o.turn);
	pthread_join(thread, NULL);
	/* Only now is nothing forbidden any more. */
	return graph && o.graph && replayed(graph, stream, p) &&
	       replayed(o.graph, o.stream, o.p);
}

static const struct scene {
	const char *what;
	int (*play)(CUstreamCaptureMode mode);
} scenes[] = {
    {"the first memset of the process", first_memset},
    {"the first memset in a second context", second_context},
    {"the first memset while another thread captures globally", beside_another},
};

int main(int argc, char **argv)
{
	static const char *const loading[] = {"LAZY", "EAGER"};
	char argument[8];
	size_t scene, mode, l;

	if (argc > 1 && strlen(argv[1]) == 2) {
		drv_start();
		return !scenes[argv[1][0] - '0'].play(modes[argv[1][1] - '0']);
	}
	drv_need_gpu();
	for (l = 0; l < 2; l++) {
		setenv("CUDA_MODULE_LOADING", loading[l], 1);
		for (scene = 0; scene < sizeof scenes / sizeof *scenes; scene++)
			for (mode = 0; mode < 3; mode++) {
				snprintf(argument, sizeof argument, "%zu%zu", scene,
				         mode);
				is(drv_rerun(argument), 0, "%s, %s mode, %s loading",
				   scenes[scene].what, mode_names[mode], loading[l]);
			}
	}
	return done();
}
