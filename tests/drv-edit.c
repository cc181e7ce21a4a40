/* SPDX-License-Identifier: MIT */
/*
 * Captured memsets whose addresses and values a program changes in the executable graph
 * before each of a hundred replays, right ones and wrong ones: the results and the
 * bytes are as natively, and the captured graph keeps what it had.
 */
#include <string.h>

#include "drv.h"

#define ROUNDS 100
#define SETS 3
#define ROOM 2048u /* bytes for each memset to move about in */
#define SIZE ((size_t)SETS * ROOM)

static CUcontext ctx;
static CUstream stream;
static CUdeviceptr memory;
static CUresult (*exec_change)(CUgraphExec, CUgraphNode, CUgraphNodeParams *);

/* dst is an offset into the memset's own room. */
static const struct drv_set shapes[SETS] = {
    {.elem = 1, .value = 0x11, .width = 100},
    {.elem = 2, .rows = 1, .value = 0x2233, .width = 24, .height = 5, .pitch = 64},
    {.elem = 4, .value = 0x44556677, .width = 37},
};

struct trial {
	CUgraph graph;
	CUgraphExec exec;
	CUgraphNode node[SETS];
	struct drv_set now[SETS]; /* as the executable graph has them */
	CUDA_MEMSET_NODE_PARAMS captured[SETS];
	CUresult result[ROUNDS][SETS];
	int wrong; /* rounds */
};

static void open_trial(struct trial *t, int shimmed)
{
	CUgraphNode nodes[SETS];
	size_t n = SETS;
	unsigned int i;

	memset(t, 0, sizeof *t);
	drv_shim(shimmed);
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	for (i = 0; i < SETS; i++) {
		t->now[i] = shapes[i];
		t->now[i].dst = memory + (CUdeviceptr)i * ROOM;
		must(drv_memset(&t->now[i], stream));
	}
	must(cuStreamEndCapture(stream, &t->graph));
	drv_shim(1);
	must(cuGraphGetNodes(t->graph, nodes, &n));
	is(n, SETS, "%d nodes", SETS);
	is(drv_count(t->graph, CU_GRAPH_NODE_TYPE_KERNEL), shimmed ? SETS : 0, "%s",
	   shimmed ? "all of them fills" : "none of them a fill");
	for (i = 0; i < SETS; i++) {
		t->node[i] = nodes[i];
		must(cuGraphMemsetNodeGetParams(nodes[i], &t->captured[i]));
	}
	must(cuGraphInstantiateWithFlags(&t->exec, t->graph, 0));
}

/* What round `round` makes of memset i; of the wrong ones nothing may come. */
static CUDA_MEMSET_NODE_PARAMS next_params(const struct trial *t, unsigned int i,
                                           unsigned int round)
{
	CUDA_MEMSET_NODE_PARAMS set = t->captured[i];
	unsigned int step = round * 7 + i;

	set.dst += (CUdeviceptr)step % 200 * set.elementSize;
	set.value = (set.value + step * 0x01010101u) &
	            (0xffffffffu >> (32 - 8 * set.elementSize));
	if (round % 10 == 3 && i == round / 10 % SETS)
		set.value = 0; /* the commonest */
	if (round % 10 == 7 && i == round / 10 % SETS)
		switch (round / 30) {
		case 0:
			set.dst = 0;
			break;
		case 1:
			set.elementSize = 3;
			break;
		default:
			set.width = 0;
		}
	return set;
}

static CUresult by_generic(const struct trial *t, unsigned int i,
                           const CUDA_MEMSET_NODE_PARAMS *set)
{
	CUgraphNodeParams p;

	memset(&p, 0, sizeof p);
	p.type = CU_GRAPH_NODE_TYPE_MEMSET;
	p.memset.dst = set->dst;
	p.memset.pitch = set->pitch;
	p.memset.value = set->value;
	p.memset.elementSize = set->elementSize;
	p.memset.width = set->width;
	p.memset.height = set->height;
	p.memset.ctx = ctx;
	return exec_change(t->exec, t->node[i], &p);
}

static void change(struct trial *t, unsigned int round)
{
	unsigned int i;

	for (i = 0; i < SETS; i++) {
		CUDA_MEMSET_NODE_PARAMS set = next_params(t, i, round);
		CUresult r = exec_change && (round + i) % 2
		                 ? by_generic(t, i, &set)
		                 : cuGraphExecMemsetNodeSetParams(t->exec, t->node[i],
		                                                  &set, ctx);

		t->result[round][i] = r;
		if (r != CUDA_SUCCESS)
			continue;
		t->now[i].dst = set.dst;
		t->now[i].value = set.value;
	}
}

static int replayed(const struct trial *t, unsigned int round)
{
	unsigned char got[SIZE], want[SIZE];
	unsigned int i;

	drv_dirty(want, SIZE, round);
	drv_write(memory, want, SIZE);
	for (i = 0; i < SETS; i++)
		drv_apply(&t->now[i], want, memory);
	must(cuGraphLaunch(t->exec, stream));
	must(cuStreamSynchronize(stream));
	drv_read(got, memory, SIZE);
	return !memcmp(got, want, SIZE);
}

static int same(const CUDA_MEMSET_NODE_PARAMS *a, const CUDA_MEMSET_NODE_PARAMS *b)
{
	return a->dst == b->dst && a->value == b->value && a->pitch == b->pitch &&
	       a->elementSize == b->elementSize && a->width == b->width &&
	       a->height == b->height;
}

/* The graph that was captured is none of the executable graph's business. */
static int captured_is_kept(struct trial *t)
{
	CUDA_MEMSET_NODE_PARAMS set;
	int i, good = 1;

	for (i = 0; i < SETS; i++) {
		must(cuGraphMemsetNodeGetParams(t->node[i], &set));
		good &= same(&set, &t->captured[i]);
	}
	return good;
}

static void run(struct trial *t, int shimmed)
{
	const char *arm = shimmed ? "with fills" : "natively";
	unsigned int round;

	open_trial(t, shimmed);
	for (round = 0; round < ROUNDS; round++) {
		change(t, round);
		t->wrong += !replayed(t, round);
	}
	is(t->wrong, 0, "%s: the right bytes in each of %d rounds", arm, ROUNDS);
	ok(captured_is_kept(t), "%s: the captured graph keeps its parameters", arm);
	must(cuGraphExecDestroy(t->exec));
	must(cuGraphDestroy(t->graph));
}

int main(void)
{
	static struct trial native, ours;
	int round, i, differ = 0, taken = 0, refused = 0;

	ctx = drv_start();
	ok(drv_shim(1) >= 0, "the shim is loaded");
	*(void **)&exec_change = drv_entry("cuGraphExecNodeSetParams");
	stream = drv_stream();
	memory = drv_alloc(SIZE);
	run(&native, 0);
	run(&ours, 1);
	for (i = 0; i < SETS; i++)
		ok(same(&native.captured[i], &ours.captured[i]),
		   "memset %d: captured with the same parameters", i);
	for (round = 0; round < ROUNDS; round++)
		for (i = 0; i < SETS; i++) {
			taken += native.result[round][i] == CUDA_SUCCESS;
			refused += native.result[round][i] != CUDA_SUCCESS;
			if (native.result[round][i] == ours.result[round][i])
				continue;
			differ++;
			printf("# round %d, memset %d: natively %d, with fills %d\n",
			       round, i, (int)native.result[round][i],
			       (int)ours.result[round][i]);
		}
	is(differ, 0, "every change has the result that it has natively");
	ok(taken > 200 && refused > 0, "%d were taken, %d refused", taken, refused);
	return done();
}
