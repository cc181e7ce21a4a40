/* SPDX-License-Identifier: MIT */
/*
 * selftest_checks.c - the ways in, the nodes, what is left alone, and updates.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "launch.h"
#include "selftest.h"

/* How many of the functions a way gives, and what is wrong with the first that it does
 * not. */
struct way {
	unsigned ours;
	char wrong[160];
};

static void count(struct selftest *t, struct way *way, const char *name, int result,
                  void *function)
{
	Dl_info info;

	if (result == 0 && function && dladdr(function, &info) &&
	    info.dli_fbase == t->base)
		way->ours++;
	else if (!*way->wrong && result != 0)
		snprintf(way->wrong, sizeof way->wrong, "%s: CUresult %d (%s)", name,
		         result, selftest_error(t, result));
	else if (!*way->wrong)
		snprintf(way->wrong, sizeof way->wrong, "%s is %s", name,
		         function ? "another library's" : "not there");
}

static void say_way(struct selftest *t, const char *name, const struct way *way)
{
	if (way->ours == SELFTEST_KINDS)
		selftest_pass(t, "%s gives all %u functions", name, way->ours);
	else
		selftest_fail(t,
		              "%s gives %u of %d functions (%s); memsets of programs "
		              "that look them up this way stay as slow as they were",
		              name, way->ours, SELFTEST_KINDS, way->wrong);
}

/* For a CUDA version and flags, as the CUDA runtime asks. */
static void ways_by_address(struct selftest *t, const char *lookup, int old)
{
	static const struct {
		int version;
		unsigned flags;
		const char *name;
	} asked[] = {{3020, 0, ""},
	             {7000, PER_THREAD_DEFAULT_STREAM, ", per-thread stream"}};
	size_t i, k;

	if (old ? !t->cuGetProcAddress : !t->cuGetProcAddress_v2) {
		selftest_skip(t, "this driver has no %s", lookup);
		return;
	}
	for (i = 0; i < ARRAY_LEN(asked); i++) {
		struct way way = {0};
		char name[64];

		for (k = 0; k < SELFTEST_KINDS; k++) {
			const char *memset = selftest_name(&selftest_each[k]);
			void *function = NULL;
			int result, status;

			if (old)
				result = t->cuGetProcAddress(memset, &function,
				                             asked[i].version,
				                             asked[i].flags);
			else
				result = t->cuGetProcAddress_v2(
				    memset, &function, asked[i].version, asked[i].flags,
				    &status);
			count(t, &way, memset, result, function);
		}
		snprintf(name, sizeof name, "%s%s", lookup, asked[i].name);
		say_way(t, name, &way);
	}
}

void selftest_ways(struct selftest *t)
{
	struct way by_handle = {0}, by_default = {0};
	size_t i;

	t->what = "way in";
	for (i = 0; i < SELFTEST_KINDS; i++) {
		const char *memset = selftest_name(&selftest_each[i]);

		count(t, &by_handle, memset, 0, dlsym(t->lib, memset));
		count(t, &by_default, memset, 0, dlsym(RTLD_DEFAULT, memset));
	}
	say_way(t, "dlsym with libcuda's handle", &by_handle);
	say_way(t, "linking and dlsym(RTLD_DEFAULT)", &by_default);
	ways_by_address(t, "cuGetProcAddress", 1);
	ways_by_address(t, "cuGetProcAddress_v2", 0);
}

/* Captures one: the type of its only node. */
static int node_of(struct selftest *t, const struct selftest_memset *m, int shim)
{
	void *graph = selftest_capture(t, m, 1, shim);
	int type = selftest_nodes_type(t, graph, 1);

	if (graph)
		t->cuGraphDestroy(graph);
	return type;
}

static const char *type_text(int type)
{
	switch (type) {
	case NODE_KERNEL:
		return "a kernel node";
	case NODE_MEMSET:
		return "a memset node";
	case SELFTEST_MIXED:
		return "not one node";
	default:
		return "a node of another kind";
	}
}

