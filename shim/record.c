/* SPDX-License-Identifier: MIT */
#include "record.h"

#include <string.h>

#include "image.h"

static atomic_int any;

int record_any(void)
{
	return atomic_load_explicit(&any, memory_order_relaxed);
}

void record_made(void)
{
	atomic_store_explicit(&any, 1, memory_order_relaxed);
}

/* From the driver's own copy of the launch, which lives as long as the node. */
static void take_params(struct plan *p, void *const *params)
{
	const size_t sizes[PLAN_PARAMS] = {
	    sizeof p->dst,   sizeof p->pattern, sizeof p->elem,   sizeof p->width,
	    sizeof p->pitch, sizeof p->height,  sizeof p->columns};
	void *slots[PLAN_PARAMS];
	int i;

	plan_params(p, slots);
	for (i = 0; i < fill_kernel_params(p->kernel); i++)
		memcpy(slots[i], params[i], sizes[i]);
}

int record_read(CUgraphNode node, struct fill *f, CUcontext *ctx)
{
	CUDA_KERNEL_NODE_PARAMS launch;
	CUgraphNodeType type;
	struct plan p = {0};
	int kernel;

	if (!record_any() || !node || !DRV(cuGraphKernelNodeGetParams_v2) ||
	    !DRV(cuGraphNodeGetType))
		return -1;
	/* A call that fails is an error to sanitizers and to cuLogs. */
	if (DRV(cuGraphNodeGetType)(node, &type) != CUDA_SUCCESS ||
	    type != CU_GRAPH_NODE_TYPE_KERNEL)
		return -1;
	memset(&launch, 0, sizeof launch);
	if (DRV(cuGraphKernelNodeGetParams_v2)(node, &launch) != CUDA_SUCCESS ||
	    !launch.kernelParams)
		return -1;
	kernel = image_which(launch.kern, launch.func);
	if (kernel < 0)
		return -1;
	p.kernel = (enum fill_kernel)kernel;
	p.grid = launch.gridDimX;
	p.block_x = launch.blockDimX;
	p.block_y = launch.blockDimY;
	take_params(&p, launch.kernelParams);
	*ctx = launch.ctx;
	return plan_read(&p, f);
}

int record_is_fill(CUgraphNode node)
{
	struct fill f;
	CUcontext ctx;

	return record_read(node, &f, &ctx) == 0;
}
