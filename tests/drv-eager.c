/* SPDX-License-Identifier: MIT */
/*
 * A memset outside capture is the driver's own: its result, its effect, for good and
 * for bad arguments, also while another stream captures, which does not notice.
 */
#include <string.h>

#include "drv.h"

#define SIZE 16384u

static CUstream stream, capturing;
static CUdeviceptr memory;
static unsigned char got[SIZE], want[SIZE];

/* The call with the shim off and on: the same result, and the memory is set, or not. */
static void both(const struct drv_set *m, const char *what)
{
	CUresult results[2];
	int on, right[2];

	for (on = 0; on < 2; on++) {
		drv_dirty(want, SIZE, 3);
		drv_write(memory, want, SIZE);
		drv_shim(on);
		results[on] = drv_memset(m, stream);
		must(cuStreamSynchronize(stream));
		if (results[on] == CUDA_SUCCESS && drv_span(m))
			drv_apply(m, want, memory);
		drv_read(got, memory, SIZE);
		right[on] = !memcmp(got, want, SIZE);
	}
	drv_shim(1);
	ok(right[0] && right[1], "%s, %s: bytes", drv_set_name(m), what);
	is(results[1], results[0], "%s, %s: result", drv_set_name(m), what);
}

/* Every kind; none of these may fail silently. */
static void each_kind(const char *when)
{
	struct drv_set m = {.dst = memory + 64,
	                    .value = 0xd1a2b3c4,
	                    .width = 37,
	                    .height = 5,
	                    .pitch = 256};

	for (m.elem = 1; m.elem <= 4; m.elem *= 2)
		for (m.rows = 0; m.rows < 2; m.rows++)
			for (m.twin = 0; m.twin < 2; m.twin++) {
				both(&m, when);
				is(drv_memset(&m, stream), CUDA_SUCCESS,
				   "%s, %s: succeeds", drv_set_name(&m), when);
			}
}

static void refused(struct drv_set m, CUresult result, const char *what)
{
	for (m.twin = 0; m.twin < 2; m.twin++) {
		both(&m, what);
		is(drv_memset(&m, stream), result, "%s, %s: as the driver does",
		   drv_set_name(&m), what);
	}
}

static void bad_arguments(void)
{
	const CUresult bad = CUDA_ERROR_INVALID_VALUE;

	refused((struct drv_set){.elem = 1, .width = 64}, bad, "null");
	refused((struct drv_set){.elem = 1, .dst = 0x10000, .width = 64}, bad,
	        "bogus address");
	refused((struct drv_set){.elem = 2, .dst = memory + 1, .width = 4}, bad,
	        "misaligned");
	refused((struct drv_set){.elem = 4, .dst = memory + 2, .width = 4}, bad,
	        "misaligned");
	refused((struct drv_set){.elem = 4, .dst = memory, .width = SIZE / 4 + 1}, bad,
	        "past the end");
	refused((struct drv_set){.rows = 1,
	                         .elem = 1,
	                         .dst = memory,
	                         .width = 65,
	                         .height = 2,
	                         .pitch = 64},
	        bad, "pitch < width");
	refused((struct drv_set){.elem = 1, .dst = 0, .width = 0}, CUDA_SUCCESS,
	        "no bytes at null");
	refused((struct drv_set){.rows = 1, .elem = 4, .dst = memory, .pitch = 64},
	        CUDA_SUCCESS, "no rows");
}

/* On `stream`, while `capturing` captures; all looking at memory waits for the end. */
static void beside_a_capture(CUstreamCaptureMode mode, const char *name)
{
	const struct drv_set m = {
	    .elem = 2, .dst = memory + 32, .value = 0x7788, .width = 100};
	const struct drv_set null = {.elem = 4, .width = 100};
	CUgraph graph = NULL;
	int on;

	for (on = 0; on < 2; on++) {
		const char *arm = on ? "shimmed" : "native";

		drv_dirty(want, SIZE, 4);
		drv_write(memory, want, SIZE);
		drv_shim(on);
		must(cuStreamBeginCapture(capturing, mode));
		is(drv_memset(&m, stream), CUDA_SUCCESS,
		   "beside a %s capture: success (%s)", name, arm);
		is(drv_memset(&null, stream), CUDA_ERROR_INVALID_VALUE,
		   "beside a %s capture at null: refused (%s)", name, arm);
		is(cuStreamEndCapture(capturing, &graph), CUDA_SUCCESS,
		   "the capture ends well (%s)", arm);
		drv_shim(1);
		if (graph) {
			is(drv_nodes(graph), 0, "and is empty (%s)", arm);
			must(cuGraphDestroy(graph));
		}
		must(cuStreamSynchronize(stream));
		drv_apply(&m, want, memory);
		drv_read(got, memory, SIZE);
		ok(!memcmp(got, want, SIZE), "the memory is set (%s)", arm);
	}
}

int main(void)
{
	CUgraph graph;

	drv_start();
	ok(drv_shim(1) >= 0, "the shim is loaded");
	stream = drv_stream();
	capturing = drv_stream();
	memory = drv_alloc(SIZE);
	each_kind("before any capture");
	bad_arguments();
	beside_a_capture(CU_STREAM_CAPTURE_MODE_GLOBAL, "global");
	beside_a_capture(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, "thread-local");
	beside_a_capture(CU_STREAM_CAPTURE_MODE_RELAXED, "relaxed");
	/* The same stream has captured now. */
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	must(cuMemsetD8Async(memory, 1, 64, stream));
	must(cuStreamEndCapture(stream, &graph));
	must(cuGraphDestroy(graph));
	each_kind("after a capture");
	bad_arguments();
	return done();
}
