/* SPDX-License-Identifier: MIT */
/*
 * Forks: a child made before cuInit has a working driver and shim; one made afterwards,
 * even while other threads look functions up or load the kernels, can look functions up
 * and exit.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "drv.h"

#define SIZE 300u

#if defined(__SANITIZE_THREAD__)
#define TSAN 1
#elif defined(__has_feature)
#define TSAN __has_feature(thread_sanitizer)
#else
#define TSAN 0
#endif

static void *libcuda;
static void *hook;

/* Both captured kinds of life: a kernel node, the right bytes. */
static int use_cuda(void *arg)
{
	const struct drv_set m = {.elem = 1, .value = 0x66, .width = SIZE};
	struct drv_set here = m;
	unsigned char got[SIZE] = {0}, want[SIZE];
	struct drv_outcome o;
	CUstream stream;
	CUgraph graph;

	(void)arg;
	drv_start();
	stream = drv_stream();
	here.dst = drv_alloc(SIZE);
	graph = drv_capture(&here, stream, &o);
	if (!holds(graph && o.call == CUDA_SUCCESS) || !holds(o.kernels == 1) ||
	    !holds(o.nodes == 1) ||
	    !holds(drv_replay(graph, stream, 2) == CUDA_SUCCESS))
		return 1;
	memset(want, 0x66, sizeof want);
	drv_read(got, here.dst, SIZE);
	must(cuGraphDestroy(graph));
	return !holds(!memcmp(got, want, SIZE));
}

/* No CUDA: what any program's child does before it execs or exits. */
static int look_up(void *arg)
{
	const char *error;

	(void)arg;
	if (!holds(dlsym(libcuda, "cuMemsetD8Async") == hook) ||
	    !holds(dlsym(RTLD_DEFAULT, "cuMemsetD8Async") == hook) ||
	    !holds(dlsym(RTLD_NEXT, "malloc") != NULL) ||
	    !holds(dlsym(libcuda, "cuNoSuchFunction") == NULL))
		return 1;
	error = dlerror();
	return !holds(error && strstr(error, "cuNoSuchFunction"));
}

static int exit_at_once(void *arg)
{
	(void)arg;
	return 0;
}

/* An exit that runs destructors, the shim's and the driver's. */
static int exit_fully(void *arg)
{
	(void)arg;
	fflush(stdout);
	exit(17);
}

static int exec_something(void *arg)
{
	(void)arg;
	execlp("true", "true", (char *)NULL);
	return 1;
}

static atomic_int stop;

static void *keep_looking_up(void *arg)
{
	(void)arg;
	while (!stop) {
		(void)dlsym(libcuda, "cuMemsetD8Async");
		(void)dlsym(libcuda, "cuNoSuchFunction");
		(void)dlsym(RTLD_NEXT, "malloc");
	}
	return NULL;
}

/*
 * In the driver's own words a child cannot use what its parent has initialized; what
 * can be asked is that the child's exit does not depend on what others were at.
 */
static void while_others_look_up(int forks, int (*body)(void *), const char *what)
{
	pthread_t threads[2];
	int i, bad = 0;

	stop = 0;
	for (i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, keep_looking_up, NULL))
			bail("no thread");
	for (i = 0; i < forks; i++)
		bad += drv_child(body, NULL) != 0;
	stop = 1;
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	is(bad, 0, "%s", what);
}

static CUcontext ctx;

static void *capture_first(void *arg)
{
	struct drv_outcome o;
	const struct drv_set *m = arg;
	CUstream stream;

	must(cuCtxSetCurrent(ctx));
	stream = drv_stream();
	drv_capture(m, stream, &o);
	return (void *)(uintptr_t)(o.kernels == 1);
}

/* A thread loads the kernels while this one forks. */
static int fork_while_loading(void *arg)
{
	struct drv_set m = {.elem = 1, .width = SIZE};
	pthread_t thread;
	void *good;
	int i, bad = 0;

	(void)arg;
	ctx = drv_start();
	m.dst = drv_alloc(SIZE);
	if (pthread_create(&thread, NULL, capture_first, &m))
		return 1;
	for (i = 0; i < 5; i++)
		bad += drv_child(look_up, NULL) != 0;
	pthread_join(thread, &good);
	return !(holds(bad == 0) && holds(good != NULL));
}

int main(void)
{
	drv_need_gpu();
	libcuda = dlopen("libcuda.so.1", RTLD_NOW);
	hook = dlsym(libcuda, "cuMemsetD8Async");
	ok(hook && hook != drv_own("cuMemsetD8Async"), "the shim is there");

	is(drv_child(use_cuda, NULL), 0, "forked before cuInit: CUDA works");
	/* It would take the child's new lock for the one that the parent's thread
	 * holds. */
	if (TSAN)
		skip("the thread sanitizer does not understand such a fork");
	else
		is(drv_child(fork_while_loading, NULL), 0,
		   "forked while the kernels load");
	while_others_look_up(50, look_up, "forked while others look up, before cuInit");
	while_others_look_up(5, use_cuda, "so forked, and CUDA works");

	is(use_cuda(NULL), 0, "the parent's CUDA works after all that");
	is(drv_child(exit_at_once, NULL), 0, "forked after cuInit: _exit");
	is(drv_child(exit_fully, NULL), 17, "forked after cuInit: exit");
	is(drv_child(exec_something, NULL), 0, "forked after cuInit: exec");
	is(drv_child(look_up, NULL), 0, "forked after cuInit: lookups");
	while_others_look_up(50, look_up, "forked while others look up, after cuInit");
	is(use_cuda(NULL), 0, "the parent's CUDA still works");
	return done();
}
