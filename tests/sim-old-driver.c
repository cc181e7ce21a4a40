/* SPDX-License-Identifier: MIT */
/*
 * With a driver older than CUDA 12.0 the shim steps aside: one warning on stderr, and
 * captured memsets are the driver's own, with its results.
 */
#include <string.h>
#include <unistd.h>

#include "drv.h"

#define SIZE 4096u

static CUstream stream;
static CUdeviceptr memory;

/* A captured memset of each kind: one memset node each, the right bytes. */
static void stays_native(int round)
{
	struct drv_set m = {.dst = memory,
	                    .value = 0x10203040u * (unsigned int)(round + 1),
	                    .width = 20,
	                    .height = 3,
	                    .pitch = 128};
	static unsigned char got[SIZE], want[SIZE];

	for (m.elem = 1; m.elem <= 4; m.elem *= 2)
		for (m.rows = 0; m.rows < 2; m.rows++) {
			struct drv_outcome o;
			CUgraph graph = drv_capture(&m, stream, &o);

			ok(graph && o.call == CUDA_SUCCESS && o.nodes == 1 &&
			       o.memsets == 1,
			   "%s: a memset node", drv_set_name(&m));
			if (!graph)
				continue;
			drv_dirty(want, SIZE, 5);
			drv_write(memory, want, SIZE);
			drv_apply(&m, want, memory);
			must(drv_replay(graph, stream, 1));
			drv_read(got, memory, SIZE);
			ok(!memcmp(got, want, SIZE), "and the right bytes");
			must(cuGraphDestroy(graph));
		}
}

static void results_are_native(void)
{
	struct drv_set m = {.elem = 4, .dst = memory + 1, .width = 4};
	struct drv_outcome o;
	CUgraph graph = drv_capture(&m, stream, &o);

	is(o.call, CUDA_ERROR_INVALID_VALUE, "a misaligned memset is refused");
	is(o.end, CUDA_SUCCESS, "and does the capture no harm");
	must(cuGraphDestroy(graph));
	is(cuMemsetD8Async(memory, 0x55, SIZE, stream), CUDA_SUCCESS, "eager: success");
	is(cuMemsetD8Async(0, 1, SIZE, stream), CUDA_ERROR_INVALID_VALUE,
	   "eager at null: refused");
}

/* What the shim has written to stderr, which is a file just now. */
static size_t said(FILE *file, char *text, size_t size)
{
	size_t n;

	rewind(file);
	n = fread(text, 1, size - 1, file);
	text[n] = '\0';
	return n;
}

int main(void)
{
	FILE *errors = tmpfile();
	char text[2048];
	int saved = dup(STDERR_FILENO);
	const char *line;

	if (!drv_is_sim())
		skip_all("needs the simulated driver");
	if (!errors || saved < 0 || dup2(fileno(errors), STDERR_FILENO) < 0)
		bail("stderr cannot be a file");
	drv_start();
	stream = drv_stream();
	memory = drv_alloc(SIZE);
	sim_driver_version(11080);
	must(cuMemsetD8Async(memory, 1, SIZE, stream));
	is(said(errors, text, sizeof text), 0, "no warning before a capture");
	stays_native(0);
	stays_native(1);
	results_are_native();
	said(errors, text, sizeof text);
	dup2(saved, STDERR_FILENO);
	line = strchr(text, '\n');
	ok(line && !line[1], "one line on stderr");
	ok(strstr(text, "warning") && strstr(text, "11.8") && strstr(text, "12.0"),
	   "a warning that names both versions");
	printf("# %s", text);
	return done();
}
