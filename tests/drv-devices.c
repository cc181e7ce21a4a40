/* SPDX-License-Identifier: MIT */
/*
 * Every device of the machine, its primary context, a further one and a green one:
 * memsets are fills in each of them, in one capture over two devices, and again after
 * a context with the kernels in it has been destroyed or reset.
 */
#include <string.h>

#include "drv_arms.h"

static CUresult (*create)(CUcontext *, unsigned int, CUdevice);

static CUgraph captured(struct arm *a)
{
	arm_begin(a, CU_STREAM_CAPTURE_MODE_GLOBAL);
	arm_set(a, 64, 0x11, 100);
	arm_note(a, cuMemsetD32Async(a->memory + 256, 0x01020304, 1200, a->stream));
	arm_note(a, cuMemsetD2D16Async(a->memory + 6000, 64, 0x0506, 20, 3, a->stream));
	must(drv_launch_copy(a->memory + 7000, a->memory + 64, 700, a->stream, 0));
	return arm_end(a);
}

static CUgraph added(struct arm *a)
{
	CUgraphNode node;
	CUgraph graph;

	must(cuGraphCreate(&graph, 0));
	node = arm_add(a, graph, NULL, 0, 64, 0x21, 4097);
	arm_note_set(a, node);
	node = arm_add(a, graph, &node, 1, 100, 0x22, 16);
	arm_note_set(a, node);
	return graph;
}

static void *current(void)
{
	CUcontext ctx;

	must(cuCtxGetCurrent(&ctx));
	return ctx;
}

/* With the context current, another one, or none. */
static void in_context(const char *where, CUcontext ctx)
{
	CUcontext was = current();
	char what[96];
	CUdeviceptr memory;
	CUstream stream;

	must(cuCtxPushCurrent(ctx));
	stream = drv_stream();
	memory = drv_alloc(ARM_ROOM);
	snprintf(what, sizeof what, "%s, captured", where);
	arms_in(what, captured, 0, ctx, stream, memory);
	snprintf(what, sizeof what, "%s, added", where);
	arms_in(what, added, 0, ctx, stream, memory);
	must(cuCtxPopCurrent(NULL));
	snprintf(what, sizeof what, "%s, another current, captured", where);
	arms_in(what, captured, 0, ctx, stream, memory);
	snprintf(what, sizeof what, "%s, another current, added", where);
	arms_in(what, added, 0, ctx, stream, memory);
	ok(current() == was, "%s: the context is kept", where);
	must(cuCtxPushCurrent(ctx));
	must(cuStreamDestroy(stream));
	must(cuMemFree(memory));
	must(cuCtxPopCurrent(NULL));
}

/* Two contexts, of which the first goes before the second comes. */
static void further_contexts(int device)
{
	CUcontext ctx;
	char where[64];
	int i;

	for (i = 0; i < 2; i++) {
		must(create(&ctx, 0, device));
		must(cuCtxPopCurrent(NULL));
		snprintf(where, sizeof where, "device %d, further context %d", device,
		         i + 1);
		in_context(where, ctx);
		must(cuCtxDestroy(ctx));
	}
}

/*
 * With the kernels in it.  Not the first device's: what this test has itself would go
 * with it.  Whether the references go too is left open.
 */
static void reset(int device)
{
	CUcontext ctx;
	char where[64];

	snprintf(where, sizeof where, "device %d, after a reset", device);
	must(cuDevicePrimaryCtxReset(device));
	must(cuDevicePrimaryCtxRetain(&ctx, device));
	in_context(where, ctx);
	cuDevicePrimaryCtxRelease(device);
}

/* --- one capture over two devices ----------------------------------------------------
 */

static CUcontext there;
static CUstream far_stream;
static CUdeviceptr far_memory;

