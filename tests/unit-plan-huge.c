/* SPDX-License-Identifier: MIT */
/*
 * Memsets too large to try are planned right too: beyond 4 GiB, beyond 65535 rows, up
 * to the largest grid and not one byte further, with no arithmetic that wraps.
 *
 * Nothing is stored: the kernels' stores are recorded thread by thread, and a sample of
 * the threads has to write exactly the bytes that lie next to each other.
 */
#include <inttypes.h>

#include "../shim/plan.h"
#include "tap.h"

#define KiB ((uint64_t)1 << 10)
#define GiB ((uint64_t)1 << 30)
#define TiB ((uint64_t)1 << 40)
#define MAX_GRID ((uint64_t)0x7fffffff)
#define BASE 0x7f0000000000u

/* What the last threads that ran have written: one interval, as each thread is asked
 * for in the order of the addresses. */
static uint64_t from_byte, to_byte;
static uint32_t wanted; /* the pattern that every store has to be cut from */
static unsigned long wrong;

static void record(uint64_t at, uint32_t pattern, uint32_t size)
{
	uint32_t mask = size == 1 ? 0xff : UINT32_MAX;
	uint32_t value = size == 1 ? wanted >> (8 * (at & 3)) : wanted;

	wrong += at % size != 0 || (pattern & mask) != (value & mask);
	if (from_byte == to_byte)
		from_byte = to_byte = at;
	wrong += at != to_byte;
	to_byte = at + size;
}

#define FILL_FN static inline
#define FILL_STORE1(a, v) record((a), (v), 1)
#define FILL_STORE4(a, v) record((a), (v), 4)
#define FILL_STORE16(a, v) record((a), (v), 16)
#include "../shim/fill_kernels.h"

/* A grid as the hardware would run it may not wrap block * threads in 32 bits. */
static void range_thread(const struct plan *p, uint64_t n)
{
	fill_range_thread((uint32_t)(n / p->block_x), p->block_x,
	                  (uint32_t)(n % p->block_x), p->dst, p->pattern, p->width);
}

static void rows_block(const struct plan *p, uint32_t block, uint32_t ty)
{
	uint32_t tx;

	for (tx = 0; tx < p->block_x; tx++)
		fill_rows_thread(block, p->block_x, p->block_y, tx, ty, p->dst,
		                 p->pattern, p->width, p->pitch, p->height, p->columns);
}

static enum plan_result plan(uint64_t dst, uint32_t elem, uint64_t width,
                             uint64_t height, uint64_t pitch, struct plan *p)
{
	const struct fill f = {.dst = dst,
	                       .value = 0xa1b2c3d4,
	                       .elem = elem,
	                       .width = width,
	                       .height = height,
	                       .pitch = pitch};

	wanted = elem == 4 ? 0xa1b2c3d4 : elem == 2 ? 0xc3d4c3d4 : 0xd4d4d4d4;
	from_byte = to_byte = 0;
	wrong = 0;
	return plan_fill(&f, p);
}

static enum plan_result span_of(uint64_t dst, uint32_t elem, uint64_t width,
                                uint64_t height, uint64_t pitch, uint64_t *bytes)
{
	const struct fill f = {.dst = dst,
	                       .value = 1,
	                       .elem = elem,
	                       .width = width,
	                       .height = height,
	                       .pitch = pitch};

	return fill_span(&f, bytes);
}

/* Threads around the n-th of a range write what is theirs: 16 bytes, cut at the ends.
 */
static int window_right(const struct plan *p, uint64_t n, uint64_t first, uint64_t last)
{
	uint64_t window = first / 16 * 16 + 16 * n;
	uint64_t from = window > first ? window : first;
	uint64_t to = window + 16 < last ? window + 16 : last;

	from_byte = to_byte = 0;
	range_thread(p, n);
	if (from >= to)
		return from_byte == to_byte;
	return !wrong && from_byte == from && to_byte == to;
}

