/* SPDX-License-Identifier: MIT */
/*
 * An executable graph takes over another capture of the same code as it does natively,
 * whatever sizes, places and streams the memsets have.  Two settings change that, as
 * documented: MEMSETSHIM_MAX_BYTES between two sizes, and node priorities.
 */
#include <string.h>

#include "drv.h"

#define SIZE 8192u
#define LIMIT "4096"

static CUstream stream;
static CUdeviceptr memory;

struct answer {
	CUresult result;
	CUgraphExecUpdateResult why;
	CUgraphNodeType where; /* of the node that is to blame, if any */
	int bytes_right;       /* of the new graph, or of the old one where it stays */
};

/* Memsets of one capture: all of them bytes, offsets into the memory. */
struct row {
	unsigned int value, count;
	struct {
		size_t at, size;
	} set[3];
};

static CUgraph captured(const struct row *row, CUstream s)
{
	CUgraph graph;
	unsigned int i;

	must(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	for (i = 0; i < row->count; i++)
		must(cuMemsetD8Async(memory + row->set[i].at,
		                     (unsigned char)(row->value + i), row->set[i].size,
		                     s));
	must(cuStreamEndCapture(s, &graph));
	return graph;
}

static int replays(CUgraphExec exec, const struct row *row)
{
	unsigned char got[SIZE], want[SIZE];
	unsigned int i;

	drv_dirty(want, SIZE, row->value);
	drv_write(memory, want, SIZE);
	for (i = 0; i < row->count; i++)
		memset(want + row->set[i].at, (int)(row->value + i), row->set[i].size);
	must(cuGraphLaunch(exec, stream));
	must(cuStreamSynchronize(stream));
	drv_read(got, memory, SIZE);
	return !memcmp(got, want, SIZE);
}

static struct answer update(const struct row *from, CUstream from_stream,
                            const struct row *to, CUstream to_stream,
                            unsigned long long flags, int shimmed)
{
	CUgraphExecUpdateResultInfo info;
	struct answer a = {.where = CU_GRAPH_NODE_TYPE_EMPTY};
	CUgraph old, new;
	CUgraphExec exec;

	memset(&info, 0, sizeof info);
	drv_shim(shimmed);
	old = captured(from, from_stream);
	new = captured(to, to_stream);
	drv_shim(1);
	must(cuGraphInstantiateWithFlags(&exec, old, flags));
	a.result = cuGraphExecUpdate(exec, new, &info);
	a.why = info.result;
	if (a.result != CUDA_SUCCESS && info.errorNode)
		must(cuGraphNodeGetType(info.errorNode, &a.where));
	a.bytes_right = replays(exec, a.result == CUDA_SUCCESS ? to : from);
	must(cuGraphExecDestroy(exec));
	/* What a program does that is refused. */
	must(cuGraphInstantiateWithFlags(&exec, new, flags));
	a.bytes_right &= replays(exec, to);
	must(cuGraphExecDestroy(exec));
	must(cuGraphDestroy(old));
	must(cuGraphDestroy(new));
	return a;
}

/* The driver's own answer, or success where it may have set too little aside. */
static int will_do(const struct answer *native, const struct answer *ours)
{
	return ours->result == CUDA_SUCCESS ||
	       (ours->result == native->result && ours->why == native->why &&
	        ours->where == native->where);
}

static const struct pair {
	const char *what;
	struct row from, to;
	int crosses; /* LIMIT */
} pairs[] = {
    {"the same size", {1, 1, {{0, 64}}}, {50, 1, {{64, 64}}}, 0},
    {"a larger one", {1, 1, {{0, 64}}}, {50, 1, {{0, 4096}}}, 0},
    {"one byte more, 4097", {1, 1, {{0, 4096}}}, {50, 1, {{0, 4097}}}, 1},
    {"one byte less, 4096", {1, 1, {{0, 4097}}}, {50, 1, {{0, 4096}}}, 1},
    {"from 5000 to 6000", {1, 1, {{0, 5000}}}, {50, 1, {{0, 6000}}}, 0},
    {"neighbours that part",
     {1, 2, {{0, 64}, {64, 64}}},
     {50, 2, {{0, 64}, {256, 64}}},
     0},
    {"strangers that become neighbours",
     {1, 3, {{0, 64}, {256, 64}, {512, 4}}},
     {50, 3, {{0, 64}, {64, 64}, {128, 4}}},
     0},
    {"one that comes to cover another",
     {1, 2, {{0, 64}, {64, 64}}},
     {50, 2, {{8, 16}, {0, 64}}},
     0},
    {"one memset more",
     {1, 2, {{0, 64}, {64, 64}}},
     {50, 3, {{0, 64}, {64, 64}, {128, 64}}},
     0},
};

#define PAIRS (sizeof pairs / sizeof *pairs)

/* With MEMSETSHIM_MAX_BYTES a memset beyond it stays a memset node: another type. */
static int limited(void)
{
	int good = 1;
	size_t i;

	for (i = 0; i < PAIRS; i++) {
		const struct pair *p = &pairs[i];
		struct answer n = update(&p->from, stream, &p->to, stream, 0, 0),
		              o = update(&p->from, stream, &p->to, stream, 0, 1);

		printf("# %s: natively %d (%d), with a limit %d (%d)\n", p->what,
		       (int)n.result, (int)n.why, (int)o.result, (int)o.why);
		good &= holds(n.bytes_right && o.bytes_right);
		if (p->crosses)
			good &=
			    holds(o.result == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE) &
			    holds(o.why ==
			          CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED) &
			    holds(o.where == CU_GRAPH_NODE_TYPE_MEMSET);
		else
			good &= holds(will_do(&n, &o));
	}
	return good;
}

static void unlimited(void)
{
	size_t i;

	for (i = 0; i < PAIRS; i++) {
		const struct pair *p = &pairs[i];
		struct answer n = update(&p->from, stream, &p->to, stream, 0, 0),
		              o = update(&p->from, stream, &p->to, stream, 0, 1);

		ok(will_do(&n, &o), "%s: %d, %d (natively %d, %d)%s", p->what,
		   (int)o.result, (int)o.why, (int)n.result, (int)n.why,
		   o.result == n.result ? "" : " MORE");
		ok(n.bytes_right && o.bytes_right, "%s: right bytes", p->what);
	}
}

/* Between streams of two priorities; kernels keep what their stream had. */
static void priorities(unsigned long long flags, const char *name)
{
	static const struct row from = {1, 2, {{0, 64}, {128, 64}}},
	                        to = {50, 2, {{0, 64}, {256, 64}}};
	CUstream low, high;
	int least, greatest;
	struct answer n, o;

	must(cuCtxGetStreamPriorityRange(&least, &greatest));
	if (least == greatest) {
		skip("this device has one priority");
		return;
	}
	must(cuStreamCreateWithPriority(&low, CU_STREAM_NON_BLOCKING, least));
	must(cuStreamCreateWithPriority(&high, CU_STREAM_NON_BLOCKING, greatest));
	n = update(&from, high, &to, high, flags, 0);
	o = update(&from, high, &to, high, flags, 1);
	ok(o.result == n.result && n.result == CUDA_SUCCESS, "%s, one priority: taken",
	   name);
	ok(n.bytes_right && o.bytes_right, "%s, one priority: right bytes", name);
	n = update(&from, low, &to, high, flags, 0);
	o = update(&from, low, &to, high, flags, 1);
	if (flags && o.result != n.result) {
		is(o.why, CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED,
		   "%s, two priorities: refused as a kernel (natively %d)", name,
		   (int)n.result);
		is(o.where, CU_GRAPH_NODE_TYPE_MEMSET, "%s: at a memset, says the type",
		   name);
	} else {
		is(o.result, n.result, "%s, two priorities: as natively", name);
	}
	ok(n.bytes_right && o.bytes_right, "%s, two priorities: right bytes", name);
	must(cuStreamDestroy(low));
	must(cuStreamDestroy(high));
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc == 1)
		drv_need_gpu();
	if (argc == 1) {
		setenv("MEMSETSHIM_MAX_BYTES", LIMIT, 1);
		is(drv_rerun("limited"), 0,
		   "MEMSETSHIM_MAX_BYTES between two sizes: another type of node");
		unsetenv("MEMSETSHIM_MAX_BYTES");
	}
	drv_start();
	stream = drv_stream();
	memory = drv_alloc(SIZE);
	if (argc > 1)
		return !limited();
	ok(drv_shim(1) >= 0, "the shim is loaded");
	unlimited();
	priorities(0, "stream priorities");
	priorities(CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY, "node priorities");
	return done();
}