static CUevent event_of(CUcontext ctx)
{
	CUevent event;

	must(cuCtxPushCurrent(ctx));
	must(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	must(cuCtxPopCurrent(NULL));
	return event;
}

/* Here, over there and here again, each device's memset behind the other's. */
static CUgraph over_two(struct arm *a)
{
	CUevent go = event_of(a->ctx), back = event_of(there);
	unsigned char got[64] = {0};
	CUgraphExec exec;
	CUgraph graph;
	size_t i, good = 0;

	must(cuCtxPushCurrent(there));
	drv_write(far_memory, got, sizeof got);
	must(cuCtxPopCurrent(NULL));
	arm_begin(a, CU_STREAM_CAPTURE_MODE_GLOBAL);
	arm_set(a, 64, 0x31, 100);
	arm_note(a, cuEventRecord(go, a->stream));
	arm_note(a, cuStreamWaitEvent(far_stream, go, 0));
	arm_note(a, cuMemsetD8Async(far_memory, 0x32, sizeof got, far_stream));
	arm_note(a, cuEventRecord(back, far_stream));
	arm_note(a, cuStreamWaitEvent(a->stream, back, 0));
	arm_set(a, 100, 0x33, 100);
	graph = arm_end(a);
	arm_note(a, cuGraphInstantiateWithFlags(&exec, graph, 0));
	arm_launch(a, exec);
	must(cuGraphExecDestroy(exec));
	must(cuCtxPushCurrent(there));
	drv_read(got, far_memory, sizeof got);
	must(cuCtxPopCurrent(NULL));
	for (i = 0; i < sizeof got; i++)
		good += got[i] == 0x32;
	arm_note(a, good);
	must(cuEventDestroy(go));
	must(cuEventDestroy(back));
	return graph;
}

static void two_devices(int device)
{
	char what[64];

	must(cuDevicePrimaryCtxRetain(&there, device));
	must(cuCtxPushCurrent(there));
	far_stream = drv_stream();
	far_memory = drv_alloc(64);
	must(cuCtxPopCurrent(NULL));
	snprintf(what, sizeof what, "a capture over devices 0 and %d", device);
	arms(what, over_two, 0);
	must(cuCtxPushCurrent(there));
	must(cuStreamDestroy(far_stream));
	must(cuMemFree(far_memory));
	must(cuCtxPopCurrent(NULL));
	must(cuDevicePrimaryCtxRelease(device));
}

/* --- green contexts ------------------------------------------------------------------
 */

static CUresult (*resource)(CUdevice, CUdevResource *, CUdevResourceType);
static CUresult (*split)(CUdevResource *, unsigned int *, const CUdevResource *,
                         CUdevResource *, unsigned int, unsigned int);
static CUresult (*describe)(CUdevResourceDesc *, CUdevResource *, unsigned int);
static CUresult (*green_create)(CUgreenCtx *, CUdevResourceDesc, CUdevice,
                                unsigned int);
static CUresult (*green_destroy)(CUgreenCtx);
static CUresult (*context_of)(CUcontext *, CUgreenCtx);
static CUresult (*green_stream)(CUstream *, CUgreenCtx, unsigned int, int);

static int find_green(void)
{
	*(void **)&resource = drv_entry("cuDeviceGetDevResource");
	*(void **)&split = drv_entry("cuDevSmResourceSplitByCount");
	*(void **)&describe = drv_entry("cuDevResourceGenerateDesc");
	*(void **)&green_create = drv_entry("cuGreenCtxCreate");
	*(void **)&green_destroy = drv_entry("cuGreenCtxDestroy");
	*(void **)&context_of = drv_entry("cuCtxFromGreenCtx");
	*(void **)&green_stream = drv_entry("cuGreenCtxStreamCreate");
	return resource && split && describe && green_create && green_destroy &&
	       context_of && green_stream;
}

/* A part of the device's processors; how many memsets are fills is the driver's. */
static void green(int device, CUgreenCtx context)
{
	static CUgraph (*const scenarios[])(struct arm *) = {captured, added};
	CUdeviceptr memory;
	CUstream stream;
	CUcontext ctx;
	size_t i;

	must(context_of(&ctx, context));
	must(green_stream(&stream, context, CU_STREAM_NON_BLOCKING, 0));
	must(cuCtxPushCurrent(ctx));
	memory = drv_alloc(ARM_ROOM);
	for (i = 0; i < 2; i++) {
		struct arms r = arms_run(scenarios[i], 0, ctx, stream, memory);

		printf("# %zu of %zu memsets are fills\n", r.kernels, r.memsets);
		ok(r.results && r.shapes && r.bytes,
		   "device %d, a green context: as natively (%zu results)", device,
		   r.notes);
	}
	must(cuMemFree(memory));
	must(cuStreamDestroy(stream));
	must(cuCtxPopCurrent(NULL));
}

static void green_contexts(int device)
{
	CUdevResource all, part;
	CUdevResourceDesc desc;
	unsigned int one = 1;
	CUgreenCtx context;

	if (!find_green()) {
		skip("this driver has no green contexts");
		return;
	}
	if (resource(device, &all, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS ||
	    split(&part, &one, &all, NULL, 0, 8) != CUDA_SUCCESS || one != 1 ||
	    describe(&desc, &part, 1) != CUDA_SUCCESS ||
	    green_create(&context, desc, device, CU_GREEN_CTX_DEFAULT_STREAM) !=
	        CUDA_SUCCESS) {
		skip("device %d makes no green context", device);
		return;
	}
	green(device, context);
	must(green_destroy(context));
}

int main(void)
{
	int devices = 0, i;

	arms_start();
	*(void **)&create = drv_entry("cuCtxCreate_v2");
	must(cuDeviceGetCount(&devices));
	if (devices < 2)
		skip("one device here: none beside it");
	for (i = 0; i < devices; i++) {
		CUcontext ctx;
		char where[64];

		snprintf(where, sizeof where, "device %d", i);
		must(cuDevicePrimaryCtxRetain(&ctx, i));
		in_context(where, ctx);
		further_contexts(i);
		green_contexts(i);
		if (i) {
			two_devices(i);
			reset(i);
		}
		cuDevicePrimaryCtxRelease(i);
	}
	return done();
}
