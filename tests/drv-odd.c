/* SPDX-License-Identifier: MIT */
/*
 * Odd input: call, end of capture, number of nodes, instantiation, launch and bytes are
 * the driver's own, and only what is certain to be plain device memory becomes a
 * kernel.
 */
#include <string.h>

#include "drv.h"

#define SIZE 8192u

static CUstream stream;

/* What a row of the table says; CALL_FAILS: no node, INVALID_VALUE at the call. */
enum node { NO_NODE, CALL_FAILS, KERNEL, MEMSET, REFUSED_MEMSET, DONT_KNOW };

struct outcome {
	struct drv_outcome capture;
	CUresult instantiate, launch;
	int bytes_right;
};

/*
 * Launches and compares with what *m should have written; dirties the memory first.
 * A call that failed left no node that could write.
 */
static void replay(const struct drv_set *m, CUgraphExec exec, struct outcome *o)
{
	size_t n = o->capture.call == CUDA_SUCCESS ? drv_span(m) : 0;
	unsigned char *got = malloc(n + 1), *want = malloc(n + 1);

	if (!got || !want)
		bail("out of memory");
	drv_dirty(want, n, 7);
	if (n) {
		drv_write(m->dst, want, n);
		drv_apply(m, want, m->dst);
	}
	o->launch = cuGraphLaunch(exec, stream);
	if (o->launch == CUDA_SUCCESS)
		o->launch = cuStreamSynchronize(stream);
	if (n && o->launch == CUDA_SUCCESS)
		drv_read(got, m->dst, n);
	o->bytes_right = !n || !memcmp(got, want, n);
	free(got);
	free(want);
}

static struct outcome try(const struct drv_set *m, int on)
{
	struct outcome o = {.bytes_right = 1};
	CUgraphExec exec;
	CUgraph graph;

	drv_shim(on);
	graph = drv_capture(m, stream, &o.capture);
	drv_shim(1);
	if (!graph)
		return o;
	o.instantiate = cuGraphInstantiateWithFlags(&exec, graph, 0);
	if (o.instantiate == CUDA_SUCCESS) {
		replay(m, exec, &o);
		must(cuGraphExecDestroy(exec));
	}
	must(cuGraphDestroy(graph));
	return o;
}

static int same(const struct outcome *a, const struct outcome *b)
{
	return a->capture.call == b->capture.call && a->capture.end == b->capture.end &&
	       a->capture.nodes == b->capture.nodes &&
	       a->instantiate == b->instantiate && a->launch == b->launch &&
	       a->bytes_right == b->bytes_right;
}

static void show(const char *arm, const struct outcome *o)
{
	printf("# %s: call %d, end %d, kernels %zu, memsets %zu, instantiate %d, "
	       "launch %d, bytes %s\n",
	       arm, (int)o->capture.call, (int)o->capture.end, o->capture.kernels,
	       o->capture.memsets, (int)o->instantiate, (int)o->launch,
	       o->bytes_right ? "right" : "wrong");
}

/* The driver's own behaviour is the table's. */
static int native_is(const struct outcome *o, enum node node)
{
	CUresult call = node == CALL_FAILS ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
	CUresult instantiate =
	    node == REFUSED_MEMSET ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
	size_t memsets = node != NO_NODE && node != CALL_FAILS;

	return o->capture.call == call && o->capture.end == CUDA_SUCCESS &&
	       o->capture.memsets == memsets && !o->capture.kernels &&
	       o->instantiate == instantiate && o->launch == CUDA_SUCCESS &&
	       o->bytes_right;
}

static void row(const char *what, struct drv_set m, enum node node)
{
	struct outcome native, shimmed;

	m.value = m.value ? m.value : 0xb7;
	native = try(&m, 0);
	shimmed = try(&m, 1);
	if (!ok(same(&native, &shimmed), "%s: same results", what)) {
		show("native", &native);
		show("shimmed", &shimmed);
	}
	if (node == DONT_KNOW)
		return;
	if (!ok(native_is(&native, node), "%s: the driver does what the table says",
	        what))
		show("native", &native);
	is(shimmed.capture.kernels, node == KERNEL, "%s: %s", what,
	   node == KERNEL ? "a kernel" : "no kernel");
}

