/* SPDX-License-Identifier: MIT */
/*
 * Captures what its arguments say, one memset each, and prints its process id.
 *
 * alpha, beta: 100 bytes, by that library; zero, host, managed, beyond, bogus, huge: by
 * alpha, of such bytes; own: by the program; fork: an earlier child does what follows;
 * orphan: a child does nothing more and ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stats.h"

static CUdeviceptr device, managed, pinned;
static CUstream stream;

static void must(CUresult result, const char *what)
{
	if (result == CUDA_SUCCESS)
		return;
	printf("%s: CUresult %d\n", what, (int)result);
	exit(1);
}

static void start(void)
{
	CUcontext ctx;
	CUdevice first;
	void *host;

	must(cuInit(0), "cuInit");
	must(cuDeviceGet(&first, 0), "cuDeviceGet");
	must(cuDevicePrimaryCtxRetain(&ctx, first), "cuDevicePrimaryCtxRetain");
	must(cuCtxSetCurrent(ctx), "cuCtxSetCurrent");
	must(cuMemAlloc(&device, 4096), "cuMemAlloc");
	must(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL),
	     "cuMemAllocManaged");
	must(cuMemHostAlloc(&host, 4096, 0), "cuMemHostAlloc");
	must(cuMemHostGetDevicePointer(&pinned, host, 0), "cuMemHostGetDevicePointer");
	must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
}

/* What the driver thinks of it is not the matter here. */
static void capture(const char *what)
{
	CUgraph graph = NULL;

	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), "begin");
	if (!strcmp(what, "alpha"))
		alpha_memset(device, 100, stream);
	else if (!strcmp(what, "beta"))
		beta_memset(device, 100, stream);
	else if (!strcmp(what, "own"))
		cuMemsetD8Async(device, 1, 100, stream);
	else if (!strcmp(what, "zero"))
		alpha_memset(device, 0, stream);
	else if (!strcmp(what, "host"))
		alpha_memset(pinned, 100, stream);
	else if (!strcmp(what, "managed"))
		alpha_memset(managed, 100, stream);
	else if (!strcmp(what, "beyond"))
		alpha_memset(device, 8192, stream);
	else if (!strcmp(what, "bogus"))
		alpha_memset(16, 100, stream);
	else
		exit(2);
	cuStreamEndCapture(stream, &graph);
}

int main(int argc, char **argv)
{
	int i = 1;

	if (argc > 1 && !strcmp(argv[1], "fork")) {
		pid_t child = fork();

		if (child)
			waitpid(child, NULL, 0);
		/* The parent does but the first of it. */
		argc = child ? 3 : argc;
		i = 2;
	}
	start();
	for (; i < argc; i++) {
		if (strcmp(argv[i], "orphan")) {
			capture(argv[i]);
			continue;
		}
		fflush(stdout);
		if (fork() == 0)
			break;
		wait(NULL);
	}
	printf("process %ld\n", (long)getpid());
	return 0;
}
