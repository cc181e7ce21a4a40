/* SPDX-License-Identifier: MIT */
/*
 * Each of the twelve captured memsets becomes exactly one kernel node and leaves, at
 * every replay, the bytes that the driver's memset node leaves, and no others.
 */
#include <string.h>

#include "drv.h"

#define ROOM 196608u
#define GUARD ((size_t)80)
#define REPLAYS 3

static CUstream stream;
static CUdeviceptr memory;
static unsigned char got[ROOM], want[ROOM];

/* Where bytes differ, for the log. */
static void report(const struct drv_set *m, const char *arm, size_t n)
{
	size_t i;

	for (i = 0; i < n && got[i] == want[i]; i++)
		;
	printf("# %s: %s dst %%16=%u width %zu height %zu pitch %zu: byte %zd of the "
	       "range is %#x, wanted %#x\n",
	       arm, drv_set_name(m), (unsigned int)(m->dst % 16), m->width, m->height,
	       m->pitch, (ssize_t)i - (ssize_t)GUARD, got[i], want[i]);
}

/* Replays onto memory dirtied anew each time; 1 when all bytes are right. */
static int bytes_right(const struct drv_set *m, CUgraph graph, const char *arm)
{
	CUdeviceptr base = m->dst - GUARD;
	size_t n = drv_span(m) + 2 * GUARD;
	CUgraphExec exec;
	unsigned int i;
	int good = 1;

	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	for (i = 0; i < REPLAYS && good; i++) {
		drv_dirty(want, n, i + 1);
		drv_write(base, want, n);
		drv_apply(m, want, base);
		must(cuGraphLaunch(exec, stream));
		must(cuStreamSynchronize(stream));
		drv_read(got, base, n);
		good = !memcmp(got, want, n);
		if (!good)
			report(m, arm, n);
	}
	must(cuGraphExecDestroy(exec));
	return good;
}

static int arm_right(const struct drv_set *m, int on)
{
	const char *arm = on ? "shimmed" : "native";
	struct drv_outcome o;
	CUgraph graph;
	int good;

	drv_shim(on);
	graph = drv_capture(m, stream, &o);
	drv_shim(1);
	good = graph && o.call == CUDA_SUCCESS && o.nodes == 1 &&
	       o.kernels == (size_t)on && o.memsets == (size_t)!on;
	if (!good)
		printf("# %s: %s call %d, end %d, %zu nodes, %zu kernels, %zu "
		       "memsets\n",
		       arm, drv_set_name(m), (int)o.call, (int)o.end, o.nodes,
		       o.kernels, o.memsets);
	good = graph && bytes_right(m, graph, arm) && good;
	if (graph)
		must(cuGraphDestroy(graph));
	return good;
}

static int both_right(const struct drv_set *m)
{
	int native = arm_right(m, 0), shimmed = arm_right(m, 1);

	return native && shimmed;
}

/* Each length at each residue of the address modulo 16 that the element allows. */
static void lines(struct drv_set m)
{
	static const unsigned int bytes[] = {
	    4,    8,    12,   16,   20,   36,   60,   64,   76,    256,  260,
	    1020, 1024, 1028, 1040, 2048, 4096, 4100, 4112, 16384, 70000};
	static const unsigned int odd[] = {1,  2,  3,   5,   6,   7,    15,   17,
	                                   18, 33, 255, 257, 258, 4097, 4098, 69999};
	size_t i;

	for (i = 0; i < sizeof bytes / sizeof *bytes + sizeof odd / sizeof *odd; i++) {
		size_t k = i - sizeof bytes / sizeof *bytes;
		unsigned int n = i < sizeof bytes / sizeof *bytes ? bytes[i] : odd[k];
		unsigned int offset;
		int good = 1;

		if (n % m.elem)
			continue;
		m.width = n / m.elem;
		for (offset = 0; offset < 16 && good; offset += m.elem) {
			m.dst = memory + 512 + offset;
			good = both_right(&m);
		}
		ok(good, "%s, %u bytes at every offset", drv_set_name(&m), n);
	}
}

static void shapes(struct drv_set m)
{
	/* In elements; the pitch, too. */
	static const struct {
		const char *what;
		size_t width, height, pitch;
	} all[] = {
	    {"a single element", 1, 1, 64},
	    {"a single column", 1, 100, 24},
	    {"narrow", 3, 70, 16},
	    {"narrow and tightly packed", 3, 70, 4},
	    {"64 x 64", 64, 64, 256},
	    {"rows of odd length and pitch", 61, 37, 67},
	    {"wide", 5001, 3, 5120},
	    {"wide and odd", 4999, 4, 5001},
	    {"tall", 20, 1000, 32},
	    {"pitch equals width", 64, 20, 64},
	    {"pitch equals an odd width", 129, 33, 129},
	    {"one row", 1000, 1, 2048},
	    {"one row, pitch equals width", 77, 1, 77},
	};
	size_t i;

	m.rows = 1;
	for (i = 0; i < sizeof all / sizeof *all; i++) {
		unsigned int offset;
		int good = 1;

		m.width = all[i].width;
		m.height = all[i].height;
		m.pitch = all[i].pitch * m.elem;
		for (offset = 0; offset < 16 && good; offset += m.elem == 1 ? 5 : 4) {
			m.dst = memory + 512 + offset;
			good = both_right(&m);
		}
		ok(good, "%s, %s", drv_set_name(&m), all[i].what);
	}
}

int main(void)
{
	static const unsigned int values[] = {
	    [1] = 0xc3, [2] = 0xa15e, [4] = 0x5a17c3fe};
	unsigned int elem;
	int twin;

	drv_start();
	ok(drv_shim(1) >= 0, "the shim is loaded");
	stream = drv_stream();
	memory = drv_alloc(ROOM);
	for (elem = 1; elem <= 4; elem *= 2)
		for (twin = 0; twin < 2; twin++) {
			struct drv_set m = {
			    .elem = elem, .twin = twin, .value = values[elem]};

			lines(m);
			shapes(m);
			m = (struct drv_set){.elem = elem,
			                     .twin = twin,
			                     .dst = memory + 512,
			                     .width = 100};
			ok(both_right(&m), "%s, zeros", drv_set_name(&m));
		}
	return done();
}
