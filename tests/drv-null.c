/* SPDX-License-Identifier: MIT */
/*
 * With a null pointer where a result belongs, an unknown name, a version of the future
 * or flags that nobody knows, each hook that has such a parameter ends as the driver's
 * function does, before cuInit and after, and what comes next works.
 */
#include <string.h>

#include "drv.h"

typedef CUresult (*lookup_fn)(const char *, void **, int, cuuint64_t);
typedef CUresult (*lookup2_fn)(const char *, void **, int, cuuint64_t,
                               CUdriverProcAddressQueryResult *);

static const char *const names[] = {"cuMemsetD8Async",
                                    "cuMemAlloc",
                                    "cuGetProcAddress",
                                    "cuStreamBeginCapture",
                                    "cuNoSuchFunction",
                                    "",
                                    NULL};

struct attempt {
	int own, started, second; /* cuGetProcAddress_v2 */
	int null_function, null_status;
	int version;
	cuuint64_t flags;
	const char *name;
};

static void *entry(int own, const char *name)
{
	return own ? drv_own(name) : drv_entry(name);
}

/* The result and, above it, whether what the pointers show has changed. */
static int look_up(void *arg)
{
	const struct attempt *a = arg;
	CUdriverProcAddressQueryResult mark = (CUdriverProcAddressQueryResult)55;
	CUdriverProcAddressQueryResult status = mark;
	void *found = &mark, **function = a->null_function ? NULL : &found;
	CUresult result;
	void *f = entry(a->own, a->second ? "cuGetProcAddress_v2" : "cuGetProcAddress");

	if (!f)
		return 127;
	if (a->started)
		drv_start();
	if (a->second)
		result = ((lookup2_fn)f)(a->name, function, a->version, a->flags,
		                         a->null_status ? NULL : &status);
	else
		result = ((lookup_fn)f)(a->name, function, a->version, a->flags);
	/* 1, 500 and the like: what tells them apart and leaves room. */
	return (int)result % 31 + 32 * (found == NULL) + 64 * (found == &mark) +
	       128 * (status != mark && status != CU_GET_PROC_ADDRESS_SUCCESS);
}

static void lookups(int started, int version, cuuint64_t flags)
{
	struct attempt a = {.started = started, .version = version, .flags = flags};
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++) {
		int good = 1, kind;

		a.name = names[i];
		/* v2's null function, v2's null status, both; the older one's. */
		for (kind = 0; kind < 4 && good; kind++) {
			int native, shimmed;

			a.second = kind < 3;
			a.null_function = kind != 1;
			a.null_status = kind == 1 || kind == 2;
			a.own = 1;
			native = drv_child(look_up, &a);
			a.own = 0;
			shimmed = drv_child(look_up, &a);
			good = shimmed == native;
			if (!good)
				printf("# kind %d: got %#x, wanted %#x\n", kind,
				       (unsigned int)shimmed, (unsigned int)native);
		}
		ok(good, "%s, version %d, flags %#llx, %s cuInit: as the driver",
		   a.name ? a.name : "no name", version, (unsigned long long)flags,
		   started ? "after" : "before");
	}
}

/* --- captures --------------------------------------------------------------------- */

static const char *const wrongs[] = {"end without a graph", "begin in no known mode",
                                     "begin to no graph",
                                     "begin with a null array of nodes"};

struct wrong {
	int own, which;
};

#define AS(function, pointer) ((__typeof__(&function))(pointer))

static CUresult do_wrong(const struct wrong *w, CUstream s)
{
	void *begin = entry(w->own, "cuStreamBeginCapture_v2");
	void *to_graph = entry(w->own, "cuStreamBeginCaptureToGraph");
	CUgraph graph = NULL;

	switch (w->which) {
	case 0:
		must(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
		return AS(cuStreamEndCapture,
		          entry(w->own, "cuStreamEndCapture"))(s, NULL);
	case 1:
		return AS(cuStreamBeginCapture, begin)(s, (CUstreamCaptureMode)77);
	case 2:
		break;
	default:
		must(cuGraphCreate(&graph, 0));
	}
	if (!to_graph)
		return CUDA_ERROR_NOT_FOUND;
	return AS(cuStreamBeginCaptureToGraph, to_graph)(
	    s, graph, NULL, NULL, graph != NULL, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

static int capture_wrong(void *arg)
{
	struct drv_set m = {.elem = 1, .value = 0x42, .width = 64};
	struct drv_outcome o;
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
	CUstream stream;
	CUresult result;

	drv_start();
	m.dst = drv_alloc(64);
	stream = drv_stream();
	result = do_wrong(arg, stream);
	must(cuStreamIsCapturing(stream, &status));
	/* Another stream's capture must not suffer. */
	drv_capture(&m, drv_stream(), &o);
	if (!holds(o.call == CUDA_SUCCESS && o.end == CUDA_SUCCESS && o.nodes == 1))
		return 127;
	return (int)result % 31 + 32 * (int)status;
}

int main(void)
{
	struct wrong w;

	drv_need_gpu();
	lookups(0, 12000, 0);
	lookups(0, 99000, (cuuint64_t)1 << 40);
	lookups(1, 99000, (cuuint64_t)1 << 40);
	for (w.which = 0; w.which < 4; w.which++) {
		int native;

		w.own = 1;
		native = drv_child(capture_wrong, &w);
		w.own = 0;
		is(drv_child(capture_wrong, &w), native, "%s: as the driver",
		   wrongs[w.which]);
		ok((native & 31) != 0 || native >= 128, "%s: which objects",
		   wrongs[w.which]);
	}
	return done();
}
