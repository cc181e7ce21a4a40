/* SPDX-License-Identifier: MIT */
/*
 * The first captured memset initializes no device and no context that the program did
 * not: the state of every device's primary context is the same before and after, in
 * each capture mode.
 */
#include "drv.h"

#define SIZE 256u
#define MAX_DEVICES 64

struct state {
	CUresult result;
	unsigned int flags;
	int active;
};

static int read_states(struct state *s)
{
	int n, i;

	must(cuDeviceGetCount(&n));
	for (i = 0; i < n && i < MAX_DEVICES; i++)
		s[i].result = cuDevicePrimaryCtxGetState(i, &s[i].flags, &s[i].active);
	return i;
}

static int same_states(const struct state *before, const char *when)
{
	struct state now[MAX_DEVICES];
	int n = read_states(now), i, good = 1;

	for (i = 0; i < n; i++)
		if (now[i].result != before[i].result ||
		    now[i].flags != before[i].flags ||
		    now[i].active != before[i].active) {
			printf("# device %d, %s: %d, flags %u, active %d; before: %d, "
			       "%u, %d\n",
			       i, when, (int)now[i].result, now[i].flags, now[i].active,
			       (int)before[i].result, before[i].flags,
			       before[i].active);
			good = 0;
		}
	return good;
}

/* A program without a primary context, or with device 0's alone. */
static int first_capture(CUstreamCaptureMode mode, int own_context)
{
	struct state before[MAX_DEVICES] = {{0}};
	CUcontext ctx, current;
	CUstream stream;
	CUdeviceptr p;
	CUgraph graph;
	int good, n;

	if (own_context) {
		must(cuInit(0));
		ctx = drv_context();
	} else {
		ctx = drv_start();
	}
	stream = drv_stream();
	p = drv_alloc(SIZE);
	n = read_states(before);
	good = holds(before[0].active == !own_context);
	good &= holds(n < 2 || !before[1].active);
	must(cuStreamBeginCapture(stream, mode));
	good &= holds(cuMemsetD8Async(p, 1, SIZE, stream) == CUDA_SUCCESS);
	good &= same_states(before, "after the memset");
	must(cuCtxGetCurrent(&current));
	good &= holds(current == ctx);
	must(cuStreamEndCapture(stream, &graph));
	good &= holds(drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL) == 1);
	must(drv_replay(graph, stream, 2));
	good &= same_states(before, "after two replays");
	must(cuGraphDestroy(graph));
	return good;
}

int main(int argc, char **argv)
{
	static const char *const modes[] = {"global", "thread-local", "relaxed"};
	char argument[3] = "";
	int mode, own;

	if (argc > 1)
		return !first_capture((CUstreamCaptureMode)(argv[1][0] - '0'),
		                      argv[1][1] == '1');
	drv_need_gpu();
	for (mode = 0; mode < 3; mode++)
		for (own = 0; own < 2; own++) {
			argument[0] = (char)('0' + mode);
			argument[1] = (char)('0' + own);
			is(drv_rerun(argument), 0, "%s mode, %s", modes[mode],
			   own ? "a context of the program's own"
			       : "the primary context of one device");
		}
	return done();
}
