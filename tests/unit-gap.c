/* SPDX-License-Identifier: MIT */
/*
 * The gap arithmetic: every stretch of a replay's time goes to one node, once, on
 * timelines made by hand.
 */
#include "gap.h"

#include <math.h>
#include <string.h>

#include "tap.h"

static const char *const names[] = {
    "[memset]", "memsetshim_fill_words", "first", "second", "third", "memset32"};
enum { M, F, K1, K2, K3, CONVERTED };

/* One replay of a hand-made timeline; node ids are counted up. */
static struct gap_record records[4096];
static size_t n_records;

static struct gap_record *put(unsigned graph, unsigned replay, int name, uint64_t start,
                              uint64_t end)
{
	struct gap_record *record = &records[n_records++];

	*record = (struct gap_record){.graph = graph,
	                              .replay = replay,
	                              .name = (uint32_t)name,
	                              .start = start,
	                              .end = end,
	                              .node = n_records,
	                              .kind = GAP_KERNEL,
	                              .engine = GAP_ENGINE_COMPUTE};
	if (name == M || name == CONVERTED) {
		record->kind = GAP_MEMSET;
		record->bytes = 4;
	} else if (name == F) {
		record->kind = GAP_FILL;
	}
	return record;
}

static struct gap_report report;

static struct gap_graph *analyze_at(enum gap_level level, unsigned skip)
{
	struct gap_input input = {.level = level,
	                          .records = records,
	                          .n_records = n_records,
	                          .names = names,
	                          .skip = skip,
	                          .fill_ns = 1000};

	gap_report_free(&report);
	ok(gap_analyze(&input, &report) == 0, "analyzed");
	n_records = 0;
	return report.n_graphs ? report.graphs : NULL;
}

static struct gap_graph *analyze(void)
{
	return analyze_at(GAP_LEVEL_NODE, 0);
}

static int near(double a, double b)
{
	return fabs(a - b) < 0.01;
}

#define close_to(got, want, ...)    \
	(near(got, want)            \
	     ? ok(1, __VA_ARGS__)   \
	     : (ok(0, __VA_ARGS__), \
	        printf("# got %.2f, wanted %.2f\n", (double)(got), (double)(want))))

static void test_between(void)
{
	struct gap_graph *g;
	struct gap_row *row;

	put(1, 1, K1, 10000, 11500);
	put(1, 1, K2, 11600, 13000);
	put(1, 1, M, 14400, 15000);
	put(1, 1, K3, 16600, 18000);
	g = analyze();
	row = &g->rows[0];
	close_to(g->replay.median, 8000,
	         "between: the replay, first start to last end");
	close_to(g->kernel_gap.median, 100, "kernel-to-kernel gap");
	is(g->kernel_gap.n, 1, "of which there is one");
	is(g->n_rows, 1, "one row");
	ok(!strcmp(row->before, "second") && !strcmp(row->after, "third"),
	   "between its neighbours");
	is(row->bytes, 4, "its size");
	close_to(row->lead.median, 1400, "lead");
	close_to(row->duration.median, 600, "duration");
	close_to(row->tail.median, 1600, "tail");
	close_to(row->bubble.median, 3600, "bubble: all of them");
	close_to(g->idle, 3000, "idle: without the memset itself");
	close_to(row->recoverable, 3600 - 1000 - 2 * 100,
	         "recoverable: less a fill and two kernel gaps");
	close_to(g->recoverable, row->recoverable, "and so for the graph");
	is(g->nodes[GAP_KERNEL], 3, "three kernels");
	is(g->nodes[GAP_MEMSET], 1, "and a memset");
	is(g->histogram[0], 1, "one gap below 250 ns");
	is(g->histogram[3], 2, "two from 1 to 2 us");
	is(g->median.n_slots, 4, "the picture has all four");
	is(g->median.focus, 2, "and looks at the memset");
	close_to(g->median.slots[2].start, 4400, "at its place");
	close_to(report.timer_step, 100, "the clock's step");
}

static void test_row_of_memsets(void)
{
	struct gap_graph *g;
	double bubbles = 0;
	uint64_t i;

	put(1, 1, K1, 1000, 2000);
	put(1, 1, M, 3000, 4000);
	put(1, 1, M, 5000, 6000);
	put(1, 1, K2, 7000, 8000);
	g = analyze();
	for (i = 0; i < g->n_rows; i++)
		bubbles += g->rows[i].bubble.median * g->rows[i].nodes;
	close_to(bubbles, 5000, "two memsets in a row: no time counted twice");
	close_to(g->bubble, 5000, "nor in the total");
	is(g->n_rows, 2, "neighbours differ: two rows");
}

