/* SPDX-License-Identifier: MIT */
/*
 * A libcuda.so.1 that is but a front, as under WSL: in cuInit it looks the same names
 * up in the library behind it, and passes its calls on to what it found.
 */
#include <cuda.h>
#include <dlfcn.h>

static __typeof__(&cuMemsetD8Async) set;
static __typeof__(&cuStreamEndCapture) end;

CUresult cuInit(unsigned int flags)
{
	void *behind = dlopen("libbehind.so", RTLD_NOW);
	__typeof__(&cuInit) init;

	if (!behind)
		return CUDA_ERROR_SHARED_OBJECT_INIT_FAILED;
	*(void **)&init = dlsym(behind, "cuInit");
	*(void **)&set = dlsym(behind, "cuMemsetD8Async");
	*(void **)&end = dlsym(behind, "cuStreamEndCapture");
	/* Itself would be a call without end. */
	if (!init || init == cuInit || !set || !end)
		return CUDA_ERROR_NOT_FOUND;
	return init(flags);
}

CUresult cuMemsetD8Async(CUdeviceptr at, unsigned char value, size_t n, CUstream s)
{
	return set ? set(at, value, n, s) : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult cuStreamEndCapture(CUstream s, CUgraph *graph)
{
	return end ? end(s, graph) : CUDA_ERROR_NOT_INITIALIZED;
}
