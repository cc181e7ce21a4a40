/* SPDX-License-Identifier: MIT */
#include "gpu.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gpu gpu;

extern const unsigned char bench_image[];

void gpu_check(CUresult result, const char *call, const char *file, int line)
{
	const char *name = NULL;

	if (result == CUDA_SUCCESS)
		return;
	if (gpu.cuGetErrorName)
		gpu.cuGetErrorName(result, &name);
	fprintf(stderr, "memsetbench: %s:%d: %s: %s (%d)\n", file, line, call,
	        name ? name : "?", (int)result);
	exit(1);
}

static const char *find_functions(void)
{
	static char missing[128];
	void *libcuda = dlopen("libcuda.so.1", RTLD_NOW);

	if (!libcuda)
		return "no GPU: no libcuda.so.1 here";
	if (dlsym(libcuda, "sim_reset"))
		return "no GPU: this is the simulated driver, whose times mean nothing";
#define FIND(name)                                                                 \
	*(void **)&gpu.name = dlsym(libcuda, #name);                               \
	if (!gpu.name) {                                                           \
		snprintf(missing, sizeof missing, "this driver has no %s", #name); \
		return missing;                                                    \
	}
	GPU_FUNCTIONS(FIND)
#undef FIND
	return NULL;
}

const char *gpu_open(void)
{
	static char why[128];
	const char *problem = find_functions(), *name = "?";
	CUlibrary library;
	CUcontext ctx;
	CUresult result;

	if (problem)
		return problem;
	result = gpu.cuInit(0);
	if (result != CUDA_SUCCESS) {
		gpu.cuGetErrorName(result, &name);
		snprintf(why, sizeof why, "no GPU: cuInit: %s", name);
		return why;
	}
	if (gpu.cuDeviceGet(&gpu.device, 0) != CUDA_SUCCESS)
		return "no GPU: the driver has no device 0";
	try(gpu.cuDriverGetVersion(&gpu.driver));
	try(gpu.cuDeviceGetName(gpu.name, sizeof gpu.name, gpu.device));
	try(gpu.cuDeviceGetAttribute(&gpu.sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
	                             gpu.device));
	try(gpu.cuDevicePrimaryCtxRetain(&ctx, gpu.device));
	try(gpu.cuCtxSetCurrent(ctx));
	try(gpu.cuLibraryLoadData(&library, bench_image, NULL, NULL, 0, NULL, NULL, 0));
	try(gpu.cuLibraryGetKernel(&gpu.compute, library, "bench_compute"));
	try(gpu.cuLibraryGetKernel(&gpu.word, library, "bench_word"));
	return NULL;
}

void gpu_clocks(struct clocks *c)
{
	int (*init)(void), (*by_bus)(const char *, void **);
	int (*clock)(void *, int, unsigned int *), (*version)(char *, unsigned int);
	int (*reasons)(void *, unsigned long long *);
	void *nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW), *device;
	char bus[32];

	memset(c, 0, sizeof *c);
	if (!nvml)
		return;
	*(void **)&init = dlsym(nvml, "nvmlInit_v2");
	*(void **)&by_bus = dlsym(nvml, "nvmlDeviceGetHandleByPciBusId_v2");
	*(void **)&clock = dlsym(nvml, "nvmlDeviceGetClockInfo");
	*(void **)&version = dlsym(nvml, "nvmlSystemGetDriverVersion");
	*(void **)&reasons = dlsym(nvml, "nvmlDeviceGetCurrentClocksThrottleReasons");
	if (!init || !by_bus || !clock || !version || init())
		return;
	(void)version(c->driver, sizeof c->driver);
	/* CUDA_VISIBLE_DEVICES renumbers CUDA's devices, not NVML's. */
	try(gpu.cuDeviceGetPCIBusId(bus, sizeof bus, gpu.device));
	if (by_bus(bus, &device))
		return;
	c->known = !clock(device, 1, &c->sm) &&   /* NVML_CLOCK_SM */
	           !clock(device, 2, &c->memory); /* NVML_CLOCK_MEM */
	c->throttle_known = reasons && !reasons(device, &c->throttle);
}
