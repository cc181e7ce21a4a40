/* SPDX-License-Identifier: MIT */
/*
 * Linked to libcuda: the loader binds every function.  With
 * CUDA_API_PER_THREAD_DEFAULT_STREAM those of the per-thread default stream.
 */
#include <string.h>

#include "route.h"

/* clang-format off */
#define ENTRY(f) {#f, (void *)(f)}
/* clang-format on */

static void *linked(const char *name, const char *exported)
{
	static const struct {
		const char *name;
		void *function;
	} all[] = {ENTRY(cuInit),
	           ENTRY(cuDeviceGet),
	           ENTRY(cuDevicePrimaryCtxRetain),
	           ENTRY(cuCtxSetCurrent),
	           ENTRY(cuMemAlloc),
	           ENTRY(cuMemcpyHtoD),
	           ENTRY(cuMemcpyDtoH),
	           ENTRY(cuStreamCreate),
	           ENTRY(cuStreamSynchronize),
	           ENTRY(cuStreamBeginCapture),
	           ENTRY(cuStreamEndCapture),
	           ENTRY(cuMemsetD8Async),
	           ENTRY(cuMemsetD16Async),
	           ENTRY(cuMemsetD32Async),
	           ENTRY(cuMemsetD2D8Async),
	           ENTRY(cuMemsetD2D16Async),
	           ENTRY(cuMemsetD2D32Async),
	           ENTRY(cuGraphGetNodes),
	           ENTRY(cuGraphNodeGetType),
	           ENTRY(cuGraphKernelNodeGetParams),
	           ENTRY(cuGraphInstantiateWithFlags),
	           ENTRY(cuGraphLaunch)};
	size_t i;

	(void)exported;
	for (i = 0; i < sizeof all / sizeof all[0]; i++)
		if (!strcmp(all[i].name, name))
			return all[i].function;
	return NULL;
}

int route_linked(void)
{
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
	return route_run(linked, ROUTE_NULL);
#else
	return route_run(linked, ROUTE_CREATED);
#endif
}

#ifndef ROUTE_PLUGIN
int main(void)
{
	return route_linked();
}
#endif
