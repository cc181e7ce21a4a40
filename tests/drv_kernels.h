/* SPDX-License-Identifier: MIT */
/*
 * drv_kernels.h - the arguments of kernels.cu's sim_add_bytes.
 */
#ifndef DRV_KERNELS_H
#define DRV_KERNELS_H

#include "drv.h"

/* sim_add_bytes' arguments, and where they are. */
struct drv_add {
	CUdeviceptr at;
	unsigned long long bytes;
	unsigned int addend;
	void *args[3];
};

__attribute__((unused)) static void **drv_add_args(struct drv_add *a)
{
	a->args[0] = &a->at;
	a->args[1] = &a->bytes;
	a->args[2] = &a->addend;
	return a->args;
}

#endif
