/* SPDX-License-Identifier: MIT */
/*
 * One level of a library in levels, as cuDNN 9's: each exports the same functions and
 * passes every call on to what its own loader finds of that name one level down.
 *
 * LEVEL is this one's number; NEXT, a string, is the file of the next one, whose
 * functions these are in the end where LAST is defined.  Where SELF is defined the
 * loader has no handle of the next level and asks with RTLD_NEXT.
 */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>

typedef int (*create_fn)(int depth);

int cudnnCreate(int depth);
int cublasCreate_v2(int depth);
int cuChainCreate(int depth);
CUresult chain_capture(void *set);

static void *find(const char *name)
{
	void *found;
#ifdef SELF
	found = dlsym(RTLD_NEXT, name);
#else
	static void *next;

	if (!next)
		next = dlopen(NEXT, RTLD_NOW | RTLD_LOCAL);
	found = next ? dlsym(next, name) : NULL;
#endif
	if (!found)
		printf("level %d: no %s\n", LEVEL, name);
	return found;
}

/* A call without end shows as a depth that no chain has. */
static int pass_on(const char *name, int depth)
{
	create_fn next = NULL;

	printf("level %d: %s at depth %d\n", LEVEL, name, depth);
	if (depth > 8)
		return -1;
#ifdef LAST
	return LEVEL;
#endif
	*(void **)&next = find(name);
	return next ? next(depth + 1) : -2;
}

int cudnnCreate(int depth)
{
	return pass_on("cudnnCreate", depth);
}

int cublasCreate_v2(int depth)
{
	return pass_on("cublasCreate_v2", depth);
}

/* A name that looks like the driver's. */
int cuChainCreate(int depth)
{
	return pass_on("cuChainCreate", depth);
}

/* One of the driver's own names: the last level passes it on to the driver. */
CUresult cuMemsetD8Async(CUdeviceptr at, unsigned char value, size_t n, CUstream s)
{
	static int depth; /* how often this level was entered without leaving */
	__typeof__(&cuMemsetD8Async) next = NULL;
	CUresult result = CUDA_ERROR_NOT_FOUND;

	printf("level %d: cuMemsetD8Async of %zu\n", LEVEL, n);
	if (depth++ > 8)
		return CUDA_ERROR_LAUNCH_FAILED;
#ifdef LAST
	*(void **)&next = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuMemsetD8Async");
#else
	*(void **)&next = find("cuMemsetD8Async");
#endif
	if (next)
		result = next(at, value, n, s);
	depth--;
	return result;
}
