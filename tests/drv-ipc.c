/* SPDX-License-Identifier: MIT */
/*
 * Memory of another process, opened by its handle: captured memsets of it are fills or
 * the driver's, with the results and the bytes of memset nodes.
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drv.h"

#define SIZE ((size_t)2 << 20)
#define PART ((size_t)4096)

/* What the importer says: results of both arms, and how many memsets became fills. */
struct report {
	CUresult open, call[2], end[2], replay[2];
	size_t kernels[2];
};

/* Arm 0 writes its bytes into the first part, arm 1 into the second. */
static void import(CUipcMemHandle handle, struct report *r)
{
	struct drv_outcome o;
	CUstream stream;
	CUdeviceptr at;
	CUgraph graph;
	int on;

	drv_start();
	stream = drv_stream();
	r->open = cuIpcOpenMemHandle(&at, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
	if (r->open != CUDA_SUCCESS)
		return;
	for (on = 0; on < 2; on++) {
		struct drv_set m = {.elem = 4,
		                    .dst = at + (size_t)on * PART,
		                    .value = 0x01020304,
		                    .width = PART / 4};

		drv_shim(on);
		graph = drv_capture(&m, stream, &o);
		r->call[on] = o.call;
		r->end[on] = o.end;
		r->kernels[on] = o.kernels;
		if (graph)
			r->replay[on] = drv_replay(graph, stream, 2);
	}
	must(cuIpcCloseMemHandle(at));
}

static int importer(int from, int to)
{
	CUipcMemHandle handle;
	struct report r = {.open = CUDA_ERROR_UNKNOWN};

	alarm(60);
	if (read(from, &handle, sizeof handle) == (ssize_t)sizeof handle)
		import(handle, &r);
	return write(to, &r, sizeof r) != (ssize_t)sizeof r;
}

static void compare(const struct report *r, CUdeviceptr at)
{
	static unsigned char got[3 * PART], want[3 * PART];
	size_t i;

	ok(r->call[0] == r->call[1] && r->end[0] == r->end[1] &&
	       r->replay[0] == r->replay[1],
	   "results as natively: %d %d %d", r->call[0], r->end[0], r->replay[0]);
	printf("# %zu of the memsets became fills\n", r->kernels[1]);
	is(r->kernels[0], 0, "natively no kernel");
	drv_read(got, at, sizeof got);
	for (i = 0; i < sizeof want; i++)
		want[i] = i < 2 * PART ? (unsigned char)(4 - i % 4) : 0x77;
	ok(!memcmp(got, want, sizeof got), "both arms leave the same bytes");
}

int main(void)
{
	int down[2], up[2], status;
	struct report r;
	CUipcMemHandle handle;
	CUdeviceptr at;
	pid_t child;

	if (drv_is_sim())
		skip_all("the simulated driver has no memory beyond its process");
	drv_need_gpu();
	if (pipe(down) || pipe(up))
		bail("no pipe");
	fflush(stdout);
	/* Before this process has anything to do with CUDA. */
	child = fork();
	if (child == 0)
		_exit(importer(down[0], up[1]));
	drv_start();
	at = drv_alloc(SIZE);
	must(cuMemsetD8(at, 0x77, SIZE));
	must(cuCtxSynchronize());
	must(cuIpcGetMemHandle(&handle, at));
	if (write(down[1], &handle, sizeof handle) != (ssize_t)sizeof handle ||
	    read(up[0], &r, sizeof r) != (ssize_t)sizeof r ||
	    waitpid(child, &status, 0) != child)
		bail("no importer");
	is(status, 0, "the other process ends well");
	if (r.open == CUDA_SUCCESS)
		compare(&r, at);
	else
		skip("memory of another process cannot be opened here: CUresult %d",
		     (int)r.open);
	return done();
}