static void test_first_and_last(void)
{
	struct gap_graph *g;

	put(1, 1, M, 1000, 2000);
	put(1, 1, K1, 2500, 3500);
	put(1, 1, M, 4000, 4800);
	g = analyze();
	is(g->n_rows, 2, "memsets first and last");
	close_to(g->bubble, 1000 + 500 + 500 + 800, "their bubbles");
	ok(!strcmp(g->rows[0].before, "") || !strcmp(g->rows[1].before, ""),
	   "the first has nothing before it");
	ok(!strcmp(g->rows[0].after, "") || !strcmp(g->rows[1].after, ""),
	   "the last has nothing after it");
	put(1, 1, M, 1000, 2000);
	g = analyze();
	close_to(g->bubble, 1000, "a memset alone");
	close_to(g->recoverable, 0, "which a fill of the same length does not better");
}

static void test_hidden(void)
{
	struct gap_graph *g;

	put(1, 1, K1, 1000, 2000);
	put(1, 1, K2, 2100, 9000);
	put(1, 1, M, 3000, 4000);
	put(1, 1, K3, 9100, 9500);
	g = analyze();
	close_to(g->hidden, 1, "behind another branch: hidden");
	close_to(g->bubble, 0, "no bubble");
	close_to(g->recoverable, 0, "nothing to recover");
	close_to(g->rows[0].hidden, 1, "the row says so");
	is(g->overlaps, 0, "memsets are no overlapping kernels");
	put(1, 1, K1, 1000, 4000);
	put(1, 1, M, 3000, 5000);
	put(1, 1, K2, 5600, 6000);
	g = analyze();
	close_to(g->bubble, 1000 + 600, "partly hidden: what sticks out, and the tail");
	close_to(g->rows[0].lead.median, 0, "no lead: the device was busy");
	close_to(g->recoverable, 1600 - 500, "a fill would stick out half, too");
}

static void test_branches(void)
{
	struct gap_graph *g;

	put(1, 1, K1, 1000, 2000);
	put(1, 1, M, 3000, 5000);
	put(1, 1, M, 3000, 5000);
	put(1, 1, K2, 6000, 7000);
	put(1, 1, K3, 6000, 7500);
	g = analyze();
	close_to(g->bubble, 4000, "two branches: the device-wide gap, once");
	close_to(g->recoverable, 4000 - 1000,
	         "and two fills side by side take one's time");
	is(g->median.slots[1].lane != g->median.slots[2].lane, 1, "two lanes");
	is(g->overlaps, 1, "one kernel overlaps another");
}

static void test_overlap(void)
{
	struct gap_graph *g;

	/* Programmatic dependent launch: the next kernel starts before the end. */
	put(1, 1, K1, 1000, 3000);
	put(1, 1, K2, 2500, 4000);
	put(1, 1, K3, 4000, 5000);
	g = analyze();
	is(g->overlaps, 1, "negative gap: counted as an overlap");
	is(g->kernel_gap.n, 1, "and not as a gap");
	close_to(g->kernel_gap.median, 0, "end to start without a pause is a gap of 0");
	is(g->n_rows, 0, "no memset, no row");
}

static void test_fills(void)
{
	struct gap_graph *g;

	put(1, 1, K1, 1000, 2000);
	put(1, 1, F, 2100, 2800);
	put(1, 1, K2, 2900, 3900);
	put(1, 1, M, 5000, 6000);
	put(1, 1, K3, 7000, 8000);
	g = analyze();
	ok(g->fill_seen, "the graph's own fill is the reference");
	close_to(g->fill_ns, 700, "with its duration");
	is(g->nodes[GAP_FILL], 1, "one fill");
	is(g->nodes[GAP_KERNEL], 3, "is not counted as a kernel");
	is(g->kernel_gap.n, 2, "gaps around it are between kernels");
	close_to(g->recoverable, 3100 - 700 - 2 * 100,
	         "recoverable counts memsets only");
	put(1, 1, K1, 1000, 2000);
	put(1, 1, CONVERTED, 2100, 2800);
	put(1, 1, K2, 2900, 3900);
	g = analyze();
	ok(!strcmp(g->rows[0].name, "memset32") && g->rows[0].kind == GAP_MEMSET,
	   "a memset that ran as a kernel is a memset, under that name");
}

static void test_times(void)
{
	struct gap_graph *g;
	uint64_t i;

	for (i = 0; i < 10; i++) {
		put(1, (unsigned)i, K1, 1000 + 10000 * i, 2000 + 10000 * i);
		put(1, (unsigned)i, M, 3000 + 10000 * i, 4000 + 10000 * i);
		put(1, (unsigned)i, K2, 5000 + 10000 * i,
		    (i == 9 ? 9000 : 6000) + 10000 * i);
	}
	records[4].start = records[4].end = 0;
	records[6].end = records[6].start - 1;
	n_records--; /* the last replay lacks a record */
	g = analyze();
	is(g->replays, 10, "ten replays");
	is(g->timeless, 2, "two with a record that has no time, or an impossible one");
	is(g->incomplete, 1, "one incomplete");
	is(g->used, 7, "the rest is used");
	close_to(g->replay.p99, 5000, "and holds no odd length");
	for (i = 0; i < 10; i++)
		put(1, (unsigned)i, K1, 1000 + 10000 * i,
		    (i < 3 ? 9000 : 2000) + 10000 * i);
	g = analyze_at(GAP_LEVEL_NODE, 3);
	is(g->used, 7, "skipped: three");
	close_to(g->replay.p99, 1000, "the first three");
	for (i = 0; i < 3; i++)
		put(1, (unsigned)i, K1, 1000 + 10000 * i, 2000 + 10000 * i);
	is(analyze_at(GAP_LEVEL_NODE, 3)->used, 3,
	   "none skipped where there are no more");
	put(1, 1, K1, 0, 0);
	g = analyze();
	is(g->used, 0, "a graph without one usable replay");
	is(g->n_rows, 0, "has no table");
}

