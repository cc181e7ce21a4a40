/* SPDX-License-Identifier: MIT */
/*
 * Every planned launch writes each byte of its memset exactly once, with the right
 * value, through aligned stores, and no other byte; and the memset can be read back
 * from the launch.
 *
 * The kernels are the real ones, compiled with stores that record into a model of
 * memory; what is expected comes from the memset's definition, element by element.
 */
#include <inttypes.h>
#include <string.h>

#include "../shim/plan.h"
#include "tap.h"

#define BASE 0x7f5500000000u /* where the model begins: any multiple of 4096 */
#define SPACE ((size_t)24 << 20)
#define MARGIN 64 /* bytes around the range that are checked too */

static uint8_t values[SPACE], writes[SPACE];
static uint64_t low, high; /* stores have to stay within [low, high) */
static unsigned long strays, unaligned;
static unsigned long used[KERNEL_COUNT + 1];

static void record(uint64_t at, uint32_t pattern, uint32_t size)
{
	uint32_t i;

	unaligned += at % size != 0;
	if (at < low || at + size > high) {
		strays++;
		return;
	}
	for (i = 0; i < size; i++) {
		values[at - BASE + i] = (uint8_t)(pattern >> (8 * (i & 3)));
		writes[at - BASE + i]++;
	}
}

#define FILL_FN static inline
#define FILL_STORE1(a, v) record((a), (v), 1)
#define FILL_STORE4(a, v) record((a), (v), 4)
#define FILL_STORE16(a, v) record((a), (v), 16)
#include "fill_run.h"

/* What CUDA accepts on every GPU. */
static int launchable(const struct plan *p)
{
	uint64_t threads = (uint64_t)p->block_x * p->block_y;

	return p->grid >= 1 && p->grid <= 0x7fffffff && p->block_x >= 1 &&
	       p->block_y >= 1 && threads <= 1024;
}

/* The offset of the first byte that is not as the memset's definition says, or -1. */
static int64_t first_wrong(const struct fill *f, uint64_t span)
{
	uint64_t row_bytes = f->width * f->elem;
	uint64_t at = f->dst - BASE;
	uint64_t i;

	for (i = 0; i < span; i++) {
		uint64_t column = f->height > 1 ? i % f->pitch : i;
		int inside = column < row_bytes;
		uint8_t value = (uint8_t)(f->value >> (8 * (column % f->elem)));

		if (writes[at + i] != inside || (inside && values[at + i] != value))
			return (int64_t)i;
	}
	for (i = 1; i <= MARGIN; i++)
		if (writes[at - i] || writes[at + span + i - 1])
			return -1 - (int64_t)i;
	return -1;
}

/* A launch as a node keeps it: only what the kernel takes as parameters, and the shape.
 */
static int read_back(const struct fill *f, const struct plan *p)
{
	struct plan kept = {.kernel = p->kernel,
	                    .grid = p->grid,
	                    .block_x = p->block_x,
	                    .block_y = p->block_y};
	const size_t sizes[PLAN_PARAMS] = {
	    sizeof p->dst,   sizeof p->pattern, sizeof p->elem,   sizeof p->width,
	    sizeof p->pitch, sizeof p->height,  sizeof p->columns};
	void *from[PLAN_PARAMS], *to[PLAN_PARAMS];
	struct plan copy = *p;
	struct fill back;
	int i;

	plan_params(&copy, from);
	plan_params(&kept, to);
	for (i = 0; i < fill_kernel_params(p->kernel); i++)
		memcpy(to[i], from[i], sizes[i]);
	return !plan_read(&kept, &back) && back.dst == f->dst && back.elem == f->elem &&
	       back.width == f->width && back.height == f->height &&
	       back.pitch == f->pitch &&
	       back.value == (f->value & (0xffffffffu >> (32 - 8 * f->elem)));
}

/* 1 when all is as it has to be; else says what is not, once for each kind of shape. */
static int right(const struct fill *f)
{
	uint64_t span = 0;
	struct plan p;
	int64_t wrong;
	int good;

	if (fill_span(f, &span) != PLAN_OK || plan_fill(f, &p) != PLAN_OK) {
		printf("# refused: dst %#" PRIx64 " elem %u width %" PRIu64 "\n",
		       f->dst, f->elem, f->width);
		return 0;
	}
	low = f->dst;
	high = f->dst + span;
	strays = unaligned = 0;
	memset(writes + (low - BASE) - MARGIN, 0, span + (size_t)2 * MARGIN);
	used[p.kernel]++;
	fill_run(&p);
	wrong = first_wrong(f, span);
	good =
	    launchable(&p) && !strays && !unaligned && wrong == -1 && read_back(f, &p);
	if (!good)
		printf("# dst %#" PRIx64 " elem %u width %" PRIu64 " height %" PRIu64
		       " pitch %" PRIu64 ": kernel %s grid %u block %ux%u, %lu "
		       "strays, %lu unaligned, wrong at %" PRId64 "\n",
		       f->dst, f->elem, f->width, f->height, f->pitch,
		       fill_kernel_name(p.kernel), p.grid, p.block_x, p.block_y, strays,
		       unaligned, wrong);
	return good;
}

static uint64_t random_state = 0x9e3779b97f4a7c15u;

/* [least, most], the same sequence in every run */
static uint64_t any(uint64_t least, uint64_t most)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return least + random_state % (most - least + 1);
}