static void count_reasons(struct selftest *t, uint64_t *counts, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		counts[i] = t->passed_for((unsigned)i, NULL);
}

/* Why the library left a memset alone since the reasons were counted. */
static const char *reason_since(struct selftest *t, const uint64_t *counts, size_t n)
{
	const char *name;
	size_t i;

	for (i = 0; i < n; i++)
		if (t->passed_for((unsigned)i, &name) > counts[i] && name)
			return name;
	return "the library was not asked, or knows nothing of it";
}

void selftest_nodes(struct selftest *t)
{
	unsigned kernels = 0, memsets = 0;
	uint64_t counts[32];
	size_t i;
	int type;

	t->what = "nodes";
	for (i = 0; i < SELFTEST_KINDS; i++) {
		const struct selftest_memset *m = &selftest_each[i];

		count_reasons(t, counts, ARRAY_LEN(counts));
		type = node_of(t, m, 1);
		if (type == NODE_KERNEL)
			kernels++;
		else if (type != SELFTEST_BROKEN)
			selftest_fail(t,
			              "a captured %s is %s, not a kernel node: the "
			              "library gains nothing here; the reason: %s",
			              selftest_name(m), type_text(type),
			              reason_since(t, counts, ARRAY_LEN(counts)));
		type = node_of(t, m, 0);
		if (type == NODE_MEMSET)
			memsets++;
		else if (type != SELFTEST_BROKEN)
			selftest_fail(t,
			              "switched off, a captured %s is %s, not a memset "
			              "node: the switch does not work here",
			              selftest_name(m), type_text(type));
	}
	if (kernels == SELFTEST_KINDS)
		selftest_pass(t, "each of %u captured memsets is one kernel node",
		              kernels);
	if (memsets == SELFTEST_KINDS)
		selftest_pass(t, "switched off, each is one memset node");
}

/* What a memset does to a host copy of the memory. */
static void apply(const struct selftest_memset *m, unsigned char *bytes)
{
	size_t row, i, k;

	for (row = 0; row < (m->height ? m->height : 1); row++)
		for (i = 0; i < m->width; i++)
			for (k = 0; k < m->elem; k++)
				bytes[m->offset + row * m->pitch + i * m->elem + k] =
				    (unsigned char)(m->value >> 8 * k);
}

/* Outside capture nothing is changed, counted or captured. */
void selftest_eager(struct selftest *t)
{
	struct memsetshim_stats before, after;
	size_t i;

	t->what = "eager";
	t->get_stats(&before, sizeof before);
	for (i = 0; i < SELFTEST_KINDS; i++) {
		const struct selftest_memset *m = &selftest_each[i];

		if (!selftest_poison(t, SELFTEST_POISON) || !selftest_set(t, m) ||
		    !SELFTEST_TRY(t, t->cuStreamSynchronize(t->stream)) ||
		    !SELFTEST_TRY(
		        t, t->cuMemcpyDtoH(t->shimmed, t->memory, SELFTEST_MEMORY)))
			return;
		memset(t->native, SELFTEST_POISON, SELFTEST_MEMORY);
		apply(m, t->native);
		if (memcmp(t->native, t->shimmed, SELFTEST_MEMORY) != 0) {
			selftest_fail(
			    t,
			    "%s outside capture writes wrong bytes: do not use "
			    "the library here, and please report it",
			    selftest_name(m));
			return;
		}
	}
	t->get_stats(&after, sizeof after);
	if (memcmp(&before, &after, sizeof after) != 0)
		selftest_fail(t, "memsets outside capture are taken for captured ones: "
		                 "please report it");
	else
		selftest_pass(t, "memsets outside capture work, and none is captured");
}

