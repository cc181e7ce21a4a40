/* SPDX-License-Identifier: MIT */
/*
 * The counter's store keeps the first launches of each graph, knows nodes by what they
 * were made as, counts what it does not keep, and never grows beyond its bound.
 */
#include "store.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static struct store_record record_of(uint32_t graph, uint32_t replay, uint64_t node,
                                     enum gap_kind kind, const char *name)
{
	return (struct store_record){.record = {.graph = graph,
	                                        .replay = replay,
	                                        .node = node,
	                                        .kind = (uint8_t)kind,
	                                        .start = 1000,
	                                        .end = 2000},
	                             .name = name};
}

static void add(uint32_t graph, uint32_t replay, uint64_t node, enum gap_kind kind,
                const char *name)
{
	struct store_record record = record_of(graph, replay, node, kind, name);

	store_add(&record, 1);
}

static void test_kinds(void)
{
	struct gap_input input = {.level = GAP_LEVEL_NODE};

	store_node(0x100000000, GAP_KERNEL);
	store_node(0x100000001, GAP_MEMSET);
	store_node(0x100000002, GAP_OTHER);
	store_clone(0x200000000, 0x100000000, 2);
	store_clone(0x200000001, 0x100000001, 2);
	store_clone(0x200000001, 0x999, 2); /* an original that nobody saw */
	add(2, 7, 0x200000000, GAP_KERNEL, "work");
	add(2, 7, 0x200000001, GAP_KERNEL, "memset32");
	add(2, 7, 0x200000002, GAP_KERNEL, "memsetshim_fill_words");
	add(2, 7, 0x200000003, GAP_MEMSET, "[memset]");
	add(0, 9, 0, GAP_KERNEL, "outside");
	ok(store_copy(&input) == 0, "a copy of what is there");
	is(input.n_records, 4, "what is of no graph is not kept");
	is(input.records[0].kind, GAP_KERNEL, "a kernel");
	is(input.records[1].kind, GAP_MEMSET, "a memset node that ran as a kernel");
	is(input.records[2].kind, GAP_FILL, "a fill, by its name");
	is(input.records[3].kind, GAP_MEMSET,
	   "a memset of an unknown node, by its record");
	ok(!strcmp(input.names[input.records[1].name], "memset32"), "names are kept");
	is(input.n_graphs, 1, "one graph");
	is(input.graphs[0].nodes[GAP_KERNEL], 1, "made of a kernel");
	is(input.graphs[0].nodes[GAP_MEMSET], 1, "and a memset");
	is(store_counts().outside, 1, "what is of no graph is counted");
	store_copy_free(&input);
}

static void test_window(void)
{
	struct gap_input input = {.level = GAP_LEVEL_NODE};
	unsigned i, kept = 0;

	/* Ten launches, of which eight fit; two at a time, their records mixed. */
	for (i = 0; i < 40; i++)
		add(3, 100 + 2 * (i / 8) + i % 2, 0x300000000 + i, GAP_KERNEL, "k");
	/* A late record of the first launch. */
	add(3, 100, 0x300000100, GAP_KERNEL, "k");
	store_copy(&input);
	for (i = 0; i < input.n_records; i++)
		kept += input.records[i].graph == 3;
	is(kept, 8 * 4 + 1, "the first launches of a graph are kept, whole");
	is(store_counts().not_kept, 8, "the others are counted");
	store_copy_free(&input);
}

static void test_bound(void)
{
	uint64_t kept = store_counts().kept;
	unsigned i;

	for (i = 0; i < 300000; i++)
		add(1000 + i / 1000, i % 8, 0, GAP_KERNEL, "k");
	is(store_counts().kept, 100000, "never more records than asked for");
	ok(store_counts().not_kept >= 200000 + kept, "what is too much is counted");
	store_dropped(17);
	is(store_counts().dropped, 17, "and what CUPTI dropped");
}

static void *add_many(void *argument)
{
	unsigned i, thread = (unsigned)(uintptr_t)argument;
	char name[32];

	for (i = 0; i < 2000; i++) {
		snprintf(name, sizeof name, "thread %u", i % 50);
		store_node(((uint64_t)thread << 32) + i, GAP_MEMSET);
		store_clone(((uint64_t)(thread + 50) << 32) + i,
		            ((uint64_t)thread << 32) + i, thread + 50);
		add(thread + 50, 1, ((uint64_t)(thread + 50) << 32) + i, GAP_KERNEL,
		    name);
		(void)store_counts();
	}
	return NULL;
}

static void test_threads(void)
{
	struct gap_input input = {.level = GAP_LEVEL_NODE};
	pthread_t threads[4];
	uintptr_t i;
	unsigned memsets = 0, all = 0;

	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, add_many, (void *)(i + 500));
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	store_copy(&input);
	for (i = 0; i < input.n_records; i++) {
		if (input.records[i].graph < 550 || input.records[i].graph >= 554)
			continue;
		all++;
		memsets += input.records[i].kind == GAP_MEMSET;
	}
	is(all, 8000, "threads: all records are there");
	is(memsets, 8000, "and their nodes known");
	store_copy_free(&input);
}

int main(void)
{
	store_setup(8, 100000);
	test_kinds();
	test_window();
	test_threads();
	test_bound();
	return done();
}
