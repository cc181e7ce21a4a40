/* SPDX-License-Identifier: MIT */
/*
 * An executable graph takes over another capture's memset of any size, element size,
 * value and address, through every fill kernel, wherever it does natively; and a memset
 * in it can be switched off and on again.
 */
#include <string.h>

#include "drv_arms.h"

#define GUARD 512u
#define MOST 65536u
#define OUT (GUARD + MOST + 2 * GUARD) /* where the copy goes */
#define COPY 300u
#define ROOM (OUT + COPY + GUARD)

static CUcontext ctx;
static CUstream stream;
static CUdeviceptr memory;
static unsigned char want[ROOM], got[ROOM];

static const unsigned int sizes[] = {1, 4, 16, 256, 257, 1024, 4096, 4097, MOST};

#define SIZES (sizeof sizes / sizeof *sizes)

/* --- whole graphs ------------------------------------------------------------------
 */

/* The i-th size in elements of `elem` bytes, shifted as far as these let it. */
static struct drv_set set_of(size_t i, unsigned int elem, unsigned int shift)
{
	return (struct drv_set){.elem = elem,
	                        .dst = memory + GUARD + (size_t)shift * elem,
	                        .value = 0x01020304u * (unsigned int)(i + 1 + shift),
	                        .width = sizes[i] / elem};
}

static void copy_behind(CUstream s)
{
	must(drv_launch_copy(memory + OUT, memory + GUARD, COPY, s, 0));
}

static CUgraph captured(const struct drv_set *m)
{
	CUgraph graph;

	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	must(drv_memset(m, stream));
	copy_behind(stream);
	must(cuStreamEndCapture(stream, &graph));
	return graph;
}

/* The same with an explicit node: the copy is captured behind it. */
static CUgraph added(const struct drv_set *m)
{
	static CUresult (*to_graph)(CUstream, CUgraph, const CUgraphNode *,
	                            const CUgraphEdgeData *, size_t,
	                            CUstreamCaptureMode);
	CUDA_MEMSET_NODE_PARAMS set = {.dst = m->dst,
	                               .value = m->value,
	                               .elementSize = m->elem,
	                               .width = m->width,
	                               .height = 1};
	CUgraph graph, same;
	CUgraphNode node;

	if (m->elem < 4)
		set.value &= (1u << (8 * m->elem)) - 1;
	must(cuGraphCreate(&graph, 0));
	must(cuGraphAddMemsetNode(&node, graph, NULL, 0, &set, ctx));
	*(void **)&to_graph = drv_entry("cuStreamBeginCaptureToGraph");
	if (!to_graph)
		return graph;
	must(to_graph(stream, graph, &node, NULL, 1, CU_STREAM_CAPTURE_MODE_GLOBAL));
	copy_behind(stream);
	must(cuStreamEndCapture(stream, &same));
	return graph;
}

/* 1 when launches leave what *m is to leave, and no other byte is touched. */
static int leaves(CUgraphExec exec, const struct drv_set *m, int copies)
{
	int i, good = 1;

	for (i = 0; i < ARM_REPLAYS && good; i++) {
		drv_dirty(want, ROOM, (unsigned int)i);
		drv_write(memory, want, ROOM);
		drv_apply(m, want, memory);
		if (copies)
			memcpy(want + OUT, want + GUARD, COPY);
		must(cuGraphLaunch(exec, stream));
		must(cuStreamSynchronize(stream));
		drv_read(got, memory, ROOM);
		good = !memcmp(got, want, ROOM);
	}
	return good;
}

struct change {
	CUresult there, back;
	int why, right; /* kinds of nodes, and bytes */
};

/* From one memset to the other and back again. */
static struct change change(const struct drv_set *from, const struct drv_set *to,
                            CUgraph (*make)(const struct drv_set *), int on)
{
	CUgraphExecUpdateResultInfo info;
	struct change c;
	CUgraph graph[2];
	CUgraphExec exec;
	int copies;

	drv_shim(on);
	graph[0] = make(from);
	graph[1] = make(to);
	copies = drv_nodes(graph[0]) == 2;
	must(cuGraphInstantiateWithFlags(&exec, graph[0], 0));
	c.there = cuGraphExecUpdate(exec, graph[1], &info);
	c.why = (int)info.result;
	c.right = drv_count(graph[0], CU_GRAPH_NODE_TYPE_KERNEL) ==
	          (size_t)on + (size_t)copies;
	c.right &= leaves(exec, c.there == CUDA_SUCCESS ? to : from, copies);
	c.back = cuGraphExecUpdate(exec, graph[0], &info);
	c.right &= leaves(exec, c.back == CUDA_SUCCESS ? from : to, copies);
	must(cuGraphExecDestroy(exec));
	must(cuGraphDestroy(graph[0]));
	must(cuGraphDestroy(graph[1]));
	drv_shim(1);
	return c;
}

/* What the driver has no room for, a kernel may take all the same. */
static int will_do(CUresult native, CUresult ours)
{
	return ours == native || (native != CUDA_SUCCESS && ours == CUDA_SUCCESS);
}