/*
 * The windows follow each other without a gap, so first and last byte and every
 * sampled window being right makes the whole right.
 */
static void huge_range(const char *what, uint64_t dst, uint32_t elem, uint64_t bytes)
{
	uint64_t last = dst + bytes, span = 0, threads, windows, n;
	int bad = 0, i;
	struct plan p;

	if (!ok(plan(dst, elem, bytes / elem, 1, 0, &p) == PLAN_OK, "%s: planned",
	        what))
		return;
	ok(span_of(dst, elem, bytes / elem, 1, 0, &span) == PLAN_OK && span == bytes,
	   "%s: its span is its bytes", what);
	threads = (uint64_t)p.grid * p.block_x;
	windows = (last - 1) / 16 - dst / 16 + 1;
	ok(p.kernel == KERNEL_RANGE && p.grid && p.grid <= MAX_GRID &&
	       p.block_x <= 1024 && p.block_y == 1 && threads >= windows &&
	       threads - windows < p.block_x,
	   "%s: as many threads as windows, up to a block (grid %u)", what, p.grid);
	for (i = 0; i < 64; i++) {
		/* Both ends, and both sides of every power of two. */
		bad += !window_right(&p, (uint64_t)i % windows, dst, last);
		bad += !window_right(&p, threads - 1 - (uint64_t)i, dst, last);
		bad +=
		    !window_right(&p, windows - 1 - (uint64_t)i % windows, dst, last);
		n = (uint64_t)1 << i;
		if (n < threads)
			bad += !window_right(&p, n, dst, last) +
			       !window_right(&p, n - 1, dst, last);
	}
	ok(!bad, "%s: the sampled threads write their windows", what);
}

/* Row `row` of a pitched shape, all its blocks run, is exactly its bytes. */
static int row_right(const struct plan *p, uint64_t row, uint64_t from, uint64_t bytes)
{
	uint32_t group = (uint32_t)(row / p->block_y);
	uint32_t ty = (uint32_t)(row % p->block_y);
	uint32_t column;

	from_byte = to_byte = 0;
	for (column = 0; column < p->columns; column++)
		rows_block(p, group * p->columns + column, ty);
	return !wrong && from_byte == from && to_byte == from + bytes;
}

static void huge_rows(const char *what, uint64_t dst, uint32_t elem, uint64_t width,
                      uint64_t height, uint64_t pitch)
{
	uint64_t row_bytes = width * elem, span = 0, rows;
	int bad = 0, i;
	struct plan p;

	if (!ok(plan(dst, elem, width, height, pitch, &p) == PLAN_OK, "%s: planned",
	        what))
		return;
	ok(span_of(dst, elem, width, height, pitch, &span) == PLAN_OK &&
	       span == pitch * (height - 1) + row_bytes,
	   "%s: its span reaches to the last byte of the last row", what);
	ok(p.columns != 0, "%s: at least one block for a row", what);
	if (!p.columns)
		return;
	rows = (uint64_t)(p.grid / p.columns) * p.block_y;
	ok(p.kernel == KERNEL_ROWS && p.grid <= MAX_GRID && p.grid % p.columns == 0 &&
	       p.block_x * p.block_y <= 1024 && rows >= height &&
	       rows - height < p.block_y,
	   "%s: blocks for every row (grid %u, %u columns)", what, p.grid, p.columns);
	for (i = 0; i < 40; i++) {
		uint64_t row = (uint64_t)1 << i;
		uint64_t back = height - 1 - (uint64_t)i % height;

		bad += !row_right(&p, back, dst + back * pitch, row_bytes);
		if (row < height)
			bad +=
			    !row_right(&p, row, dst + row * pitch, row_bytes) +
			    !row_right(&p, row - 1, dst + (row - 1) * pitch, row_bytes);
	}
	ok(!bad, "%s: the sampled rows are written whole", what);
	if (rows > height) {
		(void)row_right(&p, height, 0, 0);
		ok(from_byte == to_byte, "%s: no row after the last", what);
	}
}

