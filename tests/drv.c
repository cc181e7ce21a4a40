/* SPDX-License-Identifier: MIT */
#include "drv.h"

#include <dlfcn.h>
#include <string.h>

int drv_is_sim(void)
{
	return dlsym(RTLD_DEFAULT, "sim_reset") != NULL;
}

void drv_must(CUresult result, const char *call, const char *file, int line)
{
	const char *name = NULL;

	if (result == CUDA_SUCCESS)
		return;
	cuGetErrorName(result, &name);
	bail("%s:%d: %s: %s (%d)", file, line, call, name ? name : "?", (int)result);
}

CUcontext drv_start(void)
{
	CUcontext ctx;
	CUdevice device;
	int count = 0;

	if (cuInit(0) != CUDA_SUCCESS || cuDeviceGetCount(&count) != CUDA_SUCCESS ||
	    count < 1)
		skip_all("no GPU, and not the simulated driver");
	must(cuDeviceGet(&device, 0));
	must(cuDevicePrimaryCtxRetain(&ctx, device));
	must(cuCtxSetCurrent(ctx));
	return ctx;
}

size_t drv_count(CUgraph graph, CUgraphNodeType type)
{
	CUgraphNode *nodes;
	size_t total = 0, found = 0, i;

	must(cuGraphGetNodes(graph, NULL, &total));
	nodes = calloc(total + 1, sizeof *nodes);
	if (!nodes)
		bail("out of memory");
	must(cuGraphGetNodes(graph, nodes, &total));
	for (i = 0; i < total; i++) {
		CUgraphNodeType is_type;

		must(cuGraphNodeGetType(nodes[i], &is_type));
		found += is_type == type;
	}
	free(nodes);
	return found;
}

int drv_shim(int on)
{
	int (*set)(int);

	*(void **)&set = dlsym(RTLD_DEFAULT, "memsetshim_set_enabled");
	return set ? set(on) : -1;
}

CUresult drv_replay(CUgraph graph, CUstream stream, int times)
{
	CUgraphExec exec;
	CUresult result = cuGraphInstantiateWithFlags(&exec, graph, 0);

	if (result != CUDA_SUCCESS)
		return result;
	while (times-- > 0 && result == CUDA_SUCCESS)
		result = cuGraphLaunch(exec, stream);
	if (result == CUDA_SUCCESS)
		result = cuStreamSynchronize(stream);
	cuGraphExecDestroy(exec);
	return result;
}

void drv_read(void *host, CUdeviceptr from, size_t bytes)
{
	must(cuMemcpyDtoH(host, from, bytes));
}

void drv_write(CUdeviceptr to, const void *host, size_t bytes)
{
	must(cuMemcpyHtoD(to, host, bytes));
}
