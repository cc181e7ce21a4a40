/* SPDX-License-Identifier: MIT */
/* cuGetProcAddress as it was until CUDA 11: four parameters, found with dlsym(). */
#include <dlfcn.h>

#include "route.h"

static CUresult (*get)(const char *, void **, int, cuuint64_t);

static void *by_proc(const char *name, const char *exported)
{
	void *found = NULL;

	(void)exported;
	return get(name, &found, ROUTE_VERSION, 0) == CUDA_SUCCESS ? found : NULL;
}

int main(void)
{
	*(void **)&get =
	    route_symbol(route_open("libcuda.so.1", RTLD_NOW), "cuGetProcAddress");
	return get ? route_run(by_proc, ROUTE_CREATED) : 1;
}
