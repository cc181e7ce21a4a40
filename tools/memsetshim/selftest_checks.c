/* SPDX-License-Identifier: MIT */
/* selftest_checks.c - what the library has to get right, on the driver that is here. */
#include "selftest.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

static const char *const memsets[] = {"cuMemsetD8Async",    "cuMemsetD16Async",
                                      "cuMemsetD32Async",   "cuMemsetD2D8Async",
                                      "cuMemsetD2D16Async", "cuMemsetD2D32Async"};

static int is_ours(void *function)
{
	Dl_info info;

	return function && dladdr(function, &info) && info.dli_fname &&
	       strstr(info.dli_fname, "libmemsetshim");
}

/* cuGetProcAddress and _v2 for a version and flags; the sixth argument harms no old
 * one. */
static void *by_address(struct selftest *t, const char *lookup, const char *name,
                        int version, uint64_t flags)
{
	int (*get)(const char *, void **, int, uint64_t, void *);
	void *function = NULL;

	*(void **)&get = dlsym(t->lib, lookup);
	if (!get || get(name, &function, version, flags, NULL) != 0)
		return NULL;
	return function;
}

static void check_way(struct selftest *t, const char *way, unsigned ours)
{
	if (ours == ARRAY_LEN(memsets))
		selftest_pass(t, "way in: %s gives all %u functions", way, ours);
	else
		selftest_fail(
		    t,
		    "way in: %s gives %u of %zu functions; memsets found this "
		    "way stay memset nodes",
		    way, ours, ARRAY_LEN(memsets));
}

void selftest_ways(struct selftest *t)
{
	static const struct {
		const char *lookup;
		int version;
		uint64_t flags;
		const char *way;
	} ways[] = {
	    {"cuGetProcAddress", 3020, 0, "cuGetProcAddress"},
	    {"cuGetProcAddress", 7000, 2, "cuGetProcAddress, per-thread stream"},
	    {"cuGetProcAddress_v2", 3020, 0, "cuGetProcAddress_v2"},
	    {"cuGetProcAddress_v2", 7000, 2, "cuGetProcAddress_v2, per-thread stream"},
	};
	unsigned by_handle = 0, by_default = 0, ours;
	size_t i, k;

	for (i = 0; i < ARRAY_LEN(memsets); i++) {
		by_handle += (unsigned)is_ours(dlsym(t->lib, memsets[i]));
		by_default += (unsigned)is_ours(dlsym(RTLD_DEFAULT, memsets[i]));
	}
	check_way(t, "dlsym with libcuda's handle", by_handle);
	check_way(t, "linking and dlsym(RTLD_DEFAULT)", by_default);
	for (i = 0; i < ARRAY_LEN(ways); i++) {
		/* The flags without "Async": names are those of cudart's requests. */
		for (ours = 0, k = 0; k < ARRAY_LEN(memsets); k++)
			ours += (unsigned)is_ours(
			    by_address(t, ways[i].lookup, memsets[k], ways[i].version,
			               ways[i].flags));
		check_way(t, ways[i].way, ours);
	}
}

static int set(struct selftest *t, const struct selftest_memset *m)
{
	device_ptr to = t->memory + m->offset;

	if (m->height == 0)
		return m->elem == 1 ? t->cuMemsetD8Async(to, (unsigned char)m->value,
		                                         m->width, t->stream)
		       : m->elem == 2
		           ? t->cuMemsetD16Async(to, (unsigned short)m->value, m->width,
		                                 t->stream)
		           : t->cuMemsetD32Async(to, m->value, m->width, t->stream);
	return m->elem == 1
	           ? t->cuMemsetD2D8Async(to, m->pitch, (unsigned char)m->value,
	                                  m->width, m->height, t->stream)
	       : m->elem == 2
	           ? t->cuMemsetD2D16Async(to, m->pitch, (unsigned short)m->value,
	                                   m->width, m->height, t->stream)
	           : t->cuMemsetD2D32Async(to, m->pitch, m->value, m->width, m->height,
	                                   t->stream);
}

void *selftest_capture(struct selftest *t, const struct selftest_memset *m, unsigned n,
                       int shim)
{
	int before = t->set_enabled(shim), result = 0;
	void *graph = NULL;
	unsigned i;

	if (SELFTEST_TRY(t, t->cuStreamBeginCapture(t->stream, CAPTURE_THREAD_LOCAL))) {
		for (i = 0; i < n; i++)
			result |= set(t, m);
		(void)SELFTEST_TRY(t, t->cuStreamEndCapture(t->stream, &graph));
		if (result)
			selftest_fail(t, "a captured memset: CUresult %d", result);
	}
	t->set_enabled(before);
	return graph;
}

