/* SPDX-License-Identifier: MIT */
/*
 * scratch.h - what would the driver say of this memset, as a node of its own?
 *
 * Asked with a graph that exists for the question alone.  For what the shim changes in
 * the place of the driver, so that bad parameters give the driver's own errors.
 */
#ifndef MSS_SCRATCH_H
#define MSS_SCRATCH_H

#include "driver.h"

/* The result of adding it to a graph: parameters and context. */
CUresult scratch_add(const CUDA_MEMSET_NODE_PARAMS *set, CUcontext ctx);

/* The result of instantiating that graph: the memory too. */
CUresult scratch_instantiate(const CUDA_MEMSET_NODE_PARAMS *set, CUcontext ctx);

#endif
