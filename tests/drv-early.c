/* SPDX-License-Identifier: MIT */
/*
 * Before cuInit every hooked function gives the driver's own error, in a process that
 * has called nothing else; afterwards all works as if nobody had tried.
 */
#include <dlfcn.h>
#include <string.h>

#include "drv.h"

/* The functions as linked: for the shim these may be the first calls of all. */
static CUresult by_name(const char *name, void *f)
{
	CUgraph graph = NULL;

	if (strstr(name, "BeginCaptureToGraph"))
		return ((__typeof__(&cuStreamBeginCaptureToGraph))f)(
		    NULL, NULL, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_GLOBAL);
	if (strstr(name, "BeginCapture_v2"))
		return ((CUresult(*)(CUstream, CUstreamCaptureMode))f)(
		    NULL, CU_STREAM_CAPTURE_MODE_GLOBAL);
	if (strstr(name, "BeginCapture"))
		return ((CUresult(*)(CUstream))f)(NULL);
	return ((__typeof__(&cuStreamEndCapture))f)(NULL, &graph);
}

static const char *const captures[] = {
    "cuStreamBeginCapture",        "cuStreamBeginCapture_ptsz",
    "cuStreamBeginCapture_v2",     "cuStreamBeginCapture_v2_ptsz",
    "cuStreamBeginCaptureToGraph", "cuStreamBeginCaptureToGraph_ptsz",
    "cuStreamEndCapture",          "cuStreamEndCapture_ptsz"};

struct call {
	int own;          /* the driver's own function rather than the hook */
	const char *name; /* or a memset */
	struct drv_set memset;
};

/* A process that makes this one call, and exits with 100 less than its result. */
static int one_call(void *arg)
{
	const struct call *c = arg;
	const char *name = c->name ? c->name : drv_set_name(&c->memset);
	void *f = c->own ? drv_own(name) : drv_entry(name);
	CUresult result;

	if (!f)
		return 90;
	if (c->name)
		result = by_name(name, f);
	else if (!c->own)
		result = drv_memset(&c->memset, NULL);
	else if (c->memset.rows)
		result =
		    ((__typeof__(&cuMemsetD2D32Async))f)(0x1000, 64, 1, 4, 4, NULL);
	else
		result = ((__typeof__(&cuMemsetD32Async))f)(0x1000, 1, 64, NULL);
	return (int)result % 80;
}

static void same(struct call c)
{
	const char *name = c.name ? c.name : drv_set_name(&c.memset);
	int native, shimmed;

	c.own = 1;
	native = drv_child(one_call, &c);
	c.own = 0;
	shimmed = drv_child(one_call, &c);
	is(shimmed, native, "%s: the driver's result", name);
	ok(native != 0, "%s: which is an error", name);
}

int main(void)
{
	struct call c = {.memset = {.dst = 0x1000, .value = 1}};
	struct drv_outcome o;
	CUgraph graph;
	size_t i;

	for (c.memset.elem = 1; c.memset.elem <= 4; c.memset.elem *= 2)
		for (c.memset.twin = 0; c.memset.twin < 2; c.memset.twin++) {
			c.memset.rows = 0;
			c.memset.width = 64;
			same(c);
			c.memset.rows = 1;
			c.memset.width = c.memset.height = 4;
			c.memset.pitch = 64;
			same(c);
		}
	for (i = 0; i < sizeof captures / sizeof *captures; i++)
		same((struct call){.name = captures[i]});

	/* In this process, too, and then in earnest. */
	ok(cuMemsetD8Async(0x1000, 1, 64, NULL) != CUDA_SUCCESS, "no memset yet");
	ok(cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL) != CUDA_SUCCESS,
	   "no capture yet");
	drv_start();
	c.memset = (struct drv_set){.elem = 4, .dst = drv_alloc(256), .width = 64};
	graph = drv_capture(&c.memset, drv_stream(), &o);
	ok(graph && o.nodes == 1 && o.kernels == 1, "after cuInit: a kernel");
	return done();
}