static void limits(void)
{
	/* 2^31-1 blocks of 256 threads of 16 bytes. */
	const uint64_t most = MAX_GRID * 4 * KiB;
	const uint64_t most_rows = MAX_GRID * 256;
	struct plan p;

	ok(plan(BASE, 1, most, 1, 0, &p) == PLAN_OK && p.grid == MAX_GRID,
	   "8 TiB less a block are one grid, the largest");
	ok(plan(BASE, 1, most + 1, 1, 0, &p) == PLAN_TOO_LARGE, "one byte more is not");
	ok(plan(BASE + 15, 1, most - 15, 1, 0, &p) == PLAN_OK && p.grid == MAX_GRID &&
	       plan(BASE + 15, 1, most - 14, 1, 0, &p) == PLAN_TOO_LARGE,
	   "nor when it starts in the middle of its first 16 bytes");
	ok(plan(BASE, 4, most / 4 + 1, 1, 0, &p) == PLAN_TOO_LARGE &&
	       plan(BASE, 2, most / 2 + 1, 1, 0, &p) == PLAN_TOO_LARGE,
	   "the limit is in bytes, not in elements");
	ok(plan(BASE, 1, 1, most_rows, 2, &p) == PLAN_OK && p.grid == MAX_GRID,
	   "%" PRIu64 " rows of one byte are one grid, the largest", most_rows);
	ok(plan(BASE, 1, 1, most_rows + 1, 2, &p) == PLAN_TOO_LARGE,
	   "one row more is not");
	ok(plan(4096, 1, GiB, 1 << 20, 2 * GiB, &p) == PLAN_TOO_LARGE,
	   "wide rows, too many of them");
	ok(plan(0, 1, UINT64_MAX / 4, 2, UINT64_MAX / 2, &p) == PLAN_TOO_LARGE,
	   "two rows of a quarter of the address space each");
	ok(plan(0, 1, UINT64_MAX - 16, 1, 0, &p) == PLAN_TOO_LARGE,
	   "nearly the whole address space");
	ok(plan(0, 1, UINT64_MAX, 1, 0, &p) != PLAN_OK &&
	       plan(1, 1, UINT64_MAX - 1, 1, 0, &p) != PLAN_OK &&
	       plan(0, 4, UINT64_MAX / 4, 1, 0, &p) != PLAN_OK,
	   "all of the address space, or all but a byte or four");
}

/* At the very end of the address space a window has no end address. */
static int last_bytes_right(uint64_t dst)
{
	struct plan p;
	uint64_t n;

	if (plan(dst, 1, UINT64_MAX - dst, 1, 0, &p) != PLAN_OK)
		return 1; /* refused: safe too */
	for (n = 0; n < (uint64_t)p.grid * p.block_x; n++)
		range_thread(&p, n);
	return !wrong && from_byte == dst && to_byte == UINT64_MAX;
}

