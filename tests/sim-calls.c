/* SPDX-License-Identifier: MIT */
/*
 * What the shim asks of the driver: outside captures nothing but the program's own
 * call; inside, nothing that is not in symbols.def; code is loaded once, and only with
 * the thread's capture mode relaxed.  What that does to errno the program does not see.
 */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "drv.h"

#define MAX_NAMES 64

static const char *const needed[] = {
#define HOOK(name, params)
#define CALL_NEEDED(name, params) #name,
#define CALL(name, params) #name,
#include "../shim/symbols.def"
#undef HOOK
#undef CALL_NEEDED
#undef CALL
};

static const char *const hooked[] = {
#define HOOK(name, params) #name,
#define CALL_NEEDED(name, params)
#define CALL(name, params)
#include "../shim/symbols.def"
#undef HOOK
#undef CALL_NEEDED
#undef CALL
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static CUstream stream;
static CUdeviceptr memory;

/* What one call of the program led to. */
static const char *names[MAX_NAMES];
static int count;

static void end_of_log(void)
{
	const char *name;

	sim_log_stop();
	for (count = 0; count < MAX_NAMES && (name = sim_log_entry(count)); count++)
		names[count] = name;
}

#define LOGGED(call) (sim_log_start(), must(call), end_of_log())

static int among(const char *name, const char *const *list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(list[i], name))
			return 1;
	return 0;
}

static int calls_of(const char *name)
{
	int i, n = 0;

	for (i = 0; i < count; i++)
		n += !strcmp(names[i], name);
	return n;
}

static void show(void)
{
	int i;

	printf("# calls:");
	for (i = 0; i < count; i++)
		printf(" %s", names[i]);
	puts("");
}

static void only(const char *name, const char *what)
{
	if (!ok(count == 1 && !strcmp(names[0], name), "%s: one call, %s", what, name))
		show();
}

/* The program's own call may be among them, once. */
static void allowed(const char *own, const char *what)
{
	int i, good = calls_of(own) <= 1;

	for (i = 0; i < count; i++)
		good &=
		    !strcmp(names[i], own) || (among(names[i], needed, COUNT(needed)) &&
		                               !among(names[i], hooked, COUNT(hooked)));
	if (!ok(good && count > 0 && count < MAX_NAMES, "%s: nothing unheard of", what))
		show();
}

static void each_kind(void (*check)(const char *, const char *), const char *when)
{
	struct drv_set m = {.dst = memory, .width = 8, .height = 2, .pitch = 64};

	for (m.elem = 1; m.elem <= 4; m.elem *= 2)
		for (m.rows = 0; m.rows < 2; m.rows++)
			for (m.twin = 0; m.twin < 2; m.twin++) {
				char name[32];

				snprintf(name, sizeof name, "%s", drv_set_name(&m));
				LOGGED(drv_memset(&m, stream));
				check(name, when);
			}
}

static void first_in_capture(void)
{
	int i, load = -1, relaxed = -1, restored = -1;

	LOGGED(cuMemsetD8Async(memory, 1, 64, stream));
	allowed("cuMemsetD8Async", "the first captured memset");
	is(calls_of("cuMemsetD8Async"), 0, "which calls no memset");
	is(calls_of("cuLibraryLoadData"), 1, "but loads the kernels");
	is(calls_of("cuThreadExchangeStreamCaptureMode"), 2, "in another capture mode");
	for (i = 0; i < count; i++) {
		if (!strcmp(names[i], "cuLibraryLoadData"))
			load = i;
		if (!strcmp(names[i], "cuThreadExchangeStreamCaptureMode")) {
			relaxed = load < 0 ? i : relaxed;
			restored = i;
		}
	}
	if (!ok(0 <= relaxed && relaxed < load && load < restored,
	        "which ends after the load"))
		show();
}

static void kernel_only(const char *own, const char *what)
{
	allowed(own, what);
	is(calls_of(own), 0, "%s: no memset", own);
	is(calls_of("cuLibraryLoadData") +
	       calls_of("cuThreadExchangeStreamCaptureMode"),
	   0, "%s: nothing is loaded any more", own);
	is(calls_of("cuLaunchKernel"), 1, "%s: one launch", own);
}

static void spoil_errno(void *arg)
{
	(void)arg;
	errno = EIO;
}

/* The driver's own memset is not called here, so all that happens is the shim's. */
static void errno_is_kept(void)
{
	size_t i;

	for (i = 0; i < COUNT(needed); i++)
		sim_on_call(needed[i], spoil_errno, NULL);
	errno = ENOTTY;
	must(cuMemsetD8Async(memory, 1, 64, stream));
	is(errno, ENOTTY, "a captured memset keeps errno");
	sim_reset();
}

