/* SPDX-License-Identifier: MIT */
/*
 * graphs.c - capture the patterns, check that they do what they should, replay them.
 *
 * chain    one compute kernel, then `count` memsets in a row
 * between  compute kernels with one memset between each two
 * fork     a compute kernel, then branches that each begin with a memset and go on with
 *          a compute kernel, then their join; again and again
 * `none` leaves the memsets out, `kernel` puts a one-thread kernel in their place.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define SLOTS 8u /* places written in turn, so that branches never share one */
#define GUARD ((size_t)64)
#define STEPS 64

static CUstream stream, branch[MAX_BRANCHES];
static CUevent forked, joined[MAX_BRANCHES], start, stop;
static CUdeviceptr work, target;
static size_t slot_bytes;
static int (*set_enabled)(int);

int graphs_shim(void)
{
	return set_enabled != NULL;
}

void graphs_open(const struct options *o)
{
	int i;

	*(void **)&set_enabled = dlsym(RTLD_DEFAULT, "memsetshim_set_enabled");
	for (i = 0; i < o->size_count; i++)
		if (o->sizes[i] > slot_bytes)
			slot_bytes = o->sizes[i];
	slot_bytes = (slot_bytes + 2 * GUARD + 511) / 512 * 512;
	try(gpu.cuMemAlloc_v2(&target, slot_bytes * SLOTS));
	try(gpu.cuMemAlloc_v2(&work, (size_t)gpu.sms * 256 * sizeof(float)));
	try(gpu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	try(gpu.cuEventCreate(&start, CU_EVENT_DEFAULT));
	try(gpu.cuEventCreate(&stop, CU_EVENT_DEFAULT));
	try(gpu.cuEventCreate(&forked, CU_EVENT_DISABLE_TIMING));
	for (i = 0; i < MAX_BRANCHES; i++) {
		try(gpu.cuStreamCreate(&branch[i], CU_STREAM_NON_BLOCKING));
		try(gpu.cuEventCreate(&joined[i], CU_EVENT_DISABLE_TIMING));
	}
}

static void compute(CUstream s)
{
	int steps = STEPS;
	void *params[] = {&work, &steps};

	try(gpu.cuLaunchKernel((CUfunction)gpu.compute, (unsigned int)gpu.sms, 1, 1,
	                       256, 1, 1, 0, s, params, NULL));
}

static CUdeviceptr slot(int i)
{
	return target + slot_bytes * ((unsigned int)i % SLOTS) + GUARD;
}

static void operation(const struct shot *shot, const struct options *o, int i,
                      CUstream s)
{
	CUdeviceptr at = slot(i);
	unsigned int word = o->value * 0x01010101u;
	void *params[] = {&at, &word};

	if (shot->arm == ARM_KERNEL)
		try(gpu.cuLaunchKernel((CUfunction)gpu.word, 1, 1, 1, 1, 1, 1, 0, s,
		                       params, NULL));
	else if (shot->arm != ARM_NONE)
		try(gpu.cuMemsetD8Async(at, (unsigned char)o->value, shot->size, s));
}

static void fork_join(const struct shot *shot, const struct options *o, int first)
{
	int b;

	compute(stream);
	try(gpu.cuEventRecord(forked, stream));
	for (b = 0; b < shot->branches; b++) {
		CUstream s =
		    b ? branch[b] : stream; /* the first goes on in the stream */

		if (b)
			try(gpu.cuStreamWaitEvent(s, forked, 0));
		operation(shot, o, first + b, s);
		compute(s);
	}
	for (b = 1; b < shot->branches; b++) {
		try(gpu.cuEventRecord(joined[b], branch[b]));
		try(gpu.cuStreamWaitEvent(stream, joined[b], 0));
	}
}

static CUgraph capture(struct shot *shot, const struct options *o)
{
	CUgraph graph;
	int i;

	try(gpu.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
	switch (shot->pattern) {
	case PATTERN_CHAIN:
	case PATTERN_BETWEEN:
		compute(stream);
		for (i = 0; i < shot->count; i++) {
			operation(shot, o, i, stream);
			if (shot->pattern == PATTERN_BETWEEN)
				compute(stream);
		}
		break;
	case PATTERN_FORK:
		for (i = 0; i < shot->count; i += shot->branches)
			fork_join(shot, o, i);
		break;
	case PATTERN_COUNT:
		break;
	}
	try(gpu.cuStreamEndCapture(stream, &graph));
	return graph;
}

static void count_nodes(struct shot *shot, CUgraph graph)
{
	size_t n = 0, i;
	CUgraphNode *nodes;

	try(gpu.cuGraphGetNodes(graph, NULL, &n));
	nodes = need(calloc(n + 1, sizeof *nodes));
	try(gpu.cuGraphGetNodes(graph, nodes, &n));
	for (i = 0; i < n; i++) {
		CUDA_KERNEL_NODE_PARAMS params;
		CUgraphNodeType type;

		/* A fill says that it is a memset; asked as a kernel it answers. */
		try(gpu.cuGraphNodeGetType(nodes[i], &type));
		if (gpu.cuGraphKernelNodeGetParams_v2(nodes[i], &params) ==
		    CUDA_SUCCESS)
			shot->kernel_nodes++;
		else
			shot->memset_nodes += type == CU_GRAPH_NODE_TYPE_MEMSET;
	}
	free(nodes);
}

/* Every slot is dirtied, the graph replayed once, every byte and guard byte compared.
 */
static void check_bytes(struct shot *shot, const struct options *o)
{
	/* What no memset writes, or memory left alone would pass. */
	unsigned char poison = (unsigned char)~o->value;
	size_t total = slot_bytes * SLOTS, i, written = shot->size;
	unsigned char *bytes = need(malloc(total));

	if (shot->arm == ARM_KERNEL)
		written = 4;
	if (shot->arm == ARM_NONE)
		written = 0;
	memset(bytes, poison, total);
	try(gpu.cuMemcpyHtoD_v2(target, bytes, total));
	try(gpu.cuGraphLaunch(shot->exec, stream));
	try(gpu.cuStreamSynchronize(stream));
	try(gpu.cuMemcpyDtoH_v2(bytes, target, total));
	for (i = 0; i < total; i++) {
		size_t in_slot = i % slot_bytes;
		int used = i / slot_bytes < (size_t)shot->count;
		int inside = used && in_slot >= GUARD && in_slot < GUARD + written;

		shot->wrong += bytes[i] != (inside ? o->value : poison);
	}
	free(bytes);
}

void graph_build(struct shot *shot, const struct options *o)
{
	CUgraph graph;

	if (set_enabled)
		set_enabled(shot->arm == ARM_SHIM);
	graph = capture(shot, o);
	count_nodes(shot, graph);
	try(gpu.cuGraphInstantiateWithFlags(&shot->exec, graph, 0));
	try(gpu.cuGraphDestroy(graph));
	try(gpu.cuGraphUpload(shot->exec, stream));
	try(gpu.cuStreamSynchronize(stream));
	check_bytes(shot, o);
}

void graph_drop(struct shot *shot)
{
	try(gpu.cuGraphExecDestroy(shot->exec));
	free(shot->samples);
	shot->samples = NULL;
}

double graph_replay(const struct shot *shot)
{
	float ms;

	try(gpu.cuEventRecord(start, stream));
	try(gpu.cuGraphLaunch(shot->exec, stream));
	try(gpu.cuEventRecord(stop, stream));
	try(gpu.cuStreamSynchronize(stream));
	try(gpu.cuEventElapsedTime(&ms, start, stop));
	return ms * 1e3;
}