#define LINE(at, size, count) \
	((struct drv_set){.dst = (at), .elem = (size), .width = (count)})
#define SHAPE(at, size, w, h, p)          \
	((struct drv_set){.rows = 1,      \
	                  .dst = (at),    \
	                  .elem = (size), \
	                  .width = (w),   \
	                  .height = (h),  \
	                  .pitch = (p)})

static void counts(CUdeviceptr p)
{
	row("count 0", LINE(p, 1, 0), NO_NODE);
	row("count 0 at null", LINE(0, 1, 0), NO_NODE);
	row("count 0 at a bogus address", LINE(0x1234, 4, 0), NO_NODE);
	row("D2D width 0", SHAPE(p, 1, 0, 4, 64), NO_NODE);
	row("D2D height 0", SHAPE(p, 1, 16, 0, 64), NO_NODE);
	row("D2D height 0, pitch 0", SHAPE(p, 1, 16, 0, 0), NO_NODE);
	row("count 0, misaligned D32", LINE(p + 2, 4, 0), DONT_KNOW);
	row("D2D width 0, pitch not a multiple", SHAPE(p, 4, 0, 4, 66), DONT_KNOW);
}

static void addresses(CUdeviceptr p)
{
	CUdeviceptr freed = drv_alloc(SIZE);
	void *pageable = malloc(SIZE);

	must(cuMemFree(freed));
	row("whole allocation", LINE(p, 1, SIZE), KERNEL);
	row("last byte", LINE(p + SIZE - 1, 1, 1), KERNEL);
	row("null", LINE(0, 1, 64), REFUSED_MEMSET);
	row("bogus address", LINE(0x10000, 1, 64), REFUSED_MEMSET);
	row("end of the address space", LINE(~(CUdeviceptr)0, 1, 1), REFUSED_MEMSET);
	row("around the address space", LINE(~(CUdeviceptr)0 - 15, 1, 64), DONT_KNOW);
	row("one byte past the end", LINE(p + SIZE - 63, 1, 64), REFUSED_MEMSET);
	row("far past the end", LINE(p, 1, SIZE + ((size_t)1 << 36)), REFUSED_MEMSET);
	row("pageable memory", LINE((CUdeviceptr)(uintptr_t)pageable, 1, 64),
	    REFUSED_MEMSET);
	row("freed memory", LINE(freed, 1, 64), DONT_KNOW);
	row("more bytes than 64 bits count", LINE(p, 4, ~(size_t)0 / 4 + 17),
	    DONT_KNOW);
	/*
	 * Not more bytes than 64 bits count: with 2^60 rows this row did not come back
	 * within two minutes on driver 580.
	 */
	row("D2D far past the end", SHAPE(p, 1, 64, (size_t)1 << 40, (size_t)1 << 10),
	    REFUSED_MEMSET);
	free(pageable);
}

static void alignment(CUdeviceptr p)
{
	row("D16 at an odd address", LINE(p + 1, 2, 8), CALL_FAILS);
	row("D32 at an odd address", LINE(p + 1, 4, 8), CALL_FAILS);
	row("D32 at an even address", LINE(p + 2, 4, 8), CALL_FAILS);
	row("D2D16 at an odd address", SHAPE(p + 1, 2, 8, 2, 64), CALL_FAILS);
	row("D2D32 at an even address", SHAPE(p + 2, 4, 8, 2, 64), CALL_FAILS);
	row("D2D16, odd pitch", SHAPE(p, 2, 8, 2, 63), CALL_FAILS);
	row("D2D32, pitch not a multiple", SHAPE(p, 4, 8, 2, 66), CALL_FAILS);
	row("D32 at a multiple of 4", LINE(p + 4, 4, 8), KERNEL);
	row("D2D8, odd pitch", SHAPE(p, 1, 8, 2, 63), KERNEL);
}

