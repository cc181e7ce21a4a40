/* SPDX-License-Identifier: MIT */
/* Captures a memset, as linked here or as it looks it up, and keeps nothing. */
#include <dlfcn.h>

#include "unload.h"

CUresult unload_capture(CUstream stream, CUdeviceptr at, CUgraph *graph)
{
	void *libcuda = dlopen("libcuda.so.1", RTLD_NOW);
	outside_set found = NULL;
	CUresult result;

	if (libcuda)
		*(void **)&found = dlsym(libcuda, "cuMemsetD8Async");
	if (!found)
		return CUDA_ERROR_NOT_FOUND;
	result = cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
	if (result == CUDA_SUCCESS)
		result = UNLOAD_LINKED
		             ? cuMemsetD8Async(at, 0x3c, OUTSIDE_BYTES, stream)
		             : found(at, 0x3c, OUTSIDE_BYTES, stream);
	if (result == CUDA_SUCCESS)
		result = cuStreamEndCapture(stream, graph);
	dlclose(libcuda);
	return result;
}