static size_t pairs, natively, failed;

static void pair(const struct drv_set *from, const struct drv_set *to,
                 CUgraph (*make)(const struct drv_set *))
{
	struct change n = change(from, to, make, 0), o = change(from, to, make, 1);
	int same = n.there == o.there && n.back == o.back;

	pairs++;
	natively += n.there == CUDA_SUCCESS && n.back == CUDA_SUCCESS;
	if (will_do(n.there, o.there) && will_do(n.back, o.back) && n.right &&
	    o.right && (!same || n.why == o.why))
		return;
	failed++;
	printf("# %zu x %u bytes at %#llx to %zu x %u at %#llx: natively %d and %d "
	       "(%s), shimmed %d and %d (%s)\n",
	       from->width, from->elem, from->dst, to->width, to->elem, to->dst,
	       (int)n.there, (int)n.back, n.right ? "right" : "wrong", (int)o.there,
	       (int)o.back, o.right ? "right" : "wrong");
}

static void to_all(const struct drv_set *from, unsigned int shift,
                   CUgraph (*make)(const struct drv_set *))
{
	unsigned int elem;
	size_t i;

	for (elem = 1; elem <= 4; elem *= 2)
		for (i = 0; i < SIZES; i++) {
			struct drv_set to = set_of(i, elem, shift);

			if (sizes[i] % elem == 0)
				pair(from, &to, make);
		}
}

static void from_all(const char *what, CUgraph (*make)(const struct drv_set *))
{
	unsigned int elem, shift;
	size_t i;

	for (elem = 1; elem <= 4; elem *= 2)
		for (shift = 0; shift <= 3; shift += 3) {
			pairs = natively = failed = 0;
			for (i = 0; i < SIZES; i++) {
				struct drv_set from = set_of(i, elem, 0);

				if (sizes[i] % elem == 0)
					to_all(&from, shift, make);
			}
			ok(!failed,
			   "%s: from elements of %u bytes to all others, %u further "
			   "on: %zu, %zu of them natively",
			   what, elem, shift, pairs, natively);
		}
}

/* --- single nodes, on and off -------------------------------------------------------
 */

static CUgraphNode nodes[4];

/* Three memsets that overlap, and a copy of what they leave. */
static CUgraph chain(struct arm *a)
{
	CUgraph graph;
	size_t n = 4;

	arm_begin(a, CU_STREAM_CAPTURE_MODE_GLOBAL);
	arm_set(a, 64, 0x11, 100);
	arm_set(a, 100, 0x12, 300);
	arm_set(a, 200, 0x13, 16);
	must(drv_launch_copy(a->memory + 1024, a->memory + 64, 400, a->stream, 0));
	graph = arm_end(a);
	must(cuGraphGetNodes(graph, nodes, &n));
	return graph;
}

static void enable(struct arm *a, CUgraphExec exec, size_t i, unsigned int on)
{
	unsigned int told = 99;

	arm_note(a, cuGraphNodeSetEnabled(exec, nodes[i], on));
	arm_note(a, cuGraphNodeGetEnabled(exec, nodes[i], &told));
	arm_note(a, told);
}

/* Each of the memsets is off once, then all of them are, then all are on again. */
static CUgraph switched(struct arm *a)
{
	CUgraph graph = chain(a);
	CUgraphExec exec;
	size_t i;

	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	for (i = 0; i < 3; i++) {
		enable(a, exec, i, 0);
		arm_launch(a, exec);
		enable(a, exec, i, 1);
		arm_launch(a, exec);
	}
	for (i = 0; i < 3; i++)
		enable(a, exec, i, 0);
	arm_launch(a, exec);
	for (i = 0; i < 3; i++)
		enable(a, exec, i, 1);
	arm_launch(a, exec);
	must(cuGraphExecDestroy(exec));
	return graph;
}

/* What is set while it is off counts when it is on again. */
static CUgraph set_while_off(struct arm *a)
{
	CUDA_MEMSET_NODE_PARAMS set = {.dst = a->memory + 100,
	                               .value = 0x22,
	                               .elementSize = 1,
	                               .width = 300,
	                               .height = 1};
	CUgraph graph = chain(a);
	unsigned int told = 99;
	CUgraphExec exec;

	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	enable(a, exec, 1, 0);
	arm_note(a, cuGraphExecMemsetNodeSetParams(exec, nodes[1], &set, a->ctx));
	arm_note(a, cuGraphNodeGetEnabled(exec, nodes[1], &told));
	arm_note(a, told);
	arm_launch(a, exec);
	enable(a, exec, 1, 1);
	arm_launch(a, exec);
	arm_note_set(a, nodes[1]);
	must(cuGraphExecDestroy(exec));
	return graph;
}

int main(void)
{
	arms_start();
	ctx = arms_ctx;
	stream = arms_stream;
	memory = drv_alloc(ROOM);
	from_all("captured", captured);
	from_all("added", added);
	arms("memsets switched off and on", switched, 0);
	arms("set while off", set_while_off, 0);
	return done();
}
