/* SPDX-License-Identifier: MIT */
/*
 * Whatever error the driver gives to a hooked function, the program gets that error and
 * nothing else, in and out of a capture; afterwards captured memsets are kernel nodes
 * again, and eager ones the driver's alone.
 */
#include <string.h>

#include "drv.h"

#define SIZE 64u

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const functions[] = {
#define HOOK(name, params) #name,
#define CALL_NEEDED(name, params)
#define CALL(name, params)
#include "../shim/symbols.def"
#undef HOOK
#undef CALL_NEEDED
#undef CALL
};

static char unset; /* what an output holds that nobody has written */

struct hooked {
	const char *name;
	CUresult error;
	CUstream stream;
	CUdeviceptr p;
};

static CUresult begin(const struct hooked *h)
{
	return cuStreamBeginCapture(h->stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

/* Ends the capture; 1 when all of its memsets are kernel nodes, `count` of them. */
static int captured(const struct hooked *h, size_t count)
{
	CUgraph graph = NULL;
	int good = holds(cuStreamEndCapture(h->stream, &graph) == CUDA_SUCCESS);

	good = good && holds(drv_nodes(graph) == count) &&
	       holds(drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL) == count) &&
	       holds(drv_replay(graph, h->stream, 1) == CUDA_SUCCESS);
	if (graph)
		must(cuGraphDestroy(graph));
	return good;
}

static CUresult memset_to(const struct hooked *h, unsigned char value)
{
	return cuMemsetD8Async(h->p, value, SIZE, h->stream);
}

static int holds_value(const struct hooked *h, unsigned char value)
{
	unsigned char got[SIZE], want[SIZE];

	memset(want, value, sizeof want);
	drv_read(got, h->p, sizeof got);
	return holds(!memcmp(got, want, sizeof got));
}

/* Nobody asks about the stream of an eager memset: no capture is thought to be open. */
static int eager_alone(const struct hooked *h)
{
	int asked;

	sim_reset();
	must(memset_to(h, 0x21));
	asked = sim_calls("cuStreamIsCapturing");
	return holds(asked == 0) && holds_value(h, 0x21);
}

static int well_again(const struct hooked *h)
{
	int good = eager_alone(h);

	must(begin(h));
	must(memset_to(h, 0x22));
	return good && captured(h, 1) && holds_value(h, 0x22) && eager_alone(h);
}

/* --- one function for each kind of hook ------------------------------------------- */

/* "cuMemsetD2D16Async_ptsz" as a memset. */
static struct drv_set set_of(const struct hooked *h)
{
	struct drv_set m = {
	    .dst = h->p, .value = 0x31313131, .width = 4, .height = 2, .pitch = 32};

	m.rows = strstr(h->name, "D2D") != NULL;
	m.twin = strstr(h->name, "_ptsz") != NULL;
	m.elem = strstr(h->name, "8A") ? 1 : (strstr(h->name, "16A") ? 2 : 4);
	return m;
}

/* The driver's own is called eagerly, with the shim off, and when no kernel can be. */
static int memset_fails(const struct hooked *h)
{
	const struct drv_set m = set_of(h);
	int good = holds(!strcmp(drv_set_name(&m), h->name));

	sim_fail(h->name, 1, h->error);
	good &= holds(drv_memset(&m, h->stream) == h->error);
	must(begin(h));
	drv_shim(0);
	sim_fail(h->name, 1, h->error);
	good &= holds(drv_memset(&m, h->stream) == h->error);
	drv_shim(1);
	sim_fail(h->name, 1, h->error);
	sim_fail("cuLaunchKernel", 1, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
	good &= holds(drv_memset(&m, h->stream) == h->error);
	sim_reset();
	good &= holds(drv_memset(&m, h->stream) == CUDA_SUCCESS);
	return captured(h, 1) && good;
}

static int not_capturing(const struct hooked *h)
{
	CUstreamCaptureStatus status;

	must(cuStreamIsCapturing(h->stream, &status));
	return holds(status == CU_STREAM_CAPTURE_STATUS_NONE);
}

static int begin_fails(const struct hooked *h)
{
	CUresult (*oldest)(CUstream), (*call)(CUstream, CUstreamCaptureMode), result;

	*(void **)&oldest = *(void **)&call = drv_entry(h->name);
	sim_fail(h->name, 1, h->error);
	if (strstr(h->name, "_v2"))
		result = call(h->stream, CU_STREAM_CAPTURE_MODE_RELAXED);
	else
		result = oldest(h->stream);
	return holds(result == h->error) && not_capturing(h);
}

static int begin_to_graph_fails(const struct hooked *h)
{
	__typeof__(&cuStreamBeginCaptureToGraph) call;
	CUgraph graph;
	int good;

	*(void **)&call = drv_entry(h->name);
	must(cuGraphCreate(&graph, 0));
	sim_fail(h->name, 1, h->error);
	good = holds(call(h->stream, graph, NULL, NULL, 0,
	                  CU_STREAM_CAPTURE_MODE_RELAXED) == h->error);
	good &= not_capturing(h) & holds(drv_nodes(graph) == 0);
	must(cuGraphDestroy(graph));
	return good;
}

/* The capture goes on, and so do its memsets. */
static int end_fails(const struct hooked *h)
{
	__typeof__(&cuStreamEndCapture) call;
	CUgraph graph = (CUgraph)(void *)&unset;
	int good;

	*(void **)&call = drv_entry(h->name);
	must(begin(h));
	must(memset_to(h, 0x41));
	sim_fail(h->name, 1, h->error);
	good = holds(call(h->stream, &graph) == h->error);
	good &= holds((void *)graph == &unset);
	must(memset_to(h, 0x42));
	return captured(h, 2) & good & holds_value(h, 0x42);
}

static CUresult look_up(const struct hooked *h, void **found)
{
	CUresult (*oldest)(const char *, void **, int, cuuint64_t);
	CUresult (*call)(const char *, void **, int, cuuint64_t,
	                 CUdriverProcAddressQueryResult *);

	*(void **)&oldest = *(void **)&call = drv_entry(h->name);
	if (strstr(h->name, "_v2"))
		return call("cuMemsetD8Async", found, 13000, 0, NULL);
	return oldest("cuMemsetD8Async", found, 12000, 0);
}

static int lookup_fails(const struct hooked *h)
{
	void *found = &unset;
	int good;

	sim_fail(h->name, 1, h->error);
	good = holds(look_up(h, &found) == h->error) & holds(found == &unset);
	must(look_up(h, &found));
	return good & holds(found == drv_entry("cuMemsetD8Async"));
}

static CUresult allocate(const struct hooked *h, CUdeviceptr *at)
{
	__typeof__(&cuMemAllocAsync) call;
	__typeof__(&cuMemAllocFromPoolAsync) from_pool;
	CUmemoryPool pool;

	must(cuDeviceGetDefaultMemPool(&pool, 0));
	*(void **)&call = *(void **)&from_pool = drv_entry(h->name);
	return strstr(h->name, "FromPool") ? from_pool(at, SIZE, pool, h->stream)
	                                   : call(at, SIZE, h->stream);
}

/* In a capture: no memory, and no memset of any. */
static int allocation_fails(const struct hooked *h)
{
	CUdeviceptr at = 1;
	int good;

	must(begin(h));
	sim_fail(h->name, 1, h->error);
	good = holds(allocate(h, &at) == h->error) & holds(at == 1);
	must(memset_to(h, 0x43));
	return captured(h, 1) & good;
}

/* What has not been freed can be set. */
static int free_fails(const struct hooked *h)
{
	__typeof__(&cuMemFreeAsync) call;
	CUgraph graph;
	CUdeviceptr at;
	int good;

	*(void **)&call = drv_entry(h->name);
	must(begin(h));
	must(cuMemAllocAsync(&at, SIZE, h->stream));
	sim_fail(h->name, 1, h->error);
	good = holds(call(at, h->stream) == h->error);
	must(cuMemsetD8Async(at, 1, SIZE, h->stream));
	must(call(at, h->stream));
	must(cuStreamEndCapture(h->stream, &graph));
	good &= holds(drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL) == 1);
	must(cuGraphDestroy(graph));
	return good;
}

/* The first whose name is the beginning of a hook's. */
static const struct kind {
	const char *name;
	int (*fails)(const struct hooked *h);
} kinds[] = {
    {"cuMemset", memset_fails},
    {"cuMemAlloc", allocation_fails},
    {"cuMemFree", free_fails},
    {"cuStreamBeginCaptureToGraph", begin_to_graph_fails},
    {"cuStreamBeginCapture", begin_fails},
    {"cuStreamEndCapture", end_fails},
    {"cuGetProcAddress", lookup_fails},
    {"cuLaunchKernelEx", NULL}, /* sim-fault-nodes */
    {"cuGraph", NULL},
};

static const struct kind *kind_of(const char *name)
{
	size_t i;

	for (i = 0; i < COUNT(kinds); i++)
		if (!strncmp(kinds[i].name, name, strlen(kinds[i].name)))
			return &kinds[i];
	return NULL;
}

/* --- children --------------------------------------------------------------------- */

static int disturbed(void *arg)
{
	struct hooked *h = arg;

	/* The warnings that all this gives are another test's. */
	if (!freopen("/dev/null", "w", stderr))
		return 1;
	drv_start();
	h->stream = drv_stream();
	h->p = drv_alloc(SIZE);
	return !(kind_of(h->name)->fails(h) && well_again(h));
}

/* The same, but where everything has been at work before. */
static int disturbed_later(void *arg)
{
	struct hooked *h = arg;

	drv_start();
	h->stream = drv_stream();
	h->p = drv_alloc(SIZE);
	return !well_again(h) || disturbed(arg);
}

int main(void)
{
	static const CUresult errors[] = {
	    CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_UNKNOWN};
	size_t i, k;

	if (!drv_is_sim())
		skip_all("needs the simulated driver");
	for (i = 0; i < COUNT(functions); i++) {
		struct hooked h = {.name = functions[i]};
		int bad = 0;

		if (!ok(kind_of(h.name) != NULL, "%s is of a kind that is known here",
		        h.name))
			continue;
		if (!kind_of(h.name)->fails)
			continue;
		for (k = 0; k < COUNT(errors); k++) {
			h.error = errors[k];
			bad += drv_child(disturbed, &h) != 0;
			bad += drv_child(disturbed_later, &h) != 0;
		}
		ok(!bad, "%s: its own errors, and all is well afterwards", h.name);
	}
	return done();
}
