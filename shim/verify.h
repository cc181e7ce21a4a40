/* SPDX-License-Identifier: MIT */
/*
 * verify.h - is the memory of a graph's fills still what it was?
 *
 * A memset node's memory is looked at when its graph is instantiated; a kernel's is
 * not, and bad memory would end the context at replay instead.
 */
#ifndef MSS_VERIFY_H
#define MSS_VERIFY_H

#include "driver.h"

/*
 * CUDA_SUCCESS, or what the driver says of the first fill, child graphs entered, that
 * it would refuse as a memset node; *bad is that node.  Conditional bodies are not
 * looked into: a driver before CUDA 13.2 does not hand them out.  Any thread.
 */
CUresult verify_graph(CUgraph graph, CUgraphNode *bad);

/*
 * 1 when an executable graph may take over `graph`: for before the driver's call, which
 * cannot be taken back.  Else 0, and *bad as above.  Enters the guard itself.
 */
int verify_update(CUgraph graph, CUgraphNode *bad);

#endif