/* 1 when a graph of it does its work, with bytes in a buffer of the host. */
static int host_works(struct selftest *t, void *graph, const unsigned char *bytes)
{
	const struct selftest_memset *m = &selftest_each[0];
	void *exec = NULL;
	int good;

	if (!SELFTEST_TRY(t, t->cuGraphInstantiate(&exec, graph, 0)))
		return 0;
	good = SELFTEST_TRY(t, t->cuGraphLaunch(exec, t->stream)) &&
	       SELFTEST_TRY(t, t->cuStreamSynchronize(t->stream));
	t->cuGraphExecDestroy(exec);
	if (good && (bytes[m->offset] != m->value ||
	             bytes[m->offset + m->width - 1] != m->value)) {
		selftest_fail(t, "its memset node wrote nothing");
		return 0;
	}
	return good;
}

/* A kernel might not do what the driver does there. */
void selftest_host(struct selftest *t)
{
	device_ptr memory = t->memory;
	void *pinned = NULL, *graph;
	int type;

	t->what = "host memory";
	if (!SELFTEST_TRY(t, t->cuMemAllocHost(&pinned, 4096)))
		return;
	memset(pinned, SELFTEST_POISON, 4096);
	t->memory = (device_ptr)(uintptr_t)pinned;
	graph = selftest_capture(t, &selftest_each[0], 1, 1);
	t->memory = memory;
	type = selftest_nodes_type(t, graph, 1);
	if (type != NODE_MEMSET && type != SELFTEST_BROKEN)
		selftest_fail(t,
		              "its memset became %s instead of a memset node: please "
		              "report it",
		              type_text(type));
	else if (type == NODE_MEMSET && host_works(t, graph, pinned))
		selftest_pass(t, "its memset stays a memset node, and works");
	if (graph)
		t->cuGraphDestroy(graph);
	t->cuMemFreeHost(pinned);
}

/* By the newer function or, where the driver has none, the older. */
static int update(struct selftest *t, void *exec, void *graph)
{
	struct update_result info = {0};
	void *node;
	int why;

	if (t->cuGraphExecUpdate)
		return SELFTEST_TRY(t, t->cuGraphExecUpdate(exec, graph, &info));
	return SELFTEST_TRY(t, t->cuGraphExecUpdate_v1(exec, graph, &node, &why));
}

static void check_update(struct selftest *t, void *first, void *second,
                         const struct selftest_memset *m)
{
	void *exec = NULL;

	if (!SELFTEST_TRY(t, t->cuGraphInstantiate(&exec, first, 0)))
		return;
	if (selftest_poison(t, SELFTEST_POISON) && update(t, exec, second) &&
	    selftest_replay(t, exec, t->shimmed)) {
		memset(t->native, SELFTEST_POISON, SELFTEST_MEMORY);
		apply(m, t->native);
		if (!memcmp(t->native, t->shimmed, SELFTEST_MEMORY))
			selftest_pass(t,
			              "a second capture updates the first one's graph");
		else
			selftest_fail(t, "an updated graph does not write what the new "
			                 "capture says: please report it");
	}
	t->cuGraphExecDestroy(exec);
}

void selftest_update(struct selftest *t)
{
	struct selftest_memset m = {256, 1000, 0, 0, 0x11, 1};
	void *first, *second;
	int types[2];

	t->what = "update";
	if (!t->cuGraphExecUpdate && !t->cuGraphExecUpdate_v1) {
		selftest_skip(t, "this driver has no cuGraphExecUpdate");
		return;
	}
	first = selftest_capture(t, &m, 1, 1);
	m.value = 0x22;
	second = selftest_capture(t, &m, 1, 1);
	types[0] = selftest_nodes_type(t, first, 1);
	types[1] = selftest_nodes_type(t, second, 1);
	if (types[0] == NODE_KERNEL && types[1] == NODE_KERNEL)
		check_update(t, first, second, &m);
	else if (types[0] != SELFTEST_BROKEN && types[1] != SELFTEST_BROKEN)
		selftest_skip(t, "no memset became a kernel node");
	if (first)
		t->cuGraphDestroy(first);
	if (second)
		t->cuGraphDestroy(second);
}
