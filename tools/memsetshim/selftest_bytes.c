/* SPDX-License-Identifier: MIT */
/*
 * selftest_bytes.c - do the fills write what the driver's own memsets write?
 */
#include <string.h>

#include "launch.h"
#include "selftest.h"

struct tally {
	unsigned compared, different, no_kernels;
	struct selftest_memset first; /* that differs, where, and what is there */
	size_t at;
	unsigned char got, wanted;
};

/*
 * Replays a captured memset on poisoned memory and copies all of that.  The type of the
 * graph's node, BROKEN after a FAIL.
 */
static int replay(struct selftest *t, const struct selftest_memset *m, int shim,
                  unsigned char *copy)
{
	void *graph = selftest_capture(t, m, 1, shim), *exec = NULL;
	int type = selftest_nodes_type(t, graph, 1);

	if (!graph)
		return SELFTEST_BROKEN;
	if (type != SELFTEST_BROKEN &&
	    !SELFTEST_TRY(t, t->cuGraphInstantiate(&exec, graph, 0)))
		type = SELFTEST_BROKEN;
	if (exec) {
		if (!selftest_poison(t, SELFTEST_POISON) ||
		    !selftest_replay(t, exec, copy))
			type = SELFTEST_BROKEN;
		t->cuGraphExecDestroy(exec);
	}
	t->cuGraphDestroy(graph);
	return type;
}

/* 0 after a FAIL: the driver or the GPU is in trouble, and will stay there. */
static int compare(struct selftest *t, const struct selftest_memset *m,
                   struct tally *tally)
{
	int native = replay(t, m, 0, t->native), shimmed;
	size_t i;

	if (native == SELFTEST_BROKEN)
		return 0;
	if (t->native[m->offset] == SELFTEST_POISON) {
		selftest_fail(t, "the driver's own %s wrote nothing", selftest_name(m));
		return 0;
	}
	shimmed = replay(t, m, 1, t->shimmed);
	if (shimmed == SELFTEST_BROKEN)
		return 0;
	tally->compared++;
	tally->no_kernels += shimmed != NODE_KERNEL;
	if (!memcmp(t->native, t->shimmed, SELFTEST_MEMORY))
		return 1;
	for (i = 0; t->native[i] == t->shimmed[i]; i++)
		;
	if (!tally->different++) {
		tally->first = *m;
		tally->at = i;
		tally->got = t->shimmed[i];
		tally->wanted = t->native[i];
	}
	return 1;
}

static int compare_ranges(struct selftest *t, struct tally *tally)
{
	static const size_t sizes[] = {1,   2,   3,    4,    15,   16,    17,
	                               255, 256, 4095, 4096, 4097, 65536, 1048579};
	/* Not the poison, in any byte. */
	static const unsigned values[] = {0x01c0ffee, 0, 0x80, 0xffffffff};
	size_t i, shift, elem;

	for (i = 0; i < ARRAY_LEN(sizes); i++)
		for (shift = 0; shift < 16; shift += 5)
			for (elem = 1; elem <= 4; elem *= 2) {
				struct selftest_memset m = {
				    .offset = 4096 + shift * elem,
				    .width = sizes[i] / elem,
				    .elem = (unsigned)elem,
				    .value = values[(i + shift) % 4],
				};

				if (m.width && !compare(t, &m, tally))
					return 0;
			}
	return 1;
}

static int compare_rows(struct selftest *t, struct tally *tally)
{
	static const struct selftest_memset shapes[] = {
	    {512, 1, 100, 256, 0xff, 1},    {515, 7, 33, 64, 0x12, 1},
	    {512, 300, 17, 1024, 0xab, 1},  {514, 5, 9, 62, 0xbeef, 2},
	    {516, 100, 50, 404, 0x1234, 4}, {512, 64, 3, 256, 0xdeadbeef, 4},
	    {512, 128, 8, 128, 0x55, 1},    {512, 1, 1000, 4, 0x01020304, 4},
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(shapes); i++)
		if (!compare(t, &shapes[i], tally))
			return 0;
	return 1;
}

void selftest_bytes(struct selftest *t)
{
	struct tally tally = {0};
	const struct selftest_memset *m = &tally.first;
	int whole;

	t->what = "bytes";
	whole = compare_ranges(t, &tally) && compare_rows(t, &tally);
	if (tally.different)
		selftest_fail(
		    t,
		    "%u of %u memsets write other bytes than the driver's: do "
		    "not use the library here, and please report it; the first "
		    "is %s at offset %zu, %zu x %zu elements, pitch %zu, where "
		    "byte %zu is %#x instead of %#x",
		    tally.different, tally.compared, selftest_name(m), m->offset,
		    m->width, m->height ? m->height : 1, m->pitch, tally.at, tally.got,
		    tally.wanted);
	if (!whole || tally.different)
		return;
	if (tally.no_kernels == tally.compared)
		selftest_skip(t, "no memset became a kernel node, so there is nothing "
		                 "to compare");
	else if (tally.no_kernels)
		selftest_fail(
		    t,
		    "%u of %u captured memsets are no kernel nodes; they stay "
		    "as slow as they were",
		    tally.no_kernels, tally.compared);
	else
		selftest_pass(t, "%u memsets write what the driver's write",
		              tally.compared);
}
