/* SPDX-License-Identifier: MIT */
/*
 * Eight threads capture and replay at once, in all three capture modes, and race for
 * the first load of the kernels: every memset becomes a kernel node, all bytes are
 * right, also of a ninth thread that meanwhile does in relaxed mode what their captures
 * forbid.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "drv.h"

#define THREADS 8
#define ROUNDS 50
#define SIZE 600u
#define MEMSETS 3u

static pthread_barrier_t barrier;
static CUcontext ctx;
static CUstreamCaptureMode mode;
static int rounds;

struct worker {
	pthread_t thread;
	unsigned int number;
	CUstream stream;
	CUdeviceptr p;
	int kernels, others, wrong, failed;
};

/* A third of the memory for each memset. */
static CUgraph capture(struct worker *w, int round)
{
	CUgraph graph = NULL;
	unsigned int i;

	if (cuStreamBeginCapture(w->stream, mode) != CUDA_SUCCESS)
		return NULL;
	for (i = 0; i < MEMSETS; i++) {
		const struct drv_set m = {
		    .elem = 1u << i,
		    .twin = round & 1,
		    .dst = w->p + (size_t)i * (SIZE / MEMSETS),
		    .value = 0x01010101u * (w->number * 16 + (unsigned int)round % 16),
		    .width = (SIZE / MEMSETS) >> i};

		w->failed += drv_memset(&m, w->stream) != CUDA_SUCCESS;
	}
	if (cuStreamEndCapture(w->stream, &graph) != CUDA_SUCCESS)
		return NULL;
	return graph;
}

static void replay(struct worker *w, CUgraph graph, int round)
{
	unsigned char got[SIZE] = {0}, want[SIZE];
	size_t kernels = drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL);

	w->kernels += (int)kernels;
	w->others += (int)(drv_nodes(graph) - kernels);
	memset(want, (int)(w->number * 16 + (unsigned int)round % 16), sizeof want);
	must(cuMemcpyHtoDAsync(w->p, got, sizeof got, w->stream));
	w->failed += drv_replay(graph, w->stream, 1) != CUDA_SUCCESS;
	must(cuMemcpyDtoHAsync(got, w->p, sizeof got, w->stream));
	must(cuStreamSynchronize(w->stream));
	w->wrong += memcmp(got, want, sizeof got) != 0;
	must(cuGraphDestroy(graph));
}

/* Instantiating is nothing to do while any thread captures in global mode. */
static void *work(void *arg)
{
	struct worker *w = arg;
	int round;

	must(cuCtxSetCurrent(ctx));
	pthread_barrier_wait(&barrier);
	for (round = 0; round < rounds; round++) {
		CUgraph graph;

		graph = capture(w, round);
		if (mode == CU_STREAM_CAPTURE_MODE_GLOBAL)
			pthread_barrier_wait(&barrier);
		w->failed += !graph;
		if (graph)
			replay(w, graph, round);
		if (mode == CU_STREAM_CAPTURE_MODE_GLOBAL)
			pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static atomic_int captures_over;

/*
 * Allocates, sets and waits, none of which a capture in global mode allows another
 * thread, but in relaxed mode: no capture is spoiled by it, and it is done at once.
 */
static void *work_eagerly(void *arg)
{
	CUstreamCaptureMode mine = CU_STREAM_CAPTURE_MODE_RELAXED;
	struct worker *w = arg;
	unsigned char got[SIZE], want[SIZE];

	must(cuCtxSetCurrent(ctx));
	must(cuThreadExchangeStreamCaptureMode(&mine));
	do {
		w->kernels++;
		must(cuMemAlloc(&w->p, SIZE));
		memset(want, w->kernels & 0xff, SIZE);
		w->failed +=
		    cuMemsetD8Async(w->p, want[0], SIZE, w->stream) != CUDA_SUCCESS;
		w->failed += cuStreamSynchronize(w->stream) != CUDA_SUCCESS;
		w->failed += cuMemcpyDtoH(got, w->p, SIZE) != CUDA_SUCCESS;
		w->failed += cuMemFree(w->p) != CUDA_SUCCESS;
		w->wrong += memcmp(got, want, SIZE) != 0;
	} while (!atomic_load(&captures_over));
	must(cuThreadExchangeStreamCaptureMode(&mine));
	w->failed += mine != CU_STREAM_CAPTURE_MODE_RELAXED;
	return NULL;
}

/* The workers' results added up. */
static struct worker run(void)
{
	struct worker workers[THREADS], sum = {0}, eager = {0};
	unsigned int i;

	memset(workers, 0, sizeof workers);
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (i = 0; i < THREADS; i++) {
		workers[i].number = i + 1;
		workers[i].stream = drv_stream();
		workers[i].p = drv_alloc(SIZE);
	}
	eager.stream = drv_stream();
	atomic_store(&captures_over, 0);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			bail("no thread");
	if (pthread_create(&eager.thread, NULL, work_eagerly, &eager))
		bail("no thread");
	for (i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		sum.kernels += workers[i].kernels;
		sum.others += workers[i].others;
		sum.wrong += workers[i].wrong;
		sum.failed += workers[i].failed;
		must(cuStreamDestroy(workers[i].stream));
		must(cuMemFree(workers[i].p));
	}
	atomic_store(&captures_over, 1);
	pthread_join(eager.thread, NULL);
	must(cuStreamDestroy(eager.stream));
	sum.failed += eager.failed;
	sum.wrong += eager.wrong;
	pthread_barrier_destroy(&barrier);
	return sum;
}

/* A process of its own: the first captures of all, in eight threads. */
static int first_load(const char *argument)
{
	struct worker sum;

	ctx = drv_start();
	mode = (CUstreamCaptureMode)(*argument - '0');
	rounds = 1;
	sum = run();
	return !(holds(sum.failed == 0) && holds(sum.wrong == 0) &&
	         holds(sum.others == 0) && holds(sum.kernels == THREADS * MEMSETS));
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"global", "thread-local", "relaxed"};
	int i;

	if (argc > 1)
		return first_load(argv[1]);
	drv_need_gpu();
	for (i = 0; i < 6; i++) {
		char argument[2] = {(char)('0' + i % 3), '\0'};

		is(drv_rerun(argument), 0, "raced first load, %s mode", names[i % 3]);
	}
	ctx = drv_start();
	rounds = ROUNDS;
	for (i = 0; i < 3; i++) {
		struct worker sum;

		mode = (CUstreamCaptureMode)i;
		sum = run();
		is(sum.failed, 0, "%s mode: no call fails", names[i]);
		is(sum.kernels, THREADS * ROUNDS * MEMSETS, "%s mode: all kernel nodes",
		   names[i]);
		is(sum.others, 0, "%s mode: nothing else", names[i]);
		is(sum.wrong, 0, "%s mode: bytes right", names[i]);
	}
	return done();
}
