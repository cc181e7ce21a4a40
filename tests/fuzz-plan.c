/* SPDX-License-Identifier: MIT */
/*
 * Any memset at all is refused for a reason that it gives, or planned as a launch that
 * every GPU takes, whose parameters survive the way through a kernel node; run on host
 * memory it leaves what a loop over the bytes leaves, and touches no byte beside.
 */
#include <string.h>

#include "fill_host.h"
#include "fuzz.h"

#define MAX_GRID 0x7fffffffu
#define GUARD 64u
#define MOST                                                                    \
	4096u /* bytes of a row, rows, bytes of a gap: what is run, not planned \
	       */

__extension__ typedef unsigned __int128 wide;

/* In the largest grid of blocks as the planner makes them. */
static const wide most_threads = (wide)256 * MAX_GRID;

/* --- what is right, computed without a thought for overflow -------------------- */

static wide row_bytes(const struct fill *f)
{
	return (wide)f->width * f->elem;
}

static wide span_of(const struct fill *f)
{
	return row_bytes(f) + (f->height > 1 ? (wide)f->pitch * (f->height - 1) : 0);
}

/* A pitch means something once there is a second row. */
static int pitched(const struct fill *f)
{
	return f->height > 1;
}

static int is_misaligned(const struct fill *f)
{
	return f->dst % f->elem || f->pitch % f->elem;
}

static int is_impossible(const struct fill *f)
{
	return (pitched(f) && f->pitch < row_bytes(f)) ||
	       f->dst + span_of(f) > UINT64_MAX;
}

static void check_span(const struct fill *f)
{
	uint64_t span = 0x5555;
	enum plan_result result = fill_span(f, &span);

	switch (result) {
	case PLAN_OK:
		check(f->width && f->height && !is_misaligned(f) && !is_impossible(f));
		check(span == span_of(f));
		check(fill_bytes(f) == row_bytes(f) * f->height);
		check(fill_bytes(f) <= span);
		return;
	case PLAN_EMPTY:
		check(!f->width || !f->height);
		break;
	case PLAN_MISALIGNED:
		check(is_misaligned(f));
		break;
	case PLAN_SHAPE:
		check(is_impossible(f));
		break;
	case PLAN_TOO_LARGE:
	default:
		check(result == PLAN_OK);
	}
	check(span == 0x5555);
}

/* --- a plan -------------------------------------------------------------------- */

/* 16-byte windows that the rows touch, at most. */
static wide windows_of(const struct fill *f)
{
	return (row_bytes(f) / 16 + 2) * f->height;
}

/* What CUDA takes on every GPU, and enough threads for the bytes. */
static void check_launch(const struct fill *f, const struct plan *p)
{
	uint64_t threads = (uint64_t)p->block_x * p->block_y;

	check((unsigned int)p->kernel < KERNEL_COUNT);
	check(p->grid >= 1 && p->grid <= MAX_GRID);
	check(p->block_x >= 1 && p->block_y >= 1 && threads <= 1024);
	check((wide)p->grid * threads * 16 >= row_bytes(f) * f->height);
}

/* *q is what a reader of the kernel node makes of the launch of *p. */
static void through_node(struct plan *p, struct plan *q)
{
	void *params[PLAN_PARAMS];

	plan_params(p, params);
	check(!fill_host_plan(fill_kernel_name(p->kernel), p->grid, p->block_x,
	                      p->block_y, params, q));
	check(q->kernel == p->kernel && q->grid == p->grid);
	check(q->block_x == p->block_x && q->block_y == p->block_y);
}

/* 1 when there is a plan. */
static int check_plan(const struct fill *f, struct plan *p)
{
	uint64_t span = 0;
	enum plan_result fits = fill_span(f, &span), result = plan_fill(f, p);

	if (fits != PLAN_OK) {
		check(result == fits);
		return 0;
	}
	if (result == PLAN_TOO_LARGE) {
		/* Half of a block's threads may be idle in either direction, no more.
		 */
		check(f->dst + (wide)span > UINT64_MAX - 16 ||
		      windows_of(f) * 4 >= most_threads);
		return 0;
	}
	check(result == PLAN_OK);
	check_launch(f, p);
	return 1;
}

/* Numbers as they come: nothing is run. */
static void any_fill(struct input *in)
{
	struct fill f = {.elem = 1u << fuzz_byte(in) % 3};
	struct plan p, q;

	f.dst = fuzz_number(in);
	f.width = fuzz_number(in);
	f.height = fuzz_number(in);
	f.pitch = fuzz_number(in);
	f.value = (uint32_t)fuzz_bytes(in, 4);
	check_span(&f);
	if (check_plan(&f, &p))
		through_node(&p, &q);
}

/* --- running it ---------------------------------------------------------------- */

static void by_definition(const struct fill *f, uint8_t *at)
{
	uint64_t row, column;

	for (row = 0; row < f->height; row++)
		for (column = 0; column < f->width * f->elem; column++)
			at[row * f->pitch + column] =
			    (uint8_t)(f->value >> (8 * (column % f->elem)));
}

/* On memory that ends right behind the guard, so that a sanitizer sees far strays too.
 */
static void run(struct fill *f, uint64_t span, unsigned int offset)
{
	size_t size = GUARD + offset + span + GUARD, i;
	uint8_t *got = malloc(size), *want = malloc(size);
	struct plan p, q;

	check(got && want);
	/* Whatever is to be written, no byte has it already. */
	for (i = 0; i < size; i++)
		got[i] = want[i] = (uint8_t) ~(f->value >> (8 * (i % f->elem)));
	f->dst = (uint64_t)(uintptr_t)(got + GUARD + offset);
	by_definition(f, want + GUARD + offset);
	check(check_plan(f, &p));
	through_node(&p, &q);
	fill_host_run(&q);
	check(!memcmp(got, want, size));
	free(got);
	free(want);
}

/* A memset of a few KiB, which is possible unless its address or pitch is not. */
static void small_fill(struct input *in)
{
	struct fill f = {.elem = 1u << fuzz_byte(in) % 3};
	unsigned int offset = fuzz_byte(in) % 32;
	uint64_t span;

	f.width = fuzz_number(in) % (MOST / f.elem + 1);
	f.height = fuzz_number(in) % MOST;
	f.pitch = f.width * f.elem + fuzz_number(in) % MOST;
	if (f.height == 1 && f.pitch % 2)
		f.pitch = 0;
	/* The wider a row, the fewer there are. */
	if (f.pitch)
		f.height %= (uint64_t)8 * MOST / f.pitch + 2;
	f.value = (uint32_t)fuzz_bytes(in, 4);
	f.dst = offset;
	check_span(&f);
	if (fill_span(&f, &span) == PLAN_OK)
		run(&f, span, offset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, data + size};

	if (fuzz_byte(&in) & 1)
		any_fill(&in);
	else
		small_fill(&in);
	return 0;
}
