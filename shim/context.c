/* SPDX-License-Identifier: MIT */
#include "context.h"

#include "log.h"

int context_enter(struct context_while *w, CUcontext ctx)
{
	CUcontext current = NULL;
	CUdevice device;

	w->pushed = 0;
	if (!ctx || DRV(cuCtxGetCurrent)(&current) != CUDA_SUCCESS)
		return -1;
	if (ctx == current)
		return 0;
	if (DRV(cuCtxGetDevice)(&device) != CUDA_SUCCESS ||
	    DRV(cuCtxPushCurrent_v2)(ctx) != CUDA_SUCCESS)
		return -1;
	w->pushed = 1;
	return 0;
}

void context_leave(const struct context_while *w)
{
	CUcontext popped;
	int tries;

	if (!w->pushed)
		return;
	/* The program's state must come back: a refusal may be a passing one. */
	for (tries = 0; DRV(cuCtxPopCurrent_v2)(&popped) != CUDA_SUCCESS; tries++)
		if (tries) {
			log_once(LOG_ERROR,
			         "the driver keeps the stream's context current");
			break;
		}
}