static void every_small_range(uint32_t elem)
{
	int bad = 0, cases = 0;
	uint32_t align, bytes;

	for (align = 0; align < 32; align += elem)
		for (bytes = elem; bytes <= 300; bytes += elem) {
			const struct fill f = {.dst = BASE + 4096 + align,
			                       .value = 0x9c5be3d7,
			                       .elem = elem,
			                       .width = bytes / elem,
			                       .height = 1};

			cases++;
			bad += bad < 5 && !right(&f);
		}
	ok(!bad && cases >= 32 / (int)elem * 75,
	   "elements of %u: every alignment, every length to 300 bytes (%d)", elem,
	   cases);
}

/* Around the places where the planner changes its mind: 256 units of 1, 4 and 16. */
static void around_the_steps(uint32_t elem)
{
	static const uint32_t steps[] = {256, 1024, 4096, 8192, 65536};
	int bad = 0;
	uint32_t align, i;
	int off;

	for (i = 0; i < sizeof steps / sizeof steps[0]; i++)
		for (align = 0; align < 32; align += elem)
			for (off = -32; off <= 32; off += (int)elem) {
				const struct fill f = {
				    .dst = BASE + 4096 + align,
				    .value = 0x01f2e3d4,
				    .elem = elem,
				    .width = (steps[i] + (uint32_t)off) / elem,
				    .height = 1};

				bad += bad < 5 && !right(&f);
			}
	ok(!bad, "elements of %u: lengths around 256, 1024, 4096, 8192, 65536", elem);
}

static void large_ranges(void)
{
	int bad = 0, i;

	for (i = 0; i < 60; i++) {
		uint32_t elem = 1u << any(0, 2);
		uint64_t most = (uint64_t)1 << any(10, 23);
		const struct fill f = {.dst = BASE + 4096 + elem * any(0, 4096),
		                       .value = (uint32_t)any(0, UINT32_MAX),
		                       .elem = elem,
		                       .width = any(1, most / elem),
		                       .height = 1,
		                       .pitch = 0};

		bad += bad < 5 && !right(&f);
	}
	ok(!bad, "random ranges of up to 8 MiB");
}

/* `pad`: the most bytes of gap behind a row; `odd`: unaligned addresses and pitches. */
static void shapes(const char *what, uint64_t most_width, uint64_t most_height,
                   uint64_t pad, int odd)
{
	int bad = 0, pitched = 0, i;

	for (i = 0; i < 400; i++) {
		uint32_t elem = odd ? 1u << any(0, 2) : 4;
		uint64_t unit = odd ? elem : 16;
		uint64_t width = any(1, most_width), row = width * elem;
		uint64_t gap = pad ? any(0, pad) : 0;
		const struct fill f = {.dst = BASE + 4096 + unit * any(0, 64),
		                       .value = (uint32_t)any(0, UINT32_MAX),
		                       .elem = elem,
		                       .width = width,
		                       .height = any(1, most_height),
		                       .pitch = (row + gap + unit - 1) / unit * unit};

		pitched += f.height > 1 && f.pitch > row;
		bad += bad < 5 && !right(&f);
	}
	ok(!bad && (pitched || !pad), "random 2D shapes: %s (%d of 400 with gaps)",
	   what, pitched);
}

static void tight_rows(void)
{
	int bad = 0, i;

	for (i = 0; i < 200; i++) {
		uint32_t elem = 1u << any(0, 2);
		uint64_t width = any(1, 700);
		const struct fill f = {.dst = BASE + 4096 + elem * any(0, 64),
		                       .value = (uint32_t)any(0, UINT32_MAX),
		                       .elem = elem,
		                       .width = width,
		                       .height = any(1, 40),
		                       .pitch = width * elem};

		bad += bad < 5 && !right(&f);
	}
	ok(!bad, "random 2D shapes: pitch equal to the width");
}

/* Launches of a fill kernel that plan_fill() never makes: a program's own, say. */
static void foreign_launches(void)
{
	const struct plan p = {.kernel = KERNEL_RANGE,
	                       .grid = 1,
	                       .block_x = 256,
	                       .block_y = 1,
	                       .dst = BASE,
	                       .elem = 4,
	                       .width = 64,
	                       .height = 1};
	struct plan odd = p;
	struct fill f;

	is(plan_read(&p, &f), 0, "one that it makes can be read");
	odd.elem = 3;
	is(plan_read(&odd, &f), -1, "no element size");
	odd = p;
	odd.width = 63;
	is(plan_read(&odd, &f), -1, "a part of an element");
	odd = p;
	odd.height = 3;
	is(plan_read(&odd, &f), -1, "a part of a row");
	odd.height = 0;
	is(plan_read(&odd, &f), -1, "no rows");
	odd.height = UINT64_MAX / 2;
	is(plan_read(&odd, &f), -1, "more rows than an address space holds");
	odd = p;
	odd.width = 0;
	is(plan_read(&odd, &f), -1, "no bytes");
}

int main(void)
{
	uint32_t elem;
	int k;

	for (elem = 1; elem <= 4; elem *= 2) {
		every_small_range(elem);
		around_the_steps(elem);
	}
	large_ranges();
	shapes("narrow, tall, unaligned", 8, 3000, 40, 1);
	shapes("narrow, tall, aligned", 8, 3000, 64, 0);
	shapes("middling, unaligned", 300, 60, 100, 1);
	shapes("middling, aligned", 300, 60, 512, 0);
	shapes("wide, unaligned", 20000, 6, 300, 1);
	shapes("wide, aligned", 20000, 6, 4096, 0);
	shapes("few bytes, huge gaps", 20, 20, 200000, 1);
	tight_rows();
	foreign_launches();
	for (k = 0; k < KERNEL_COUNT; k++)
		ok(used[k] > 100, "%s was among them, %lu times",
		   fill_kernel_name((enum fill_kernel)k), used[k]);
	return done();
}