/* The type of a graph's only node, or -1. */
static int only_node(struct selftest *t, void *graph)
{
	void *node = NULL;
	size_t n = 0;
	int type = -1;

	if (!graph || t->cuGraphGetNodes(graph, NULL, &n) != 0 || n != 1 ||
	    t->cuGraphGetNodes(graph, &node, &n) != 0 ||
	    t->cuGraphNodeGetType(node, &type) != 0)
		return -1;
	return type;
}

/* One of each function. */
static const struct selftest_memset each[] = {
    {64, 4, 0, 0, 7, 1},  {64, 4, 0, 0, 7, 2},  {64, 4, 0, 0, 7, 4},
    {64, 8, 4, 64, 7, 1}, {64, 8, 4, 64, 7, 2}, {64, 8, 4, 64, 7, 4},
};

void selftest_nodes(struct selftest *t)
{
	unsigned i, kernels = 0, natives = 0;
	int on, off;
	void *graph;

	for (i = 0; i < ARRAY_LEN(each); i++) {
		graph = selftest_capture(t, &each[i], 1, 1);
		on = only_node(t, graph);
		if (graph)
			t->cuGraphDestroy(graph);
		graph = selftest_capture(t, &each[i], 1, 0);
		off = only_node(t, graph);
		if (graph)
			t->cuGraphDestroy(graph);
		kernels += on == NODE_KERNEL;
		natives += off == NODE_MEMSET;
		if (on != NODE_KERNEL)
			selftest_fail(
			    t,
			    "nodes: a captured %s is no kernel node (type %d); "
			    "MEMSETSHIM_STATS=1 says why",
			    memsets[i], on);
	}
	if (kernels == ARRAY_LEN(each))
		selftest_pass(t,
		              "nodes: each of %u captured memsets is one kernel node",
		              kernels);
	if (natives == ARRAY_LEN(each))
		selftest_pass(t, "nodes: switched off, each is one memset node");
	else
		selftest_fail(t, "nodes: switched off, %u of %zu are memset nodes",
		              natives, ARRAY_LEN(each));
}

/* Poisons the memory, replays the graph once, and copies all of it; destroys the graph.
 */
static int replay(struct selftest *t, void *graph, unsigned char *copy)
{
	void *exec = NULL;
	int good = 0;

	if (!graph)
		return 0;
	if (SELFTEST_TRY(t, t->cuGraphInstantiate(&exec, graph, 0))) {
		good =
		    SELFTEST_TRY(t, t->cuMemsetD8(t->memory, 0xa5, SELFTEST_MEMORY)) &&
		    SELFTEST_TRY(t, t->cuGraphLaunch(exec, t->stream)) &&
		    SELFTEST_TRY(t, t->cuStreamSynchronize(t->stream)) &&
		    SELFTEST_TRY(t, t->cuMemcpyDtoH(copy, t->memory, SELFTEST_MEMORY));
		t->cuGraphExecDestroy(exec);
	}
	t->cuGraphDestroy(graph);
	return good;
}

/* 1 when both ways write the same bytes, and some. */
static int same_bytes(struct selftest *t, const struct selftest_memset *m)
{
	if (!replay(t, selftest_capture(t, m, 1, 0), t->native) ||
	    !replay(t, selftest_capture(t, m, 1, 1), t->shimmed))
		return 0;
	if (t->native[m->offset] == 0xa5 && (m->value & 0xff) != 0xa5) {
		selftest_fail(t, "bytes: the driver's own memset wrote nothing");
		return 0;
	}
	if (!memcmp(t->native, t->shimmed, SELFTEST_MEMORY))
		return 1;
	selftest_fail(
	    t,
	    "bytes: other bytes than the driver's at offset %zu, %zu x %zu "
	    "elements of %u bytes, pitch %zu; do not use the library here, and "
	    "please report it",
	    m->offset, m->width, m->height, m->elem, m->pitch);
	return 0;
}