static void pitches(CUdeviceptr p)
{
	row("D2D height 3, pitch < width", SHAPE(p, 1, 65, 3, 64), CALL_FAILS);
	row("D2D height 3, pitch 0", SHAPE(p, 1, 64, 3, 0), CALL_FAILS);
	row("D2D32, pitch < width in bytes only", SHAPE(p, 4, 17, 3, 64), CALL_FAILS);
	row("D2D height 1, pitch 0", SHAPE(p, 1, 64, 1, 0), KERNEL);
	row("D2D32 height 1, pitch 0", SHAPE(p, 4, 64, 1, 0), KERNEL);
	row("D2D height 1, 0 < pitch < width", SHAPE(p, 1, 64, 1, 32), KERNEL);
	row("D2D width == pitch", SHAPE(p, 1, 64, 8, 64), KERNEL);
	row("D2D width == pitch, height 1", SHAPE(p, 1, 64, 1, 64), KERNEL);
	/* The last row ends before its pitch does, at the allocation's very end. */
	row("D2D up to the end", SHAPE(p + 24, 1, 40, SIZE / 64, 64), KERNEL);
	row("D2D one byte over the end", SHAPE(p + 25, 1, 40, SIZE / 64, 64),
	    REFUSED_MEMSET);
	row("D2D one row over the end", SHAPE(p, 1, 40, SIZE / 64 + 1, 64),
	    REFUSED_MEMSET);
}

static void other_memory(void)
{
	CUdeviceptr managed, pool;
	void *pinned, *registered = NULL;

	must(cuMemAllocManaged(&managed, SIZE, CU_MEM_ATTACH_GLOBAL));
	row("managed memory", LINE(managed, 1, 256), MEMSET);
	must(cuMemFree(managed));
	must(cuMemAllocHost(&pinned, SIZE));
	row("pinned memory", LINE((CUdeviceptr)(uintptr_t)pinned, 1, 256), MEMSET);
	must(cuMemFreeHost(pinned));
	if (posix_memalign(&registered, 65536, 65536))
		bail("out of memory");
	must(cuMemHostRegister(registered, 65536, 0));
	row("registered memory", LINE((CUdeviceptr)(uintptr_t)registered, 4, 256),
	    MEMSET);
	must(cuMemHostUnregister(registered));
	row("memory no longer registered",
	    LINE((CUdeviceptr)(uintptr_t)registered, 4, 256), REFUSED_MEMSET);
	free(registered);
	must(cuMemAllocAsync(&pool, SIZE, stream));
	must(cuStreamSynchronize(stream));
	row("pool memory", LINE(pool, 4, 256), KERNEL);
	row("pool memory, one byte past the end", LINE(pool + SIZE - 63, 1, 64),
	    DONT_KNOW);
	must(cuMemFreeAsync(pool, stream));
	must(cuStreamSynchronize(stream));
}

