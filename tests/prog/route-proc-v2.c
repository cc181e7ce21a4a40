/* SPDX-License-Identifier: MIT */
/*
 * cuGetProcAddress_v2, found with dlsym(); with the argument "ptds" it is asked for the
 * functions of the per-thread default stream, which is then the one that is captured.
 */
#include <dlfcn.h>
#include <string.h>

#include "route.h"

static CUresult (*get)(const char *, void **, int, cuuint64_t,
                       CUdriverProcAddressQueryResult *);
static cuuint64_t flags = CU_GET_PROC_ADDRESS_DEFAULT;

static void *by_proc(const char *name, const char *exported)
{
	CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	void *found = NULL;

	(void)exported;
	if (get(name, &found, ROUTE_VERSION, flags, &status) != CUDA_SUCCESS ||
	    status != CU_GET_PROC_ADDRESS_SUCCESS)
		return NULL;
	return found;
}

int main(int argc, char **argv)
{
	int ptds = argc > 1 && !strcmp(argv[1], "ptds");

	if (ptds)
		flags = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
	*(void **)&get =
	    route_symbol(route_open("libcuda.so.1", RTLD_NOW), "cuGetProcAddress_v2");
	return get ? route_run(by_proc, ptds ? ROUTE_NULL : ROUTE_CREATED) : 1;
}
