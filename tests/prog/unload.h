/* SPDX-License-Identifier: MIT */
/*
 * unload.h - a plugin that is there for one capture, and a driver that is for a while.
 */
#ifndef UNLOAD_H
#define UNLOAD_H

#include "outside.h"

CUresult unload_capture(CUstream stream, CUdeviceptr at, CUgraph *graph);

/* A library that has all of this program's CUDA to itself: libcuda goes with it. */
void unload_all(const char *what);

#endif
