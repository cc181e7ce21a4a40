/* SPDX-License-Identifier: MIT */
/*
 * plan.h - from a memset to a kernel launch, without CUDA.
 *
 * Pure: no CUDA call, no allocation, no state; any thread, any time.  The same
 * kernels (fill_kernels.h) are compiled for the device and, in the tests, for the host.
 */
#ifndef MSS_PLAN_H
#define MSS_PLAN_H

#include <stdint.h>

/* One memset, as the program asked for it. */
struct fill {
	uint64_t dst;    /* device address */
	uint32_t value;  /* the low `elem` bytes count */
	uint32_t elem;   /* bytes per element: 1, 2 or 4 */
	uint64_t width;  /* elements per row */
	uint64_t height; /* rows; 1 for the one-dimensional calls */
	uint64_t pitch;  /* bytes from row to row; of a single row it means nothing */
};

enum fill_kernel {
#define KERNEL(id, name, params) KERNEL_##id,
#include "kernels.def"
#undef KERNEL
	KERNEL_COUNT
};

/* One launch.  The seven parameters are what kernels.def says each kernel takes. */
struct plan {
	enum fill_kernel kernel;
	uint32_t grid;    /* blocks, x only */
	uint32_t block_x; /* threads */
	uint32_t block_y;
	uint64_t dst;
	uint32_t pattern; /* byte at address a is byte (a & 3) of this, little-endian */
	uint32_t elem;    /* record: bytes per element */
	uint64_t width;   /* bytes: of a row for ROWS, of all for RANGE */
	uint64_t pitch;   /* bytes */
	uint64_t height;  /* rows */
	uint32_t columns; /* ROWS: blocks that cover one row */
};

#define PLAN_PARAMS 7

/* What plan_fill() and fill_span() say of a memset. */
enum plan_result {
	PLAN_OK,
	PLAN_EMPTY,      /* no bytes: nothing to capture */
	PLAN_MISALIGNED, /* address or pitch not a multiple of the element */
	PLAN_SHAPE,      /* pitch below width, or the range leaves the address space */
	PLAN_TOO_LARGE   /* more blocks than one grid holds */
};

/*
 * The bytes from the first to the last one written, gaps of a pitched shape included:
 * *bytes is the length from f->dst.  Anything but PLAN_OK leaves *bytes alone.
 */
enum plan_result fill_span(const struct fill *f, uint64_t *bytes);

/* Bytes written, for a fill that fill_span() accepts. */
uint64_t fill_bytes(const struct fill *f);

/* Fills in *p; anything but PLAN_OK leaves *p unspecified. */
enum plan_result plan_fill(const struct fill *f, struct plan *p);

/*
 * The parameters in kernels.def's order, as cuLaunchKernel wants them: pointers into
 * *p, which must outlive their use.
 */
void plan_params(struct plan *p, void *params[PLAN_PARAMS]);

/*
 * The memset that *p does, as plan_fill() was given it but for bits of the value beyond
 * the element.  0, or -1 when *p is not plan_fill()'s work.
 */
int plan_read(const struct plan *p, struct fill *f);

/* How many of the parameters the kernel takes. */
int fill_kernel_params(enum fill_kernel kernel);

/* The kernel's name in the image. */
const char *fill_kernel_name(enum fill_kernel kernel);

#endif
