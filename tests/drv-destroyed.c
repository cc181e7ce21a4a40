/* SPDX-License-Identifier: MIT */
/*
 * On a stream that was destroyed, alone, beside a capture or in the middle of its own,
 * each hooked function ends as the driver's does: same result, or same signal.
 */
#include <string.h>

#include "drv.h"

enum when { ALONE, BESIDE_A_CAPTURE, IN_ITS_CAPTURE, WHENS };

static const char *const whens[WHENS] = {"a destroyed stream", "beside a capture",
                                         "destroyed in its capture"};

static const char *const functions[] = {"cuMemsetD8Async",
                                        "cuMemsetD8Async_ptsz",
                                        "cuMemsetD2D32Async",
                                        "cuMemsetD2D32Async_ptsz",
                                        "cuStreamBeginCapture_v2",
                                        "cuStreamBeginCapture_v2_ptsz",
                                        "cuStreamBeginCaptureToGraph",
                                        "cuStreamEndCapture",
                                        "cuStreamEndCapture_ptsz"};

struct attempt {
	const char *name;
	enum when when;
	int own; /* the driver's own function rather than the hook */
};

#define AS(function, pointer) ((__typeof__(&function))(pointer))

static CUresult call(const char *name, void *f, CUdeviceptr at, CUstream s)
{
	CUgraph graph = NULL;

	if (strstr(name, "D8"))
		return AS(cuMemsetD8Async, f)(at, 1, 64, s);
	if (strstr(name, "D2D32"))
		return AS(cuMemsetD2D32Async, f)(at, 64, 1, 4, 4, s);
	if (strstr(name, "ToGraph")) {
		must(cuGraphCreate(&graph, 0));
		return AS(cuStreamBeginCaptureToGraph,
		          f)(s, graph, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_GLOBAL);
	}
	if (strstr(name, "Begin"))
		return AS(cuStreamBeginCapture, f)(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
	return AS(cuStreamEndCapture, f)(s, &graph);
}

/* What the call says, below 99, and 100 more when the capture beside it has suffered.
 */
static int try_it(void *arg)
{
	const struct attempt *a = arg;
	CUstream stream, other;
	CUdeviceptr at;
	CUgraph graph;
	CUresult result, end = CUDA_SUCCESS;
	void *f;

	drv_start();
	at = drv_alloc(1024);
	stream = drv_stream();
	other = drv_stream();
	f = a->own ? drv_own(a->name) : drv_entry(a->name);
	if (!f)
		return 99;
	if (a->when == IN_ITS_CAPTURE)
		must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	must(cuStreamDestroy(stream));
	if (a->when == BESIDE_A_CAPTURE)
		must(cuStreamBeginCapture(other, CU_STREAM_CAPTURE_MODE_RELAXED));
	result = call(a->name, f, at, stream);
	if (a->when == BESIDE_A_CAPTURE) {
		must(cuMemsetD8Async(at, 1, 64, other));
		end = cuStreamEndCapture(other, &graph);
	}
	return (int)result % 99 + 100 * (end != CUDA_SUCCESS);
}

/* A handle like any other: the next stream may get it again. */
static int goes_on(void *arg)
{
	struct drv_set m = {.elem = 1, .value = 0x42, .width = 64};
	struct drv_outcome o;
	CUstream stream;
	unsigned char byte = 0;
	CUgraph graph;
	int i;

	(void)arg;
	drv_start();
	m.dst = drv_alloc(64);
	for (i = 0; i < 20; i++) {
		stream = drv_stream();
		must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
		must(cuMemsetD8Async(m.dst, 1, 64, stream));
		must(cuStreamDestroy(stream));
		stream = drv_stream();
		graph = drv_capture(&m, stream, &o);
		if (!holds(graph && o.nodes == 1) ||
		    !holds(drv_replay(graph, stream, 1) == CUDA_SUCCESS))
			return 1;
		drv_read(&byte, m.dst, 1);
		if (!holds(byte == 0x42))
			return 1;
		/* Eager again, whatever the count of captures says. */
		must(cuMemsetD8Async(m.dst, 0x43, 64, stream));
		must(cuStreamSynchronize(stream));
		drv_read(&byte, m.dst, 1);
		if (!holds(byte == 0x43))
			return 1;
		must(cuStreamDestroy(stream));
	}
	return 0;
}

int main(void)
{
	size_t i;
	int when;

	drv_need_gpu();
	for (when = 0; when < WHENS; when++)
		for (i = 0; i < sizeof functions / sizeof *functions; i++) {
			struct attempt a = {
			    .name = functions[i], .when = (enum when)when, .own = 1};
			int native = drv_child(try_it, &a);

			a.own = 0;
			is(drv_child(try_it, &a), native, "%s, %s: as the driver (%d)",
			   a.name, whens[when], native);
		}
	is(drv_child(goes_on, NULL), 0, "after each, captures and memsets work");
	return done();
}
