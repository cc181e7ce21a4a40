/* SPDX-License-Identifier: MIT */
/*
 * Opened with RTLD_DEEPBIND and linked to libcuda, so that its functions of the driver
 * and its dlsym are those of libcuda and of libc, preload or not.
 */
#include <dlfcn.h>

#include "deepbind.h"

static CUresult begin(CUstream stream)
{
	return cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

static CUresult end(CUstream stream, CUgraph *graph)
{
	return cuStreamEndCapture(stream, graph);
}

static CUresult set(CUdeviceptr at, unsigned char value, size_t n, CUstream stream)
{
	return cuMemsetD8Async(at, value, n, stream);
}

static outside_set looked_up(void)
{
	void *libcuda = dlopen("libcuda.so.1", RTLD_NOW);
	outside_set found = NULL;

	if (libcuda)
		*(void **)&found = dlsym(libcuda, "cuMemsetD8Async");
	return found;
}

static outside_set asked(deepbind_get get)
{
	outside_set found = NULL;

	get("cuMemsetD8Async", (void **)&found, 12000, 0, NULL);
	return found;
}

const struct deepbind deepbind = {begin, end, set, looked_up, asked};
