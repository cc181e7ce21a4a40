/* SPDX-License-Identifier: MIT */
/*
 * memsetshim.h's functions: switched off, memsets are memset nodes, switched on, kernel
 * nodes, from the next call on; the former state comes back; the statistics say what
 * the graphs say.
 */
#include <dlfcn.h>
#include <string.h>

#include "../shim/memsetshim.h"
#include "drv.h"

#define SIZE 1024u

static __typeof__(&memsetshim_version) version;
static __typeof__(&memsetshim_enabled) enabled;
static __typeof__(&memsetshim_set_enabled) set_enabled;
static __typeof__(&memsetshim_get_stats) get_stats;
static __typeof__(&memsetshim_passed_for) passed_for;

static CUstream stream;
static CUdeviceptr memory;

static void find_functions(void)
{
	*(void **)&version = dlsym(RTLD_DEFAULT, "memsetshim_version");
	*(void **)&enabled = dlsym(RTLD_DEFAULT, "memsetshim_enabled");
	*(void **)&set_enabled = dlsym(RTLD_DEFAULT, "memsetshim_set_enabled");
	*(void **)&get_stats = dlsym(RTLD_DEFAULT, "memsetshim_get_stats");
	*(void **)&passed_for = dlsym(RTLD_DEFAULT, "memsetshim_passed_for");
	if (!ok(version && enabled && set_enabled && get_stats && passed_for,
	        "all functions are there"))
		exit(done());
}

static struct memsetshim_stats stats(void)
{
	struct memsetshim_stats now;

	memset(&now, 0xee, sizeof now);
	get_stats(&now, sizeof now);
	return now;
}

static uint64_t passed(const char *reason)
{
	const char *name = "";
	uint64_t count;
	unsigned int i;

	for (i = 0; name; i++) {
		count = passed_for(i, &name);
		if (name && !strcmp(name, reason))
			return count;
	}
	return 9999;
}

static void before_cuda(void)
{
	struct memsetshim_stats s = stats();
	char expected[32];

	snprintf(expected, sizeof expected, "%d.%d.%d", MEMSETSHIM_VERSION_MAJOR,
	         MEMSETSHIM_VERSION_MINOR, MEMSETSHIM_VERSION_PATCH);
	ok(!strcmp(version(), expected), "the version is the header's, %s", expected);
	is(enabled(), 1, "on when preloaded");
	is(set_enabled(0), 1, "was on");
	is(enabled(), 0, "is off");
	is(set_enabled(0), 0, "was off");
	is(set_enabled(5), 0, "was off");
	is(enabled(), 1, "is on");
	is(set_enabled(1), 1, "was on");
	ok(!s.substituted && !s.substituted_bytes && !s.passed && !s.captures,
	   "nothing counted yet");
}

/* One capture, in which the switch is thrown twice. */
static void off_and_on(void)
{
	struct memsetshim_stats before = stats(), after;
	uint64_t off_before = passed("switched off");
	CUgraphNodeType types[3] = {CU_GRAPH_NODE_TYPE_EMPTY};
	CUgraphNode nodes[3];
	size_t n = 3, i;
	CUgraph graph;

	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	must(cuMemsetD8Async(memory, 1, 100, stream));
	set_enabled(0);
	must(cuMemsetD8Async(memory, 2, 200, stream));
	set_enabled(1);
	must(cuMemsetD32Async(memory, 3, 50, stream));
	must(cuStreamEndCapture(stream, &graph));
	must(cuGraphGetNodes(graph, nodes, &n));
	is(n, 3, "three memsets, three nodes");
	for (i = 0; i < 3 && i < n; i++)
		types[i] = drv_type(nodes[i]);
	is(types[0], CU_GRAPH_NODE_TYPE_KERNEL, "on: a kernel");
	is(types[1], CU_GRAPH_NODE_TYPE_MEMSET, "off: a memset");
	is(types[2], CU_GRAPH_NODE_TYPE_KERNEL, "on again: a kernel");
	must(cuGraphDestroy(graph));
	after = stats();
	is(after.captures - before.captures, 1, "one capture counted");
	is(after.substituted - before.substituted, 2, "two kernels counted");
	is(after.substituted_bytes - before.substituted_bytes, 300, "and their bytes");
	is(after.passed - before.passed, 1, "one memset node counted");
	is(passed("switched off") - off_before, 1, "and the reason");
}

