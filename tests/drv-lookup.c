/* SPDX-License-Identifier: MIT */
/*
 * cuGetProcAddress, either version, answers what the driver's own answers to any name,
 * version and flags, but for the hook in the place of a hooked function; and each hook
 * does what the function does that the driver would have given.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "drv.h"

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

static void *libcuda;

/* The hook for the driver's function of this name, by the plainest way. */
static void *hook_of(const char *name)
{
	return dlsym(libcuda, name);
}

/* --- cuGetProcAddress ------------------------------------------------------------- */

typedef CUresult (*lookup_fn)(const char *, void **, int, cuuint64_t);
typedef CUresult (*lookup2_fn)(const char *, void **, int, cuuint64_t,
                               CUdriverProcAddressQueryResult *);

/*
 * The hook whose driver function stands at this address, or the address itself, as it
 * is after a call that failed.
 */
static void *translated(void *own, CUresult result)
{
	size_t i;

	if (result != CUDA_SUCCESS)
		return own;

	for (i = 0; own && i < COUNT(hooked); i++)
		if (drv_own(hooked[i]) == own)
			return hook_of(hooked[i]);
	return own;
}

static int same_v2(lookup2_fn ours, lookup2_fn theirs, const char *name, int version,
                   cuuint64_t flags)
{
	/* The same marks: what is left alone has to be left alone. */
	CUdriverProcAddressQueryResult status = (CUdriverProcAddressQueryResult)55,
	                               wanted_status = status;
	void *found = drv_own("cuMemsetD8Async"), *wanted = found;
	CUresult result, wanted_result;

	wanted_result = theirs(name, &wanted, version, flags, &wanted_status);
	errno = 77;
	result = ours(name, &found, version, flags, &status);
	if (result == wanted_result && status == wanted_status && errno == 77 &&
	    found == translated(wanted, result) &&
	    ours(name, &found, version, flags, NULL) == wanted_result &&
	    found == translated(wanted, result))
		return 1;
	printf("# %s at %d, flags %llu: result %d (%d), status %d (%d), %p (%p)\n",
	       name ? name : "NULL", version, (unsigned long long)flags, (int)result,
	       (int)wanted_result, (int)status, (int)wanted_status, found, wanted);
	return 0;
}

static int same_v1(lookup_fn ours, lookup_fn theirs, const char *name, int version,
                   cuuint64_t flags)
{
	void *found = drv_own("cuMemsetD8Async"), *wanted = found;
	CUresult wanted_result = theirs(name, &wanted, version, flags);
	CUresult result = ours(name, &found, version, flags);

	if (result == wanted_result && found == translated(wanted, result))
		return 1;
	printf("# v1 %s at %d, flags %llu: result %d (%d), %p (%p)\n",
	       name ? name : "NULL", version, (unsigned long long)flags, (int)result,
	       (int)wanted_result, found, wanted);
	return 0;
}

static const char *const asked[] = {"cuMemsetD8Async",
                                    "cuMemsetD16Async",
                                    "cuMemsetD32Async",
                                    "cuMemsetD2D8Async",
                                    "cuMemsetD2D16Async",
                                    "cuMemsetD2D32Async",
                                    "cuStreamBeginCapture",
                                    "cuStreamEndCapture",
                                    "cuStreamBeginCaptureToGraph",
                                    "cuGetProcAddress",
                                    "cuGetProcAddress_v2",
                                    "cuMemsetD8Async_ptsz",
                                    "cuMemAlloc",
                                    "cuMemsetD8",
                                    "cuGraphLaunch",
                                    "cuLaunchKernel",
                                    "cuStreamIsCapturing",
                                    "cuCtxCreate",
                                    "cuNoSuchFunction",
                                    "cudnnCreate",
                                    "cublasCreate_v2",
                                    "cuda",
                                    "cu",
                                    ""};

static void compare(const char *when)
{
	static const int versions[] = {0,     2000,  3020,  7000,  10000, 10010,
	                               11030, 12000, 12030, 13000, 99000, -1};
	static const cuuint64_t flags[] = {0, 1, 2, 3, 4, (cuuint64_t)1 << 40};
	lookup_fn v1 = (lookup_fn)dlsym(libcuda, "cuGetProcAddress");
	lookup2_fn v2 = (lookup2_fn)dlsym(libcuda, "cuGetProcAddress_v2");
	lookup_fn own1 = (lookup_fn)drv_own("cuGetProcAddress");
	lookup2_fn own2 = (lookup2_fn)drv_own("cuGetProcAddress_v2");
	size_t i, k, l;

	ok((void *)v1 != (void *)own1 && (void *)v2 != (void *)own2,
	   "%s: the two lookups compared are different ones", when);
	for (i = 0; i < COUNT(asked); i++) {
		int good1 = 1, good2 = 1;

		for (k = 0; k < COUNT(versions); k++)
			for (l = 0; l < COUNT(flags); l++) {
				good1 &=
				    same_v1(v1, own1, asked[i], versions[k], flags[l]);
				good2 &=
				    same_v2(v2, own2, asked[i], versions[k], flags[l]);
			}
		ok(good1, "%s: cuGetProcAddress \"%s\" as the driver answers", when,
		   asked[i]);
		ok(good2, "%s: cuGetProcAddress_v2 \"%s\" as the driver answers", when,
		   asked[i]);
	}
}

/* With null arguments; in a child each, should the driver itself not survive it. */
static int null_arguments(void *arg)
{
	lookup2_fn f = (lookup2_fn)arg;
	CUdriverProcAddressQueryResult status = (CUdriverProcAddressQueryResult)55;
	void *found = NULL;
	int results;

	results = (int)f("cuMemsetD8Async", NULL, 12000, 0, &status) & 15;
	results += ((int)f(NULL, &found, 12000, 0, NULL) & 15) << 4;
	return results;
}

