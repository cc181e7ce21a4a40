/* SPDX-License-Identifier: MIT */
/*
 * fill_kernels.h - what one thread of each fill kernel does, byte for byte.
 *
 * The one definition, compiled by nvcc for the device (fill.cu) and by the C compiler
 * for the tests and the simulated driver.  `block`, `tx`, `ty` are the thread's place,
 * `bx` and `by` the block's shape; the rest are the kernel's parameters (kernels.def).
 * The includer defines before including:
 *     FILL_FN                      storage class and qualifiers of every function
 *     FILL_STORE1(address, v)      store the byte v at address
 *     FILL_STORE4(address, v)      store the 32-bit v at address, a multiple of 4
 *     FILL_STORE16(address, v)     store v four times at address, a multiple of 16
 *
 * Little-endian: the byte at address a is byte (a & 3) of the pattern, which holds for
 * every element size because the driver wants addresses aligned to the element.
 */
#ifndef MSS_FILL_KERNELS_H
#define MSS_FILL_KERNELS_H

#include <stdint.h>

/* One block, one store per thread: the planner launches exactly as many threads. */
FILL_FN void fill_bytes_thread(uint32_t tx, uint64_t dst, uint32_t pattern)
{
	uint64_t a = dst + tx;

	FILL_STORE1(a, (uint8_t)(pattern >> (8 * ((uint32_t)a & 3))));
}

FILL_FN void fill_words_thread(uint32_t tx, uint64_t dst, uint32_t pattern)
{
	FILL_STORE4(dst + 4 * (uint64_t)tx, pattern);
}

FILL_FN void fill_quads_thread(uint32_t tx, uint64_t dst, uint32_t pattern)
{
	FILL_STORE16(dst + 16 * (uint64_t)tx, pattern);
}

/* The part of [begin, end) that lies in the aligned 16 bytes at `window`. */
FILL_FN void fill_window(uint64_t window, uint64_t begin, uint64_t end,
                         uint32_t pattern)
{
	uint64_t a;

	if (window >= begin && window + 16 <= end) {
		FILL_STORE16(window, pattern);
		return;
	}
	for (a = window; a < window + 16; a += 4) {
		uint32_t i;

		if (a >= begin && a + 4 <= end) {
			FILL_STORE4(a, pattern);
			continue;
		}
		for (i = 0; i < 4; i++)
			if (a + i >= begin && a + i < end)
				FILL_STORE1(a + i, (uint8_t)(pattern >> (8 * i)));
	}
}

/* Thread n of the grid owns the n-th aligned 16 bytes counted from dst's own. */
FILL_FN void fill_range_thread(uint32_t block, uint32_t bx, uint32_t tx, uint64_t dst,
                               uint32_t pattern, uint64_t width)
{
	uint64_t window = (dst & ~(uint64_t)15) + 16 * ((uint64_t)block * bx + tx);

	if (window < dst + width)
		fill_window(window, dst, dst + width, pattern);
}

/* Blocks run along a row first: `columns` of them cover one row of by rows. */
FILL_FN void fill_rows_thread(uint32_t block, uint32_t bx, uint32_t by, uint32_t tx,
                              uint32_t ty, uint64_t dst, uint32_t pattern,
                              uint64_t width, uint64_t pitch, uint64_t height,
                              uint32_t columns)
{
	uint32_t column = block % columns;
	uint64_t row = (uint64_t)(block / columns) * by + ty;
	uint64_t begin, window;

	if (row >= height)
		return;
	begin = dst + row * pitch;
	window = (begin & ~(uint64_t)15) + 16 * ((uint64_t)column * bx + tx);
	if (window < begin + width)
		fill_window(window, begin, begin + width, pattern);
}

#endif
