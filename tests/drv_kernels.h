/* SPDX-License-Identifier: MIT */
/*
 * drv_kernels.h - kernels.cu by hand: its image, and sim_add_bytes' arguments.
 */
#ifndef DRV_KERNELS_H
#define DRV_KERNELS_H

#include "drv.h"

/* kernels.cu as a module, for functions of one context. */
extern const unsigned char test_image[];

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