/* A capture that is spoilt: no launch is tried, which would say so on stderr. */
static void invalidated(void)
{
	CUgraph graph = NULL;
	CUresult result;

	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	ok(cuStreamSynchronize(stream) != CUDA_SUCCESS, "waiting spoils a capture");
	sim_log_start();
	result = cuMemsetD8Async(memory, 1, 64, stream);
	end_of_log();
	is(result, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "a memset in it fails");
	is(calls_of("cuLaunchKernel"), 0, "and launches nothing");
	is(calls_of("cuMemsetD8Async"), 1, "the driver has said so itself");
	ok(cuStreamEndCapture(stream, &graph) != CUDA_SUCCESS, "its end fails, too");
	each_kind(only, "after a spoilt capture");
	ok(cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL) != CUDA_SUCCESS,
	   "a begin that fails");
	each_kind(only, "after a begin that failed");
}

/* Memory that no fill may touch: the questions, then the driver's own. */
static void left_to_the_driver(void)
{
	CUdeviceptr managed;

	must(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	LOGGED(cuMemsetD8Async(managed, 1, 64, stream));
	allowed("cuMemsetD8Async", "a captured memset left to the driver");
	ok(count > 0 && !strcmp(names[count - 1], "cuMemsetD8Async"),
	   "ends in the driver's own");
	is(calls_of("cuLaunchKernel"), 0, "and launches nothing");
}

/* However many memsets there are, each allocation of the graph is asked for once. */
static void many_of_its_own(void)
{
	enum { MANY = 100 };
	CUgraphExec exec;
	CUgraph graph;
	CUdeviceptr p;
	int i;

	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	for (i = 0; i < MANY; i++) {
		must(cuMemAllocAsync(&p, 4096, stream));
		must(cuMemsetD8Async(p, 1, 64, stream));
		must(cuMemsetD8Async(p + 64, 2, 64, stream));
	}
	must(cuStreamEndCapture(stream, &graph));
	is(drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL), 2 * MANY, "%d fills", 2 * MANY);
	sim_reset();
	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	is(sim_calls("cuGraphMemAllocNodeGetParams"), MANY,
	   "instantiation asks for each of %d allocations once", MANY);
	must(cuGraphExecDestroy(exec));
	must(cuGraphDestroy(graph));
}

/* What an invalidated capture had allocated is no burden to the next one. */
static void invalidated_with_memory(void)
{
	CUdeviceptr p, outside;
	CUgraph graph;

	must(cuMemAllocAsync(&outside, 4096, stream));
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	must(cuMemAllocAsync(&p, 4096, stream));
	(void)cuStreamSynchronize(stream);
	ok(cuStreamEndCapture(stream, &graph) != CUDA_SUCCESS, "invalidated");
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	must(cuMemcpyDtoDAsync(memory, memory + 128, 64, stream));
	LOGGED(cuMemFreeAsync(outside, CU_STREAM_PER_THREAD));
	only("cuMemFreeAsync", "a free beside the next capture");
	must(cuStreamEndCapture(stream, &graph));
	must(cuGraphDestroy(graph));
}

/* A call that fails is an error to sanitizers: no node is asked what it is not. */
static void copies_only(void)
{
	CUgraphExec exec;
	CUgraph graph;

	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	must(cuMemcpyDtoDAsync(memory, memory + 128, 64, stream));
	must(cuStreamEndCapture(stream, &graph));
	sim_reset();
	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	is(sim_calls("cuGraphKernelNodeGetParams_v2"), 0, "a copy is no kernel");
	must(cuGraphExecDestroy(exec));
	must(cuGraphDestroy(graph));
}

static void lookups(void)
{
	void *libcuda = dlopen("libcuda.so.1", RTLD_NOW), *found;
	__typeof__(&cuGetProcAddress_v2) lookup;

	sim_log_start();
	lookup = (__typeof__(lookup))dlsym(libcuda, "cuGetProcAddress_v2");
	found = dlsym(libcuda, "cuMemsetD8Async");
	end_of_log();
	if (!found || !lookup)
		bail("dlsym finds no hooks");
	is(count, 0, "and calls no driver function");
	LOGGED(lookup("cuMemsetD8Async", &found, 12000, 0, NULL));
	only("cuGetProcAddress_v2", "a lookup");
}

int main(void)
{
	CUstream other;
	CUgraph graph;

	if (!drv_is_sim())
		skip_all("needs the simulated driver");
	drv_start();
	stream = drv_stream();
	other = drv_stream();
	memory = drv_alloc(256);
	lookups();
	each_kind(only, "no capture has begun yet");
	LOGGED(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	allowed("cuStreamBeginCapture_v2", "the begin of a capture");
	first_in_capture();
	each_kind(kernel_only, "captured");
	errno_is_kept();
	LOGGED(cuMemsetD8Async(memory, 1, 64, other));
	allowed("cuMemsetD8Async", "a memset beside the capture");
	is(calls_of("cuMemsetD8Async"), 1, "which is the driver's own");
	is(calls_of("cuLaunchKernel"), 0, "and launches nothing");
	LOGGED(cuStreamEndCapture(stream, &graph));
	allowed("cuStreamEndCapture", "the end of a capture");
	is(calls_of("cuStreamEndCapture"), 1, "which is the driver's own");
	each_kind(only, "after the capture");
	many_of_its_own();
	copies_only();
	invalidated_with_memory();
	invalidated();
	left_to_the_driver();
	return done();
}