/* A reservation of four pieces: 0 and 1 writable, 2 without access, 3 unmapped. */
static void mappings(void)
{
	CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
	                            .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
	CUmemAccessDesc access = {.location = prop.location,
	                          .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	CUmemGenericAllocationHandle handles[3];
	CUdeviceptr at;
	size_t piece = 0, i;

	must(cuMemGetAllocationGranularity(&piece, &prop,
	                                   CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	must(cuMemAddressReserve(&at, 4 * piece, 0, 0, 0));
	for (i = 0; i < 3; i++) {
		must(cuMemCreate(&handles[i], piece, &prop, 0));
		must(cuMemMap(at + i * piece, piece, 0, handles[i], 0));
	}
	must(cuMemSetAccess(at, 2 * piece, &access, 1));
	row("one mapping", LINE(at, 1, 4096), KERNEL);
	row("two mappings", LINE(at + piece - 100, 1, 4096), KERNEL);
	row("mapping without access", LINE(at + 2 * piece, 1, 64), REFUSED_MEMSET);
	row("into a mapping without access", LINE(at + 2 * piece - 64, 1, 65),
	    REFUSED_MEMSET);
	must(cuMemSetAccess(at + 2 * piece, piece, &access, 1));
	row("three mappings", LINE(at + piece - 1, 1, piece + 2), KERNEL);
	row("up to the unmapped part", LINE(at + 3 * piece - 64, 1, 64), KERNEL);
	row("into the unmapped part", LINE(at + 3 * piece - 64, 1, 65), REFUSED_MEMSET);
	row("in the unmapped part", LINE(at + 3 * piece, 1, 64), REFUSED_MEMSET);
	access.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
	if (cuMemSetAccess(at + 2 * piece, piece, &access, 1) == CUDA_SUCCESS) {
		row("read-only mapping", LINE(at + 2 * piece, 1, 64), REFUSED_MEMSET);
		row("into a read-only mapping", LINE(at + 2 * piece - 64, 1, 65),
		    REFUSED_MEMSET);
	} else {
		skip("this driver makes no read-only mappings");
	}
	must(cuMemUnmap(at, 3 * piece));
	for (i = 0; i < 3; i++)
		must(cuMemRelease(handles[i]));
	row("no longer mapped", LINE(at, 1, 64), REFUSED_MEMSET);
	must(cuMemAddressFree(at, 4 * piece));
}

/* Memory that a memory node of the same capture allocates. */
static int in_capture(int on, size_t *kernels, size_t *memsets, unsigned char *byte)
{
	CUresult call, end, launch;
	CUdeviceptr p, to = drv_alloc(64);
	CUgraph graph;

	drv_shim(on);
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	must(cuMemAllocAsync(&p, SIZE, stream));
	call = cuMemsetD8Async(p, 0x6d, SIZE, stream);
	must(cuMemcpyDtoDAsync(to, p + SIZE - 64, 64, stream));
	must(cuMemFreeAsync(p, stream));
	end = cuStreamEndCapture(stream, &graph);
	drv_shim(1);
	must(end);
	*kernels = drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL);
	*memsets = drv_count(graph, CU_GRAPH_NODE_TYPE_MEMSET);
	launch = drv_replay(graph, stream, 3);
	drv_read(byte, to + 63, 1);
	must(cuGraphDestroy(graph));
	must(cuMemFree(to));
	return call == CUDA_SUCCESS && launch == CUDA_SUCCESS;
}

static void allocated_in_capture(void)
{
	unsigned char byte = 0;
	size_t kernels, memsets;
	int on;

	for (on = 0; on < 2; on++) {
		const char *arm = on ? "shimmed" : "native";

		ok(in_capture(on, &kernels, &memsets, &byte),
		   "memory allocated in the capture: success (%s)", arm);
		ok(kernels == (size_t)on && memsets == (size_t)!on, "and one node (%s)",
		   arm);
		is(byte, 0x6d, "and the right bytes (%s)", arm);
	}
}

/* In the thread that captures, on another stream, in global mode. */
static void synchronous(CUdeviceptr p)
{
	int on;

	for (on = 0; on < 2; on++) {
		const char *arm = on ? "shimmed" : "native";
		unsigned char byte = 1;
		CUresult end;
		CUgraph graph;

		drv_shim(on);
		drv_write(p, &byte, 1);
		must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
		is(cuMemsetD8(p, 0x44, 64), CUDA_SUCCESS,
		   "synchronous memset beside a capture (%s)", arm);
		end = cuStreamEndCapture(stream, &graph);
		drv_shim(1);
		is(end, CUDA_SUCCESS, "the capture ends well (%s)", arm);
		if (end != CUDA_SUCCESS)
			continue;
		is(drv_nodes(graph), 0, "and has no node (%s)", arm);
		drv_read(&byte, p, 1);
		is(byte, 0x44, "and the memory is set (%s)", arm);
		must(cuGraphDestroy(graph));
	}
}

int main(void)
{
	CUdeviceptr p;

	drv_start();
	ok(drv_shim(1) >= 0, "the shim is loaded");
	stream = drv_stream();
	p = drv_alloc(SIZE);
	counts(p);
	addresses(p);
	alignment(p);
	pitches(p);
	other_memory();
	mappings();
	allocated_in_capture();
	synchronous(p);
	return done();
}
