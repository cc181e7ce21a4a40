/* SPDX-License-Identifier: MIT */
/*
 * drv.h - what every behaviour test needs of a driver, real or simulated.
 *
 * A test links libcuda and runs with the shim preloaded; which libcuda it meets is
 * decided by LD_LIBRARY_PATH (tests/run).  Single-threaded unless it says otherwise.
 */
#ifndef DRV_H
#define DRV_H

#include <cuda.h>
#include <stddef.h>

#include "tap.h"

/* cuInit, the primary context of device 0, made current; skip_all() where no GPU. */
CUcontext drv_start(void);

/* 1 when libcuda is the simulated one. */
int drv_is_sim(void);

/* Ends the test with a message when a call that has to work fails. */
#define must(call) drv_must((call), #call, __FILE__, __LINE__)
void drv_must(CUresult result, const char *call, const char *file, int line);

/* Nodes of `graph` that are of `type`, child graphs not entered. */
size_t drv_count(CUgraph graph, CUgraphNodeType type);

/* Turns the shim's substitution on or off; -1 when no shim is loaded. */
int drv_shim(int on);

/* Instantiates and launches `times` times on `stream`; the first error, if any. */
CUresult drv_replay(CUgraph graph, CUstream stream, int times);

/* Copies device bytes to the host. */
void drv_read(void *host, CUdeviceptr from, size_t bytes);

/* Sets device bytes from the host, without any memset. */
void drv_write(CUdeviceptr to, const void *host, size_t bytes);

#endif
