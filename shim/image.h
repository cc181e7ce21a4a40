/* SPDX-License-Identifier: MIT */
/*
 * image.h - the fill kernels in the driver.
 *
 * Loaded once per process as a CUlibrary, which belongs to no context: contexts may
 * come, go and be reset, and the driver brings the code into each by itself.  Never
 * unloaded: graphs that use it may live until the end.
 */
#ifndef MSS_IMAGE_H
#define MSS_IMAGE_H

#include "driver.h"
#include "plan.h"

/*
 * The kernel, good for a launch in any context; loads the image at the first call,
 * which may be inside a capture of any mode.  NULL when it cannot be loaded: logged
 * once, and never tried again, so that all captures of the process agree.
 */
CUkernel image_kernel(enum fill_kernel kernel);

/*
 * Which fill kernel a kernel node launches, that has these two among its parameters;
 * -1: none of ours.
 */
int image_which(CUkernel kernel, CUfunction function);

/* The child of a fork has no other thread that could hold the lock. */
void image_after_fork(void);

#endif
