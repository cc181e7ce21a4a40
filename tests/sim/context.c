/* SPDX-License-Identifier: MIT */
/*
 * context.c - contexts, and each thread's stack of them.
 */
#include <stdlib.h>
#include <string.h>

#include "sim.h"

#define STACK 64

static struct CUctx_st primary[SIM_MAX_DEVICES];
static CUcontext created;

static __thread CUcontext stack[STACK];
static __thread int depth;

unsigned long long sim_next_id(void)
{
	static unsigned long long id;

	return ++id;
}

CUcontext sim_current(void)
{
	return depth ? stack[depth - 1] : NULL;
}

int sim_context_lives(CUcontext ctx)
{
	CUcontext c;
	int i;

	for (i = 0; i < SIM_MAX_DEVICES; i++)
		if (ctx == &primary[i])
			return ctx->references > 0 && !ctx->dead;
	for (c = created; c; c = c->next)
		if (c == ctx)
			return !c->dead;
	return 0;
}

CUresult sim_ready(void)
{
	CUcontext ctx = sim_current();

	if (!sim_initialized())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!ctx)
		return CUDA_ERROR_INVALID_CONTEXT;
	return sim_context_lives(ctx) ? ctx->fault : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult sim_fault(CUcontext ctx, CUresult fault)
{
	if (ctx->fault == CUDA_SUCCESS)
		ctx->fault = fault;
	return fault;
}

/* Everything that lives in the context goes with it. */
static void forget(CUcontext ctx)
{
	sim_streams_forget(ctx);
	sim_functions_forget(ctx);
	sim_memory_forget(ctx);
	sim_peers_forget(ctx);
	ctx->fault = CUDA_SUCCESS;
}

CUcontext sim_primary(CUdevice device)
{
	return &primary[device];
}

CUcontext sim_primary_retain(CUdevice device)
{
	CUcontext ctx = &primary[device];

	if (!ctx->references++) {
		ctx->primary = 1;
		ctx->device = device;
		ctx->id = sim_next_id();
	}
	return ctx;
}

void sim_primary_release(CUdevice device)
{
	if (primary[device].references && !--primary[device].references)
		forget(&primary[device]);
}

CUcontext sim_context_new(CUdevice device)
{
	CUcontext ctx = sim_new(1, sizeof *ctx);

	ctx->device = device;
	ctx->id = sim_next_id();
	ctx->next = created;
	created = ctx;
	return ctx;
}

void sim_context_end(CUcontext ctx)
{
	forget(ctx);
	ctx->dead = 1;
}

static CUresult check_device(CUdevice device)
{
	if (!sim_initialized())
		return CUDA_ERROR_NOT_INITIALIZED;
	return device < 0 || device >= sim_devices() ? CUDA_ERROR_INVALID_DEVICE
	                                             : CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *ctx, CUdevice device)
{
	SIM_CALL(cuDevicePrimaryCtxRetain);
	sim_entered = check_device(device);
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	if (!ctx)
		return CUDA_ERROR_INVALID_VALUE;
	*ctx = sim_primary_retain(device);
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
	SIM_CALL(cuDevicePrimaryCtxRelease_v2);
	sim_entered = check_device(device);
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	if (!primary[device].references)
		return CUDA_ERROR_INVALID_CONTEXT;
	sim_primary_release(device);
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
	SIM_CALL(cuDevicePrimaryCtxReset_v2);
	sim_entered = check_device(device);
	if (sim_entered == CUDA_SUCCESS)
		sim_entered = sim_unsafe();
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	forget(&primary[device]);
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags,
                                               int *active)
{
	SIM_CALL(cuDevicePrimaryCtxGetState);
	sim_entered = check_device(device);
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	*flags = 0;
	*active = primary[device].references > 0;
	return CUDA_SUCCESS;
}

