/* SPDX-License-Identifier: MIT */
/*
 * fill_run.h - one launch of a fill kernel on the host, thread by thread.
 *
 * Included after the FILL_* macros are defined (fill_kernels.h): what a store does is
 * the includer's business.
 */
#ifndef FILL_RUN_H
#define FILL_RUN_H

#include "../shim/fill_kernels.h"
#include "../shim/plan.h"

static void fill_run_thread(const struct plan *p, uint32_t b, uint32_t tx, uint32_t ty)
{
	switch (p->kernel) {
	case KERNEL_BYTES:
		fill_bytes_thread(tx, p->dst, p->pattern);
		break;
	case KERNEL_WORDS:
		fill_words_thread(tx, p->dst, p->pattern);
		break;
	case KERNEL_QUADS:
		fill_quads_thread(tx, p->dst, p->pattern);
		break;
	case KERNEL_RANGE:
		fill_range_thread(b, p->block_x, tx, p->dst, p->pattern, p->width);
		break;
	case KERNEL_ROWS:
		fill_rows_thread(b, p->block_x, p->block_y, tx, ty, p->dst, p->pattern,
		                 p->width, p->pitch, p->height, p->columns);
		break;
	case KERNEL_COUNT:
		break;
	}
}

static void fill_run(const struct plan *p)
{
	uint32_t b, tx, ty;

	for (b = 0; b < p->grid; b++)
		for (ty = 0; ty < p->block_y; ty++)
			for (tx = 0; tx < p->block_x; tx++)
				fill_run_thread(p, b, tx, ty);
}

#endif