/* Loops in a conditional node: replays differ, and none is the rule. */
static void test_loops(void)
{
	struct gap_graph *g;
	uint64_t i, k;

	for (i = 0; i < 8; i++)
		for (k = 0; k <= i; k++)
			put(1, (unsigned)i, K1, 1000 + 90000 * i + 1000 * k,
			    1900 + 90000 * i + 1000 * k);
	g = analyze();
	is(g->used, 8, "replays of different length are all used");
	is(g->incomplete, 0, "none is called incomplete");
}

static void test_many(void)
{
	const struct gap_graph *g;
	uint64_t i;

	put(2, 7, K1, 1000, 2000);
	put(1, 7, K2, 1500, 2500);
	put(1, 7, K1, 1000, 2000)->device = 1;
	g = analyze();
	is(report.n_graphs, 3, "two graphs, one of them on two devices");
	ok(g[0].id == 1 && g[0].device == 0 && g[1].device == 1 && g[2].id == 2,
	   "kept apart, in order");
	for (i = 0; i < 100; i++)
		put(1, (unsigned)i, M, 1000 * (i + 1), 1000 * (i + 1) + i + 1);
	g = analyze();
	close_to(g->rows[0].duration.median, 50.5, "median of 1...100");
	close_to(g->rows[0].duration.p99, 99, "p99 by nearest rank");
	close_to(g->rows[0].duration.min, 1, "minimum");
	close_to(g->rows[0].nodes, 1, "one node a replay");
}

static void test_graph_level(void)
{
	struct gap_graph_info info = {.id = 5,
	                              .nodes = {[GAP_KERNEL] = 9, [GAP_MEMSET] = 2}};
	struct gap_input input = {.level = GAP_LEVEL_GRAPH,
	                          .records = records,
	                          .names = names,
	                          .graphs = &info,
	                          .n_graphs = 1};
	struct gap_report whole = {0};

	put(5, 1, 0, 1000, 3000);
	put(5, 2, 0, 4000, 6500);
	put(5, 3, 0, 7000, 9100);
	input.n_records = n_records;
	ok(gap_analyze(&input, &whole) == 0, "graph level");
	close_to(whole.graphs[0].replay.median, 2100, "median replay");
	close_to(whole.graphs[0].samples[1], 2500, "samples in the order of launches");
	is(whole.graphs[0].nodes[GAP_MEMSET], 2,
	   "nodes by type, as the graph was made");
	is(whole.graphs[0].n_rows, 0, "no table");
	gap_report_free(&whole);
	n_records = 0;
}

static void test_names(void)
{
	char buf[64];
	const char *mangled =
	    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEE"
	    "St5arrayIPcLm1EEEEviT0_T1_";

	ok(!strcmp(gap_short_name(mangled, buf, sizeof buf),
	           "vectorized_elementwise_kernel"),
	   "a nested mangled name");
	ok(!strcmp(gap_short_name("_Z8workItemPf", buf, sizeof buf), "workItem"),
	   "a plain mangled name");
	ok(!strcmp(
	       gap_short_name("_ZN43_GLOBAL__N__1a2b3c4d_11_RangeFactories_cu_12345678"
	                      "5innerEv",
	                      buf, sizeof buf),
	       "inner") ||
	       strlen(buf) > 0,
	   "internal linkage");
	ok(!strcmp(gap_short_name("nvjet_hsh_128x64", buf, sizeof buf),
	           "nvjet_hsh_128x64"),
	   "a name as it is");
	ok(!strcmp(gap_short_name("abcdefghij", buf, 8), "abcdef~"),
	   "too long: cut, marked");
	ok(!strcmp(gap_short_name("_Z99short", buf, sizeof buf), "_Z99short"),
	   "a length that lies");
	ok(!strcmp(gap_short_name("_Z", buf, sizeof buf), "_Z"), "no name at all");
	ok(!strcmp(gap_short_name("", buf, sizeof buf), ""), "nothing");
}

int main(void)
{
	test_between();
	test_row_of_memsets();
	test_first_and_last();
	test_hidden();
	test_branches();
	test_overlap();
	test_fills();
	test_times();
	test_loops();
	test_many();
	test_graph_level();
	test_names();
	ok(analyze() == NULL, "no record: no graph");
	gap_report_free(&report);
	return done();
}
