/* SPDX-License-Identifier: MIT */
/*
 * exits HOW: ends while a stream is capturing and holds a memset: return, exit, _exit,
 * quick_exit, abort, kill; thread: main returns while another thread captures; inside:
 * a thread calls exit() in the capture.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "drv.h"
#include "outside.h"

static CUcontext ctx;

static void at_exit(void)
{
	puts("atexit");
	fflush(stdout);
}

static void at_quick_exit_(void)
{
	puts("at_quick_exit");
	fflush(stdout);
}

static void capture(void)
{
	must(cuStreamBeginCapture(outside_stream(), CU_STREAM_CAPTURE_MODE_GLOBAL));
	must(cuMemsetD8Async(outside_memory(), 1, OUTSIDE_BYTES, outside_stream()));
	puts("capturing");
	fflush(stdout);
}

static pthread_barrier_t begun;

static void *hold(void *ends)
{
	must(cuCtxSetCurrent(ctx));
	capture();
	if (ends)
		exit(6);
	pthread_barrier_wait(&begun);
	for (;;)
		pause();
}

static int in_thread(int inside)
{
	pthread_t thread;

	pthread_barrier_init(&begun, NULL, 2);
	if (pthread_create(&thread, NULL, hold, inside ? &begun : NULL))
		return 1;
	if (inside)
		pthread_join(thread, NULL);
	pthread_barrier_wait(&begun);
	return 5;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "return";

	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	atexit(at_exit);
	at_quick_exit(at_quick_exit_);
	outside_start();
	must(cuCtxGetCurrent(&ctx));
	if (!strcmp(how, "thread") || !strcmp(how, "inside"))
		return in_thread(!strcmp(how, "inside"));
	capture();
	if (!strcmp(how, "exit"))
		exit(2);
	if (!strcmp(how, "_exit"))
		_exit(3);
	if (!strcmp(how, "quick_exit"))
		quick_exit(4);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	return 1;
}
