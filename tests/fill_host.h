/* SPDX-License-Identifier: MIT */
/*
 * fill_host.h - run a fill kernel on the host, thread by thread.
 */
#ifndef FILL_HOST_H
#define FILL_HOST_H

#include "../shim/plan.h"

/*
 * Runs the whole grid of *p in the calling thread, storing to host memory: p->dst is a
 * host address.  The kernel code is shim/fill_kernels.h's.
 */
void fill_host_run(const struct plan *p);

/*
 * A plan from what a launch carries: kernel name, grid, block and parameter pointers
 * as for cuLaunchKernel.  0, or -1 when no fill kernel has that name.
 */
int fill_host_plan(const char *kernel, unsigned int grid, unsigned int block_x,
                   unsigned int block_y, void *const *params, struct plan *p);

#endif