/* One memset that is left to the driver, and counted so; its node says the same. */
static void reason(const char *name, struct drv_set m, size_t nodes)
{
	uint64_t count = passed(name);
	struct memsetshim_stats before = stats(), after;
	struct drv_outcome o;
	CUgraph graph = drv_capture(&m, stream, &o);

	after = stats();
	is(passed(name) - count, 1, "counted: %s", name);
	ok(after.passed - before.passed == 1 &&
	       after.substituted == before.substituted &&
	       after.substituted_bytes == before.substituted_bytes &&
	       after.captures - before.captures == 1,
	   "%s: once and nothing else", name);
	ok(o.kernels == 0 && o.nodes == nodes, "%s: %zu nodes, no kernel", name, nodes);
	if (graph)
		must(cuGraphDestroy(graph));
}

static void reasons(void)
{
	CUdeviceptr managed;
	void *pinned;

	must(cuMemAllocManaged(&managed, SIZE, CU_MEM_ATTACH_GLOBAL));
	must(cuMemAllocHost(&pinned, SIZE));
	reason("zero bytes", (struct drv_set){.elem = 1, .dst = memory}, 0);
	reason("address or pitch not a multiple of the element",
	       (struct drv_set){.elem = 4, .dst = memory + 1, .width = 4}, 0);
	reason("impossible shape",
	       (struct drv_set){.elem = 1,
	                        .rows = 1,
	                        .dst = memory,
	                        .width = 65,
	                        .height = 2,
	                        .pitch = 64},
	       0);
	reason("address unknown to the driver",
	       (struct drv_set){.elem = 1, .dst = 0x10000, .width = 4}, 1);
	reason("range leaves its allocation",
	       (struct drv_set){.elem = 1, .dst = memory, .width = SIZE + 1}, 1);
	reason("managed memory",
	       (struct drv_set){.elem = 1, .dst = managed, .width = SIZE}, 1);
	reason("host memory",
	       (struct drv_set){
	           .elem = 1, .dst = (CUdeviceptr)(uintptr_t)pinned, .width = SIZE},
	       1);
	must(cuMemFree(managed));
	must(cuMemFreeHost(pinned));
}

static void eager_is_not_counted(void)
{
	struct memsetshim_stats before = stats(), after;

	must(cuMemsetD8Async(memory, 1, 100, stream));
	must(cuStreamSynchronize(stream));
	after = stats();
	ok(!memcmp(&before, &after, sizeof before), "an eager memset is not counted");
}

/* Every size that a program may have been built with, newer ones too. */
static void sizes(void)
{
	struct {
		struct memsetshim_stats stats;
		unsigned char newer[16];
	} wide;
	struct memsetshim_stats now = stats();
	unsigned char bytes[sizeof now + 8];
	size_t size, i;
	int good = 1;

	for (size = 0; size <= sizeof now; size++) {
		memset(bytes, 0xee, sizeof bytes);
		get_stats((struct memsetshim_stats *)(void *)bytes, size);
		good &= !memcmp(bytes, &now, size);
		for (i = size; i < sizeof bytes; i++)
			good &= bytes[i] == 0xee;
	}
	ok(good, "so many bytes as asked for, and none after them");
	memset(&wide, 0xee, sizeof wide);
	get_stats(&wide.stats, sizeof wide);
	good = !memcmp(&wide.stats, &now, sizeof now);
	for (i = 0; i < sizeof wide.newer; i++)
		good &= wide.newer[i] == 0;
	ok(good, "what this library does not know is 0");
}

static void names(void)
{
	static const char *const texts[] = {
#define REASON(id, text) text,
#include "../shim/reasons.def"
#undef REASON
	};
	unsigned int n = sizeof texts / sizeof *texts, i;
	uint64_t sum = 0;
	const char *name;
	int good = 1;

	for (i = 0; i < n; i++) {
		uint64_t count = passed_for(i, &name);

		good &= name && !strcmp(name, texts[i]);
		good &= passed_for(i, NULL) == count;
		sum += count;
	}
	ok(good, "every reason has its name");
	is(sum, stats().passed, "and their counts add up");
	name = "";
	is(passed_for(n, &name), 0, "past the last: 0");
	ok(!name, "and no name");
	name = "";
	is(passed_for(~0u, &name), 0, "far past the last: 0");
	ok(!name, "and no name");
}

int main(void)
{
	find_functions();
	before_cuda();
	drv_start();
	stream = drv_stream();
	memory = drv_alloc(SIZE);
	off_and_on();
	reasons();
	eager_is_not_counted();
	sizes();
	names();
	return done();
}
