/* SPDX-License-Identifier: MIT */
/*
 * green.c - green contexts: contexts with a part of a device's multiprocessors, which
 * here are numbers only.
 */
#include <stdlib.h>

#include "sim.h"

#define SMS 132u
#define SMALLEST 8u

struct CUdevResourceDesc_st {
	CUdevResource resource;
};

struct CUgreenCtx_st {
	CUcontext ctx;
	CUdevResource resource;
	CUgreenCtx next;
};

static CUgreenCtx greens;

static CUgreenCtx green_of(CUcontext ctx)
{
	CUgreenCtx g;

	for (g = greens; g && g->ctx != ctx; g = g->next)
		;
	return g;
}

static CUresult check(CUgreenCtx green)
{
	CUgreenCtx g;

	if (!sim_initialized())
		return CUDA_ERROR_NOT_INITIALIZED;
	for (g = greens; g && g != green; g = g->next)
		;
	return g && sim_context_lives(g->ctx) ? CUDA_SUCCESS
	                                      : CUDA_ERROR_INVALID_CONTEXT;
}

static CUdevResource multiprocessors(unsigned int count)
{
	CUdevResource r = {.type = CU_DEV_RESOURCE_TYPE_SM};

	r.sm.smCount = count;
	r.sm.minSmPartitionSize = r.sm.smCoscheduledAlignment = SMALLEST;
	return r;
}

SIM_EXPORT CUresult cuDeviceGetDevResource(CUdevice device, CUdevResource *resource,
                                           CUdevResourceType type)
{
	SIM_CALL(cuDeviceGetDevResource);
	if (!sim_initialized())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (device < 0 || device >= sim_devices())
		return CUDA_ERROR_INVALID_DEVICE;
	if (!resource)
		return CUDA_ERROR_INVALID_VALUE;
	if (type != CU_DEV_RESOURCE_TYPE_SM)
		return CUDA_ERROR_INVALID_RESOURCE_TYPE;
	*resource = multiprocessors(SMS);
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuDevSmResourceSplitByCount(CUdevResource *result,
                                                unsigned int *groups,
                                                const CUdevResource *input,
                                                CUdevResource *remaining,
                                                unsigned int flags, unsigned int least)
{
	unsigned int size, fit, i;

	SIM_CALL(cuDevSmResourceSplitByCount);
	(void)flags;
	if (!groups || !input || least > input->sm.smCount)
		return CUDA_ERROR_INVALID_VALUE;
	if (input->type != CU_DEV_RESOURCE_TYPE_SM)
		return CUDA_ERROR_INVALID_RESOURCE_TYPE;
	size = least ? (least + SMALLEST - 1) / SMALLEST * SMALLEST : SMALLEST;
	fit = input->sm.smCount / size;
	if (result && *groups < fit)
		fit = *groups;
	if (!fit)
		return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
	*groups = fit;
	for (i = 0; result && i < fit; i++)
		result[i] = multiprocessors(size);
	if (remaining)
		*remaining = multiprocessors(input->sm.smCount - fit * size);
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuDevResourceGenerateDesc(CUdevResourceDesc *desc,
                                              CUdevResource *resources,
                                              unsigned int count)
{
	SIM_CALL(cuDevResourceGenerateDesc);
	if (!desc || !resources || count != 1)
		return CUDA_ERROR_INVALID_VALUE;
	if (resources->type != CU_DEV_RESOURCE_TYPE_SM)
		return CUDA_ERROR_INVALID_RESOURCE_TYPE;
	*desc = sim_new(1, sizeof **desc);
	(*desc)->resource = *resources;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuGreenCtxCreate(CUgreenCtx *green, CUdevResourceDesc desc,
                                     CUdevice device, unsigned int flags)
{
	SIM_CALL(cuGreenCtxCreate);
	if (!sim_initialized())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (device < 0 || device >= sim_devices())
		return CUDA_ERROR_INVALID_DEVICE;
	if (!green || !desc || flags != CU_GREEN_CTX_DEFAULT_STREAM)
		return CUDA_ERROR_INVALID_VALUE;
	*green = sim_new(1, sizeof **green);
	(*green)->ctx = sim_context_new(device);
	(*green)->resource = desc->resource;
	(*green)->next = greens;
	greens = *green;
	sim_primary_retain(device);
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuGreenCtxDestroy(CUgreenCtx green)
{
	SIM_CALL(cuGreenCtxDestroy);
	sim_entered = check(green);
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	sim_context_end(green->ctx);
	sim_primary_release(green->ctx->device);
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuCtxFromGreenCtx(CUcontext *ctx, CUgreenCtx green)
{
	SIM_CALL(cuCtxFromGreenCtx);
	sim_entered = check(green);
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	if (!ctx)
		return CUDA_ERROR_INVALID_VALUE;
	*ctx = green->ctx;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuGreenCtxStreamCreate(CUstream *stream, CUgreenCtx green,
                                           unsigned int flags, int priority)
{
	SIM_CALL(cuGreenCtxStreamCreate);
	sim_entered = check(green);
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	if (!stream || flags != CU_STREAM_NON_BLOCKING)
		return CUDA_ERROR_INVALID_VALUE;
	*stream = sim_stream_new(green->ctx, flags, priority);
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuStreamGetGreenCtx(CUstream s, CUgreenCtx *green)
{
	SIM_CALL(cuStreamGetGreenCtx);
	sim_entered = sim_stream(&s, 0);
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	if (!green)
		return CUDA_ERROR_INVALID_VALUE;
	*green = green_of(s->ctx);
	return CUDA_SUCCESS;
}

static CUresult contexts(CUstream s, CUcontext *ctx, CUgreenCtx *green)
{
	if (!ctx || !green)
		return CUDA_ERROR_INVALID_VALUE;
	*green = green_of(s->ctx);
	*ctx = *green ? sim_primary(s->ctx->device) : s->ctx;
	return CUDA_SUCCESS;
}

SIM_STREAM(cuStreamGetCtx_v2, (CUstream s, CUcontext *ctx, CUgreenCtx *green),
           contexts(s, ctx, green))
