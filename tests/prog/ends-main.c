/* SPDX-License-Identifier: MIT */
/*
 * ends-main [open]: captures in a thread, from the destructor of that thread's key, in
 * main, and in atexit handlers, one registered before CUDA is started and one after;
 * open: in the process's last breath a capture is open.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "drv.h"
#include "outside.h"

void ends_remember(CUstream stream, CUdeviceptr at);

static CUcontext ctx;
static pthread_key_t key;
static int leave_open;

static void at_key(void *arg)
{
	(void)arg;
	outside_capture("key destructor");
}

static void *in_thread(void *arg)
{
	must(cuCtxSetCurrent(ctx));
	pthread_setspecific(key, &key);
	outside_capture("thread");
	return arg;
}

/* A thread that has called nothing before its key's destructor does. */
static void at_bare_key(void *arg)
{
	(void)arg;
	must(cuCtxSetCurrent(ctx));
	outside_capture("key destructor of a new thread");
}

static void *bare_thread(void *bare_key)
{
	pthread_setspecific(*(pthread_key_t *)bare_key, bare_key);
	return NULL;
}

static void registered_before(void)
{
	outside_capture("atexit, before CUDA");
	if (leave_open)
		must(cuStreamBeginCapture(outside_stream(),
		                          CU_STREAM_CAPTURE_MODE_GLOBAL));
}

static void registered_after(void)
{
	outside_capture("atexit, after CUDA");
}

static void run(void *(*body)(void *), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, body, arg) || pthread_join(thread, NULL))
		exit(1);
}

int main(int argc, char **argv)
{
	pthread_key_t bare_key;

	(void)argv;
	leave_open = argc > 1;
	atexit(registered_before);
	outside_start();
	atexit(registered_after);
	must(cuCtxGetCurrent(&ctx));
	ends_remember(outside_stream(), outside_memory());
	pthread_key_create(&key, at_key);
	pthread_key_create(&bare_key, at_bare_key);
	run(bare_thread, &bare_key);
	run(in_thread, NULL);
	outside_capture("main");
	return 0;
}