static CUresult create(CUcontext *ctx, CUdevice device)
{
	CUresult result = check_device(device);

	if (result == CUDA_SUCCESS)
		result = sim_unsafe();
	if (result != CUDA_SUCCESS)
		return result;
	if (!ctx || depth == STACK)
		return CUDA_ERROR_INVALID_VALUE;
	*ctx = sim_context_new(device);
	stack[depth++] = *ctx;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuCtxCreate_v2(CUcontext *ctx, unsigned int flags, CUdevice device)
{
	SIM_CALL(cuCtxCreate_v2);
	(void)flags;
	return create(ctx, device);
}

SIM_EXPORT CUresult cuCtxCreate_v3(CUcontext *ctx, CUexecAffinityParam *params,
                                   int count, unsigned int flags, CUdevice device)
{
	SIM_CALL(cuCtxCreate_v3);
	(void)params;
	(void)flags;
	return count ? CUDA_ERROR_NOT_SUPPORTED : create(ctx, device);
}

SIM_EXPORT CUresult cuCtxCreate_v4(CUcontext *ctx, CUctxCreateParams *params,
                                   unsigned int flags, CUdevice device)
{
	SIM_CALL(cuCtxCreate_v4);
	(void)flags;
	return params ? CUDA_ERROR_NOT_SUPPORTED : create(ctx, device);
}

/* Left on other threads' stacks, as by the real driver. */
SIM_EXPORT CUresult cuCtxDestroy_v2(CUcontext ctx)
{
	SIM_CALL(cuCtxDestroy_v2);
	if (!sim_initialized())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!ctx || ctx->primary || !sim_context_lives(ctx))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (depth && stack[depth - 1] == ctx)
		depth--;
	sim_context_end(ctx);
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuCtxSetCurrent(CUcontext ctx)
{
	SIM_CALL(cuCtxSetCurrent);
	if (!sim_initialized())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (ctx && !sim_context_lives(ctx))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (depth)
		depth--;
	if (ctx)
		stack[depth++] = ctx;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuCtxGetCurrent(CUcontext *ctx)
{
	SIM_CALL(cuCtxGetCurrent);
	if (!sim_initialized())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!ctx)
		return CUDA_ERROR_INVALID_VALUE;
	*ctx = sim_current();
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuCtxPushCurrent_v2(CUcontext ctx)
{
	SIM_CALL(cuCtxPushCurrent_v2);
	if (!sim_initialized())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!sim_context_lives(ctx) || depth == STACK)
		return CUDA_ERROR_INVALID_CONTEXT;
	stack[depth++] = ctx;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *ctx)
{
	SIM_CALL(cuCtxPopCurrent_v2);
	if (!sim_initialized())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!depth)
		return CUDA_ERROR_INVALID_CONTEXT;
	depth--;
	if (ctx)
		*ctx = stack[depth];
	return CUDA_SUCCESS;
}

/* These two answer also for a context with a fault. */
static CUresult current(CUcontext *ctx)
{
	if (!sim_initialized())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!*ctx)
		*ctx = sim_current();
	if (!*ctx)
		return CUDA_ERROR_INVALID_CONTEXT;
	return sim_context_lives(*ctx) ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

SIM_EXPORT CUresult cuCtxGetDevice(CUdevice *device)
{
	CUcontext ctx = NULL;

	SIM_CALL(cuCtxGetDevice);
	sim_entered = current(&ctx);
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	*device = ctx->device;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuCtxGetId(CUcontext ctx, unsigned long long *id)
{
	SIM_CALL(cuCtxGetId);
	sim_entered = current(&ctx);
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	if (!id)
		return CUDA_ERROR_INVALID_VALUE;
	*id = ctx->id;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	SIM_CALL(cuCtxGetStreamPriorityRange);
	if (least)
		*least = 0;
	if (greatest)
		*greatest = -5;
	return sim_ready();
}

SIM_EXPORT CUresult cuCtxSynchronize(void)
{
	SIM_CALL(cuCtxSynchronize);
	sim_entered = sim_ready();
	return sim_entered != CUDA_SUCCESS ? sim_entered
	                                   : sim_capture_unwaitable(sim_current());
}
