/* SPDX-License-Identifier: MIT */
/*
 * world.c - memory, streams, kernels: made once in a process, used by all its programs.
 */
#include <string.h>

#include "search.h"

#define DIRT (PICTURE + 256)

extern const char search_image[];
struct world world;

static void load_kernels(void)
{
	CUmodule module;

	must(cuModuleLoadData(&module, search_image));
	must(cuModuleGetFunction(&world.add, module, "sim_add_bytes"));
	must(cuModuleGetFunction(&world.copy, module, "sim_copy_bytes"));
}

static void allocate(void)
{
	CUdeviceptr pool;
	void *pinned;

	world.base[SPACE_DEVICE] = drv_alloc(space_size[SPACE_DEVICE]);
	world.base[SPACE_DRAIN] = drv_alloc(space_size[SPACE_DRAIN]);
	must(cuMemHostAlloc(&pinned, space_size[SPACE_PINNED], 0));
	world.base[SPACE_PINNED] = (CUdeviceptr)(uintptr_t)pinned;
	if (cuMemAllocAsync(&pool, space_size[SPACE_POOL], world.stream[0]) ==
	        CUDA_SUCCESS &&
	    cuStreamSynchronize(world.stream[0]) == CUDA_SUCCESS)
		world.base[SPACE_POOL] = pool;
}

void world_open(void)
{
	int i;

	world.ctx = drv_start();
	for (i = 0; i < STREAMS; i++) {
		world.stream[i] = drv_stream();
		must(cuEventCreate(&world.event[i], CU_EVENT_DISABLE_TIMING));
	}
	load_kernels();
	allocate();
	world.dirt = malloc(DIRT);
	if (!world.dirt)
		bail("out of memory");
	drv_dirty(world.dirt, DIRT, 1);
	*(void **)&world.begin_to_graph = drv_entry("cuStreamBeginCaptureToGraph");
	*(void **)&world.kernel_params = drv_own("cuGraphKernelNodeGetParams_v2");
	world.features = probe_features();
}

void world_say(void)
{
	unsigned int bit;

	printf("# memory: device, pinned, %spool\n",
	       world.features & FEATURE_POOL ? "" : "no ");
	for (bit = 1; bit <= FEATURE_EXEC_WIDTH; bit *= 2)
		if (!(world.features & bit))
			printf("# left out, this driver cannot: %s\n",
			       feature_name((enum feature)bit));
}

/* Pinned memory is the host's: no copy may be asked for what lies in it. */
void world_write(const unsigned char *picture)
{
	unsigned int i;

	for (i = 0; i < SPACE_GRAPH; i++) {
		const unsigned char *from = picture + space_at((enum space)i);

		if (i == SPACE_PINNED)
			memcpy((void *)(uintptr_t)world.base[i], from, space_size[i]);
		else if (world.base[i])
			drv_write(world.base[i], from, space_size[i]);
	}
}

void world_read(unsigned char *picture)
{
	unsigned int i;

	must(cuCtxSynchronize());
	for (i = 0; i < SPACE_GRAPH; i++) {
		unsigned char *to = picture + space_at((enum space)i);

		if (i == SPACE_PINNED)
			memcpy(to, (void *)(uintptr_t)world.base[i], space_size[i]);
		else if (world.base[i])
			drv_read(to, world.base[i], space_size[i]);
	}
}