static void nulls(void)
{
	int native = drv_child(null_arguments, drv_own("cuGetProcAddress_v2"));
	int shimmed = drv_child(null_arguments, dlsym(libcuda, "cuGetProcAddress_v2"));

	is(shimmed, native, "null arguments end as in the driver (%#x)",
	   (unsigned)native);
}

/* Lookups found by lookups answer with hooks, too. */
static void recursion(void)
{
	lookup2_fn v2 = (lookup2_fn)dlsym(libcuda, "cuGetProcAddress_v2");
	void *hook = hook_of("cuMemsetD8Async");
	lookup_fn old;
	void *found;
	int depth;

	for (depth = 1; depth <= 3; depth++) {
		found = NULL;
		must(v2("cuGetProcAddress", &found, 12000, 0, NULL));
		v2 = (lookup2_fn)found;
		must(v2("cuMemsetD8Async", &found, 12000, 0, NULL));
		ok(found == hook, "cuGetProcAddress by itself, %d deep: a hook", depth);
	}
	must(v2("cuGetProcAddress", &found, 11030, 0, NULL));
	old = (lookup_fn)found;
	ok((void *)old == hook_of("cuGetProcAddress"), "the older form is a hook");
	found = NULL;
	must(old("cuMemsetD8Async", &found, 11030, 0));
	ok(found == hook, "and finds a hook");
	must(old("cuGetProcAddress", &found, 11030, 0));
	ok(found == (void *)old, "and itself");
}

/* --- what is found is the right one, by what it does ------------------------------ */

static void *get(const char *name, int version, cuuint64_t flags)
{
	lookup2_fn v2 = (lookup2_fn)dlsym(libcuda, "cuGetProcAddress_v2");
	void *found = NULL;

	must(v2(name, &found, version, flags, NULL));
	return found;
}

/* The thread's stream captures; a stream of 0 is it, or the legacy one, by the hook. */
static void default_streams(CUdeviceptr p)
{
	static const struct {
		cuuint64_t flags;
		int version, twin;
	} all[] = {{0, 3020, 0}, {1, 12000, 0}, {2, 12000, 1}, {2, 7000, 1}};
	size_t i;

	for (i = 0; i < COUNT(all); i++) {
		__typeof__(&cuMemsetD8Async) set = (__typeof__(set))get(
		    "cuMemsetD8Async", all[i].version, all[i].flags);
		CUgraph graph = NULL;
		CUresult result, end;

		must(cuStreamBeginCapture(CU_STREAM_PER_THREAD,
		                          CU_STREAM_CAPTURE_MODE_RELAXED));
		result = set(p, 1, 64, NULL);
		end = cuStreamEndCapture(CU_STREAM_PER_THREAD, &graph);
		if (all[i].twin)
			ok(result == CUDA_SUCCESS && end == CUDA_SUCCESS &&
			       drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL) == 1,
			   "cuMemsetD8Async at %d, flags %d: the thread's stream",
			   all[i].version, (int)all[i].flags);
		else
			ok(result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
			   "cuMemsetD8Async at %d, flags %d: the legacy stream",
			   all[i].version, (int)all[i].flags);
		if (graph)
			must(cuGraphDestroy(graph));
	}
}

static void old_and_new_begin(CUstream stream, CUdeviceptr p)
{
	CUresult (*begin)(CUstream), (*begin2)(CUstream, CUstreamCaptureMode);
	int newer;

	*(void **)&begin = get("cuStreamBeginCapture", 10000, 0);
	*(void **)&begin2 = get("cuStreamBeginCapture", 10010, 0);
	for (newer = 0; newer < 2; newer++) {
		CUgraph graph;

		must(newer ? begin2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
		           : begin(stream));
		must(cuMemsetD8Async(p, 1, 64, stream));
		must(cuStreamEndCapture(stream, &graph));
		is(drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL), 1,
		   "cuStreamBeginCapture at %d begins a capture of kernels",
		   newer ? 10010 : 10000);
		must(cuGraphDestroy(graph));
	}
}

/* --- over and over ---------------------------------------------------------------- */

static void *look_often(void *arg)
{
	lookup2_fn v2 = (lookup2_fn)dlsym(libcuda, "cuGetProcAddress_v2");
	void *hook = hook_of("cuMemsetD8Async"), *own = drv_own("cuMemAlloc_v2");
	int *wrong = arg, i;

	for (i = 0; i < 10000; i++) {
		void *found = NULL;

		*wrong += v2("cuMemsetD8Async", &found, 12000, 0, NULL) != CUDA_SUCCESS;
		*wrong += found != hook;
		*wrong += v2("cuMemAlloc", &found, 12000, 0, NULL) != CUDA_SUCCESS;
		*wrong += found != own;
	}
	return NULL;
}

static void often(void)
{
	pthread_t threads[8];
	int wrong[8] = {0}, i, sum = 0;

	for (i = 0; i < 8; i++)
		if (pthread_create(&threads[i], NULL, look_often, &wrong[i]))
			bail("no thread");
	for (i = 0; i < 8; i++) {
		pthread_join(threads[i], NULL);
		sum += wrong[i];
	}
	is(sum, 0, "8 threads look up 10000 times the same and find the same");
}

int main(void)
{
	CUdeviceptr p;

	libcuda = dlopen("libcuda.so.1", RTLD_NOW);
	if (!libcuda)
		bail("no libcuda.so.1");
	nulls();
	compare("before cuInit");
	drv_start();
	compare("after cuInit");
	recursion();
	p = drv_alloc(64);
	default_streams(p);
	old_and_new_begin(drv_stream(), p);
	often();
	return done();
}
