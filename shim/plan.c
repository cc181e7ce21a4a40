/* SPDX-License-Identifier: MIT */
#include "plan.h"

/*
 * One block of up to 256 threads costs what one thread costs (H200, docs/results), so
 * small fills use one store per thread and no bounds check at all.
 */
#define ONE_BLOCK 256u
#define BLOCK 256u
#define MAX_GRID 0x7fffffffu /* x dimension, every GPU since compute capability 3.0 */

static uint64_t round_up_pow2(uint64_t n, uint64_t limit)
{
	uint64_t p = 1;

	while (p < n && p < limit)
		p *= 2;
	return p;
}

static uint32_t replicate(uint32_t value, uint32_t elem)
{
	if (elem == 1)
		return (value & 0xff) * 0x01010101u;
	if (elem == 2)
		return (value & 0xffff) * 0x00010001u;
	return value;
}

uint64_t fill_bytes(const struct fill *f)
{
	return f->width * f->elem * f->height;
}

enum plan_result fill_span(const struct fill *f, uint64_t *bytes)
{
	uint64_t row, rows = 0, span;

	if (!f->width || !f->height)
		return PLAN_EMPTY;
	if (f->dst % f->elem)
		return PLAN_MISALIGNED;
	if (__builtin_mul_overflow(f->width, (uint64_t)f->elem, &row))
		return PLAN_SHAPE;
	if (f->pitch % f->elem)
		return PLAN_MISALIGNED;
	/* Of a single row the pitch says nothing, and the driver takes any. */
	if (f->height > 1) {
		if (f->pitch < row)
			return PLAN_SHAPE;
		if (__builtin_mul_overflow(f->pitch, f->height - 1, &rows))
			return PLAN_SHAPE;
	}
	if (__builtin_add_overflow(rows, row, &span) || span > UINT64_MAX - f->dst)
		return PLAN_SHAPE;
	*bytes = span;
	return PLAN_OK;
}

/* Aligned 16-byte windows that [dst, dst + bytes) touches. */
static uint64_t windows(uint64_t dst, uint64_t bytes)
{
	return bytes / 16 + (dst % 16 + bytes % 16 + 15) / 16;
}

/* The kernels of one block, and the bytes that each of their threads stores. */
static const struct {
	enum fill_kernel kernel;
	uint64_t unit;
} small[] = {{KERNEL_QUADS, 16}, {KERNEL_WORDS, 4}, {KERNEL_BYTES, 1}};

#define SMALL_KERNELS (sizeof(small) / sizeof(small[0]))

static enum plan_result plan_range(struct plan *p)
{
	uint64_t blocks;
	unsigned int i;

	/* The small kernels have no parameters to record rows or a pitch in. */
	for (i = 0; i < SMALL_KERNELS && p->height == 1 && !p->pitch; i++) {
		uint64_t unit = small[i].unit;

		if (p->dst % unit || p->width % unit)
			continue;
		if (p->width / unit > ONE_BLOCK)
			break;
		p->kernel = small[i].kernel;
		p->block_x = (uint32_t)(p->width / unit);
		return PLAN_OK;
	}
	blocks = (windows(p->dst, p->width) + BLOCK - 1) / BLOCK;
	if (blocks > MAX_GRID)
		return PLAN_TOO_LARGE;
	p->kernel = KERNEL_RANGE;
	p->grid = (uint32_t)blocks;
	p->block_x = BLOCK;
	return PLAN_OK;
}

static enum plan_result plan_rows(struct plan *p)
{
	/* An unaligned row may straddle one window more than its length asks for. */
	uint64_t wide = windows(15, p->width);
	uint64_t columns, row_blocks, blocks;

	p->block_x = (uint32_t)round_up_pow2(wide, BLOCK);
	p->block_y = BLOCK / p->block_x;
	columns = (wide + p->block_x - 1) / p->block_x;
	row_blocks = (p->height + p->block_y - 1) / p->block_y;
	if (__builtin_mul_overflow(columns, row_blocks, &blocks) || blocks > MAX_GRID)
		return PLAN_TOO_LARGE;
	p->kernel = KERNEL_ROWS;
	p->columns = (uint32_t)columns;
	p->grid = (uint32_t)blocks;
	return PLAN_OK;
}

enum plan_result plan_fill(const struct fill *f, struct plan *p)
{
	uint64_t span;
	enum plan_result result = fill_span(f, &span);

	if (result != PLAN_OK)
		return result;
	/* A kernel computes the end of the window that holds the last byte. */
	if (f->dst + span > UINT64_MAX - 16)
		return PLAN_TOO_LARGE;
	*p = (struct plan){.grid = 1,
	                   .block_x = 1,
	                   .block_y = 1,
	                   .dst = f->dst,
	                   .pattern = replicate(f->value, f->elem),
	                   .elem = f->elem,
	                   .width = f->width * f->elem,
	                   .pitch = f->pitch,
	                   .height = f->height,
	                   .columns = 1};
	/* Rows without gaps are one range; span is then exactly the bytes written. */
	if (span == fill_bytes(f)) {
		p->width = span;
		return plan_range(p);
	}
	return plan_rows(p);
}

void plan_params(struct plan *p, void *params[PLAN_PARAMS])
{
	params[0] = &p->dst;
	params[1] = &p->pattern;
	params[2] = &p->elem;
	params[3] = &p->width;
	params[4] = &p->pitch;
	params[5] = &p->height;
	params[6] = &p->columns;
}

int plan_read(const struct plan *p, struct fill *f)
{
	uint64_t bytes = p->width, divisor = p->elem;
	unsigned int i;

	if (p->elem != 1 && p->elem != 2 && p->elem != 4)
		return -1;
	*f = (struct fill){.dst = p->dst, .elem = p->elem, .height = 1};
	f->value = p->elem == 4 ? p->pattern : p->pattern & ((1u << (8 * p->elem)) - 1);
	for (i = 0; i < SMALL_KERNELS; i++)
		if (p->kernel == small[i].kernel)
			bytes = small[i].unit * p->block_x;
	if (p->kernel == KERNEL_RANGE || p->kernel == KERNEL_ROWS) {
		f->pitch = p->pitch;
		f->height = p->height;
	}
	if (p->kernel == KERNEL_RANGE &&
	    __builtin_mul_overflow(divisor, p->height, &divisor))
		return -1;
	if (!divisor || !bytes || bytes % divisor)
		return -1;
	f->width = bytes / divisor;
	return 0;
}

int fill_kernel_params(enum fill_kernel kernel)
{
	static const int params[] = {
#define KERNEL(id, name, params) [KERNEL_##id] = (params),
#include "kernels.def"
#undef KERNEL
	};

	return params[kernel];
}

const char *fill_kernel_name(enum fill_kernel kernel)
{
	static const char *const names[] = {
#define KERNEL(id, name, params) [KERNEL_##id] = (name),
#include "kernels.def"
#undef KERNEL
	};

	return names[kernel];
}
