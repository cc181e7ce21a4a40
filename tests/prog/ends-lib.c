/* SPDX-License-Identifier: MIT */
/*
 * Calls the driver from its constructor and from its destructor.  With -DLINKED it
 * brings libcuda, so that its destructor comes first; otherwise its symbols are bound
 * to the program's libcuda, whose destructor comes first.
 */
#include <cuda.h>
#include <stdio.h>

void ends_remember(CUstream stream, CUdeviceptr at);

static CUstream stream;
static CUdeviceptr memory;

void ends_remember(CUstream s, CUdeviceptr at)
{
	stream = s;
	memory = at;
}

/* Every kind of hook; what they say, driver by driver, is for the script to compare. */
static void call(const char *when)
{
	CUgraph graph = NULL;
	void *found = NULL;
	int version = 0;

	printf("%s: version %d", when, (int)cuDriverGetVersion(&version));
	printf(", lookup %d",
	       (int)cuGetProcAddress("cuMemsetD8Async", &found, 12000, 0, NULL));
	printf(" %s", found ? "found" : "not found");
	printf(", memset %d", (int)cuMemsetD8Async(memory, 1, 64, stream));
	printf(", begin %d",
	       (int)cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	printf(", captured %d", (int)cuMemsetD8Async(memory, 1, 64, stream));
	printf(", 2D %d", (int)cuMemsetD2D32Async(memory, 64, 1, 4, 4, stream));
	printf(", end %d\n", (int)cuStreamEndCapture(stream, &graph));
	fflush(stdout);
}

__attribute__((constructor)) static void first(void)
{
	call("constructor");
}

__attribute__((destructor)) static void last(void)
{
	call("destructor");
}
