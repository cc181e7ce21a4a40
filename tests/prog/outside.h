/* SPDX-License-Identifier: MIT */
/*
 * outside.h - captures one memset and says what it became, as the driver itself sees
 * it.
 *
 * What a program is told of a node is the shim's business; here the node is shown to
 * the driver's own functions, which nobody can have hooked.  Compiled together with
 * drv.c.
 */
#ifndef OUTSIDE_H
#define OUTSIDE_H

#include <cuda.h>

typedef __typeof__(&cuMemsetD8Async) outside_set;

/* CUDA, a stream and some memory; the program ends where that does not work. */
void outside_start(void);
CUstream outside_stream(void);
CUdeviceptr outside_memory(void);
#define OUTSIDE_BYTES 1000u

/* "kernel" or "memset", or what else the graph has than one node of these. */
const char *outside_kind(CUgraph graph);

/* A capture and one memset by `set`; the graph. */
CUgraph outside_graph(outside_set set);

/* Prints "WHAT: kernel, bytes right": the graph's node and what its replay has set. */
void outside_show(const char *what, CUgraph graph);

/* Both, with the memset as it is linked here. */
void outside_capture(const char *what);

/* The last part of the path of the object that an address is in. */
const char *outside_object(const void *address);

#endif