static void refusals(void)
{
	const uint64_t half = (uint64_t)1 << 63;
	uint64_t bytes = 77;
	struct plan p;

	is(span_of(BASE, 1, 0, 1, 0, &bytes), PLAN_EMPTY, "no elements");
	is(span_of(BASE, 1, 5, 0, 8, &bytes), PLAN_EMPTY, "no rows");
	is(span_of(BASE + 1, 4, 0, 0, 3, &bytes), PLAN_EMPTY,
	   "nothing at all comes before what else is wrong");
	is(span_of(BASE + 1, 2, 5, 1, 0, &bytes), PLAN_MISALIGNED,
	   "D16 at an odd address");
	is(span_of(BASE + 2, 4, 5, 1, 0, &bytes), PLAN_MISALIGNED,
	   "D32 at an address between elements");
	is(span_of(BASE, 2, 3, 2, 7, &bytes), PLAN_MISALIGNED, "D16 with an odd pitch");
	is(span_of(BASE, 4, 3, 2, 14, &bytes), PLAN_MISALIGNED,
	   "D32 with a pitch that is no multiple of 4");
	is(span_of(BASE, 1, 9, 2, 8, &bytes), PLAN_SHAPE, "rows that overlap");
	is(span_of(BASE, 4, 3, 2, 8, &bytes), PLAN_SHAPE,
	   "rows that overlap, in bytes but not in elements");
	is(span_of(BASE, 1, 9, 2, 0, &bytes), PLAN_SHAPE, "two rows without a pitch");
	is(span_of(BASE, 4, half / 2, 1, 0, &bytes), PLAN_SHAPE,
	   "width times element overflows to 0");
	is(span_of(BASE, 2, half + 8, 1, 0, &bytes), PLAN_SHAPE,
	   "width times element overflows to little");
	is(span_of(0, 1, 16, half / 8 + 1, 16, &bytes), PLAN_SHAPE,
	   "pitch times rows overflows to 0");
	is(span_of(0, 1, 8, 3, half, &bytes), PLAN_SHAPE,
	   "a pitch of half the address space, three rows");
	is(span_of(0, 1, UINT64_MAX - 4, 2, UINT64_MAX - 4, &bytes), PLAN_SHAPE,
	   "rows plus the last one overflow");
	is(span_of(half, 1, half, 1, 0, &bytes), PLAN_SHAPE,
	   "the range ends past the last address");
	is(span_of(half, 1, 1, 2, half, &bytes), PLAN_SHAPE,
	   "the second row begins past the last address");
	is(bytes, 77, "a refusal leaves the span alone");
	is(plan(half, 1, half, 1, 0, &p), PLAN_SHAPE, "plan_fill() refuses the same");
	is(plan(BASE, 2, 0, 1, 0, &p), PLAN_EMPTY, "and nothing at all");
}

static void accepted(void)
{
	const uint64_t half = (uint64_t)1 << 63;
	uint64_t bytes = 0;

	ok(span_of(BASE, 1, 9, 1, 0, &bytes) == PLAN_OK && bytes == 9,
	   "one row needs no pitch");
	ok(span_of(BASE, 4, 2, 1, 4096, &bytes) == PLAN_OK && bytes == 8,
	   "the pitch of a single row adds nothing");
	ok(span_of(BASE, 2, 4, 3, 8, &bytes) == PLAN_OK && bytes == 24,
	   "pitch equal to the width");
	ok(span_of(0, 1, half - 17, 2, half, &bytes) == PLAN_OK &&
	       bytes == UINT64_MAX - 16,
	   "two rows that end just before the last addresses");
}

int main(void)
{
	huge_range("4 GiB", BASE, 1, 4 * GiB);
	huge_range("4 GiB and a byte, unaligned", BASE + 7, 1, 4 * GiB + 1);
	huge_range("64 GiB less two bytes, D16", BASE + 2, 2, 64 * GiB - 2);
	huge_range("64 GiB and 20 bytes, D32", BASE + 4, 4, 64 * GiB + 20);
	huge_range("the largest grid", BASE + 1, 1, MAX_GRID * 4 * KiB - 1);
	huge_rows("70000 rows", BASE + 4, 4, 3, 70000, 20);
	huge_rows("2^33 rows", BASE, 1, 1, (uint64_t)1 << 33, 64);
	huge_rows("pitch of 5 GiB", BASE + 3, 1, 1001, 300, 5 * GiB);
	huge_rows("pitch of 4 TiB and an element", BASE + 2, 2, 77777, 3, 4 * TiB + 2);
	huge_rows("the tallest grid", BASE, 1, 1, MAX_GRID * 256, 2);
	limits();
	ok(last_bytes_right(UINT64_MAX - 4 * KiB - 3),
	   "a range up to the last address is right or refused");
	refusals();
	accepted();
	return done();
}
