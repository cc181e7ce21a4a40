/* SPDX-License-Identifier: MIT */
/*
 * cuGetProcAddress found with dlsym() gives cuGetProcAddress_v2, which gives it again,
 * which gives the rest: as a runtime does that knows only the first of them.
 */
#include <dlfcn.h>

#include "route.h"

typedef CUresult (*get_v2)(const char *, void **, int, cuuint64_t,
                           CUdriverProcAddressQueryResult *);

static get_v2 second;

static void *by_proc(const char *name, const char *exported)
{
	void *found = NULL;

	(void)exported;
	/* The status is for those who want it. */
	return second(name, &found, ROUTE_VERSION, 0, NULL) == CUDA_SUCCESS ? found
	                                                                    : NULL;
}

int main(void)
{
	CUresult (*get)(const char *, void **, int, cuuint64_t);
	get_v2 first = NULL;

	*(void **)&get =
	    route_symbol(route_open("libcuda.so.1", RTLD_NOW), "cuGetProcAddress");
	if (!get ||
	    get("cuGetProcAddress", (void **)&first, ROUTE_VERSION, 0) !=
	        CUDA_SUCCESS ||
	    first("cuGetProcAddress", (void **)&second, ROUTE_VERSION, 0, NULL) !=
	        CUDA_SUCCESS)
		return 1;
	return route_run(by_proc, ROUTE_CREATED);
}
