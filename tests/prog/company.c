/* SPDX-License-Identifier: MIT */
/*
 * Captures a memset that is linked, one that dlsym finds and one that cuGetProcAddress
 * finds, and does so again in a second thread and in an exec'd copy; says who answers
 * for the functions that companions of the shim bring.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drv.h"
#include "outside.h"

static CUcontext ctx;

static void captures(void)
{
	void *libcuda = dlopen("libcuda.so.1", RTLD_NOW);
	outside_set set;

	if (!libcuda)
		bail("%s", dlerror());
	outside_capture("linked");
	*(void **)&set = dlsym(libcuda, "cuMemsetD8Async");
	outside_show("dlsym", outside_graph(set));
	must(cuGetProcAddress("cuMemsetD8Async", (void **)&set, 12000, 0, NULL));
	outside_show("cuGetProcAddress", outside_graph(set));
	dlclose(libcuda);
}

static void *in_thread(void *arg)
{
	void *blocks[100];
	size_t i;

	for (i = 0; i < 100; i++)
		blocks[i] = memset(malloc(1000 * i + 1), 1, 1000 * i + 1);
	must(cuCtxSetCurrent(ctx));
	captures();
	for (i = 0; i < 100; i++)
		free(blocks[i]);
	return arg;
}

/* An allocation by the function that dlsym finds, as a runtime makes its own. */
static void found(const char *name, void *f)
{
	printf("%s by %s\n", name, outside_object(f));
}

static void companions(void)
{
	__typeof__(&cuMemAlloc) allocate;
	__typeof__(&cuMemFree) release;
	void *libcuda = dlopen("libcuda.so.1", RTLD_NOW);
	CUdeviceptr p;

	*(void **)&allocate = dlsym(libcuda, "cuMemAlloc_v2");
	*(void **)&release = dlsym(libcuda, "cuMemFree_v2");
	found("cuMemAlloc", (void *)allocate);
	found("cuMemFree", (void *)release);
	found("malloc", dlsym(RTLD_DEFAULT, "malloc"));
	found("cudaMalloc", dlsym(RTLD_DEFAULT, "cudaMalloc"));
	must(allocate(&p, 4096));
	must(release(p));
	printf("cuNoSuchFunction: %s\n",
	       dlsym(libcuda, "cuNoSuchFunction") ? "found" : "not found");
	dlclose(libcuda);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argv;
	outside_start();
	must(cuCtxGetCurrent(&ctx));
	captures();
	companions();
	if (pthread_create(&thread, NULL, in_thread, NULL) ||
	    pthread_join(thread, NULL))
		return 1;
	if (argc == 1) {
		fflush(stdout);
		if (fork() == 0)
			execl("/proc/self/exe", "company", "again", (char *)NULL);
		return wait(&argc) < 0 || argc != 0;
	}
	return 0;
}
