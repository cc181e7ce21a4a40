/* SPDX-License-Identifier: MIT */
/*
 * A fill of more than 4 GiB, in one row or in many, writes each of its bytes and none
 * beside it, as the driver's own memset does.
 */
#include <string.h>

#include "drv.h"

#define GiB ((size_t)1 << 30)
#define CHUNK ((size_t)64 << 20)
#define DIRTY 0x11

static CUstream stream;
static CUdeviceptr memory;
static size_t total;
static unsigned char *got, *wanted;

/* What byte `at` has to be; rows == 1 for one row. */
struct want {
	size_t first, width, pitch, rows;
	unsigned char value;
};

/* The `n` bytes from `at` on as they have to be. */
static void expect(const struct want *w, unsigned char *bytes, size_t at, size_t n)
{
	size_t row = at > w->first ? (at - w->first) / w->pitch : 0;

	memset(bytes, DIRTY, n);
	for (; row < w->rows; row++) {
		size_t from = w->first + row * w->pitch, to = from + w->width;

		if (from >= at + n)
			break;
		from = from < at ? at : from;
		to = to > at + n ? at + n : to;
		if (from < to)
			memset(bytes + (from - at), w->value, to - from);
	}
}

static size_t count_wrong(const struct want *w)
{
	size_t wrong = 0, done = 0, i;

	while (done < total) {
		size_t n = total - done < CHUNK ? total - done : CHUNK;

		drv_read(got, memory + done, n);
		expect(w, wanted, done, n);
		if (memcmp(got, wanted, n))
			for (i = 0; i < n; i++)
				wrong += got[i] != wanted[i];
		done += n;
	}
	return wrong;
}

static void check(const struct want *w, const char *what)
{
	CUdeviceptr at = memory + w->first;
	CUgraph graph;

	must(cuMemsetD8(memory, DIRTY, total));
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	if (w->rows == 1)
		must(cuMemsetD8Async(at, w->value, w->width, stream));
	else
		must(cuMemsetD2D8Async(at, w->pitch, w->value, w->width, w->rows,
		                       stream));
	must(cuStreamEndCapture(stream, &graph));
	ok(drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL) == 1 &&
	       drv_count(graph, CU_GRAPH_NODE_TYPE_MEMSET) == 0,
	   "%s: a kernel", what);
	is(drv_replay(graph, stream, 1), CUDA_SUCCESS, "%s: runs", what);
	is(count_wrong(w), 0, "%s: no wrong byte of %zu", what, total);
	must(cuGraphDestroy(graph));
}

int main(void)
{
	const struct want row = {.first = 4097 + 6,
	                         .width = 4 * GiB + 12345,
	                         .pitch = 8 * GiB,
	                         .rows = 1,
	                         .value = 0xb7};
	const struct want rows = {
	    .first = 333, .width = 40001, .pitch = 65537, .rows = 69000, .value = 0x5a};
	size_t free_bytes, all_bytes;

	drv_start();
	if (drv_is_sim())
		skip_all("the simulated driver's memory is the host's: too much of it");
	must(cuMemGetInfo(&free_bytes, &all_bytes));
	total = 4 * GiB + GiB / 2;
	if (free_bytes < total + GiB)
		skip_all("needs %zu bytes of GPU memory, %zu are free", total + GiB,
		         free_bytes);
	got = malloc(CHUNK);
	wanted = malloc(CHUNK);
	if (!got || !wanted)
		bail("out of memory");
	memory = drv_alloc(total);
	stream = drv_stream();
	check(&row, "one row of 4 GiB and 12345 bytes at an odd address");
	check(&rows, "69000 rows, 65537 apart");
	free(got);
	free(wanted);
	return done();
}