void selftest_bytes(struct selftest *t)
{
	static const size_t sizes[] = {1,   2,   3,    4,    15,   16,    17,
	                               255, 256, 4095, 4096, 4097, 65536, 1048579};
	static const struct selftest_memset shapes[] = {
	    {512, 1, 100, 256, 0xff, 1},    {515, 7, 33, 64, 0x12, 1},
	    {512, 300, 17, 1024, 0xab, 1},  {514, 5, 9, 62, 0xbeef, 2},
	    {516, 100, 50, 404, 0x1234, 4}, {512, 64, 3, 256, 0xdeadbeef, 4},
	    {512, 128, 8, 128, 0x55, 1},    {512, 1, 1000, 4, 0x01020304, 4},
	};
	unsigned compared = 0, equal = 0;
	size_t i, shift, elem;

	for (i = 0; i < ARRAY_LEN(sizes); i++)
		for (shift = 0; shift < 16; shift += 5)
			for (elem = 1; elem <= 4; elem *= 2) {
				struct selftest_memset m = {
				    .offset = 4096 + shift * elem,
				    .width = sizes[i] / elem,
				    .elem = (unsigned)elem,
				    .value = 0x01c0ffeeU + (unsigned)i,
				};

				if (m.width == 0)
					continue;
				compared++;
				equal += (unsigned)same_bytes(t, &m);
			}
	for (i = 0; i < ARRAY_LEN(shapes); i++, compared++)
		equal += (unsigned)same_bytes(t, &shapes[i]);
	if (equal == compared)
		selftest_pass(t, "bytes: %u memsets write what the driver's write",
		              equal);
}

/* Outside capture, and where a kernel might do something else: the driver's own. */
void selftest_left_alone(struct selftest *t)
{
	static const struct selftest_memset eager = {128, 1000, 0, 0, 0x3c, 1};
	void *pinned = NULL, *graph;
	device_ptr memory = t->memory;
	int type;
	size_t i;

	if (SELFTEST_TRY(t, t->cuMemsetD8(t->memory, 0, SELFTEST_MEMORY)) &&
	    SELFTEST_TRY(t, set(t, &eager)) &&
	    SELFTEST_TRY(t, t->cuStreamSynchronize(t->stream)) &&
	    SELFTEST_TRY(t, t->cuMemcpyDtoH(t->native, t->memory, 4096))) {
		for (i = 0; i < 4096; i++)
			if (t->native[i] != (i >= 128 && i < 1128 ? 0x3c : 0))
				break;
		if (i == 4096)
			selftest_pass(t, "eager: a memset outside capture works");
		else
			selftest_fail(t, "eager: wrong byte %zu", i);
	}
	if (!SELFTEST_TRY(t, t->cuMemAllocHost(&pinned, 4096)))
		return;
	t->memory = (device_ptr)(uintptr_t)pinned;
	graph = selftest_capture(t, &each[0], 1, 1);
	t->memory = memory;
	type = only_node(t, graph);
	if (type == NODE_MEMSET)
		selftest_pass(t, "host memory: its memset stays a memset node");
	else
		selftest_fail(t, "host memory: node type %d instead of a memset", type);
	if (graph)
		t->cuGraphDestroy(graph);
}

void selftest_update(struct selftest *t)
{
	struct selftest_memset m = {256, 1000, 0, 0, 0x11, 1};
	void *first, *second, *exec = NULL;
	struct {
		int result;
		void *nodes[4]; /* CUgraphExecUpdateResultInfo, and room */
	} info = {0};

	first = selftest_capture(t, &m, 1, 1);
	m.value = 0x22;
	second = selftest_capture(t, &m, 1, 1);
	if (!first || !second ||
	    !SELFTEST_TRY(t, t->cuGraphInstantiate(&exec, first, 0)) ||
	    !SELFTEST_TRY(t, t->cuGraphExecUpdate(exec, second, &info)) ||
	    !SELFTEST_TRY(t, t->cuGraphLaunch(exec, t->stream)) ||
	    !SELFTEST_TRY(t, t->cuStreamSynchronize(t->stream)) ||
	    !SELFTEST_TRY(t, t->cuMemcpyDtoH(t->native, t->memory, 4096)))
		return;
	if (t->native[256] == 0x22 && t->native[1255] == 0x22)
		selftest_pass(t,
		              "update: a second capture updates the first one's graph");
	else
		selftest_fail(t, "update: the updated graph writes %#x",
		              t->native[256]);
	t->cuGraphExecDestroy(exec);
	t->cuGraphDestroy(first);
	t->cuGraphDestroy(second);
}
