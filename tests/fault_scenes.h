/* SPDX-License-Identifier: MIT */
/*
 * fault_scenes.h - the programs in which sim-fault lets a driver function fail.
 */
#ifndef FAULT_SCENES_H
#define FAULT_SCENES_H

#include <string.h>

#include "drv.h"

#define SIZE 4096u

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct scene {
	CUstream stream;
	CUdeviceptr p; /* SIZE bytes */
	unsigned char want[SIZE];
	size_t memsets; /* that is, nodes which may be either kind */
	size_t others;  /* the program's own nodes */
	CUcontext ctx;
};

static void begin(struct scene *s)
{
	must(cuStreamBeginCapture(s->stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
}

static CUgraph end(struct scene *s)
{
	CUgraph graph = NULL;

	must(cuStreamEndCapture(s->stream, &graph));
	return graph;
}

/* One memset on the stream; m.dst counts from the scene's memory. */
static void set(struct scene *s, struct drv_set m)
{
	m.dst += s->p;
	must(drv_memset(&m, s->stream));
	drv_apply(&m, s->want, s->p);
	s->memsets++;
}

#define SET(...) set(s, (struct drv_set){__VA_ARGS__})

/* A kernel for bytes, words, quads and ranges each. */
static CUgraph lines(struct scene *s)
{
	begin(s);
	SET(.elem = 1, .dst = 1, .value = 0x11, .width = 99);
	SET(.elem = 2, .dst = 100, .value = 0x2222, .width = 50);
	SET(.elem = 4, .dst = 256, .value = 0x33333333, .width = 64);
	SET(.elem = 4, .dst = 512, .value = 0x44444444, .width = 500);
	SET(.elem = 1, .dst = 3001, .value = 0x55, .width = 999, .twin = 1);
	return end(s);
}

static CUgraph rows(struct scene *s)
{
	struct drv_set m = {
	    .rows = 1, .value = 0x61626364, .width = 9, .height = 5, .pitch = 64};

	begin(s);
	for (m.elem = 1; m.elem <= 4; m.elem *= 2, m.dst += 400)
		set(s, m);
	m.elem = 1;
	m.twin = 1;
	set(s, m);
	SET(.rows = 1, .elem = 1, .dst = 2000, .value = 7, .width = 64, .height = 20,
	    .pitch = 64);
	return end(s);
}

/* The nodes go to a graph that the program has made. */
static CUgraph into_graph(struct scene *s)
{
	CUgraph graph, same = NULL;

	must(cuGraphCreate(&graph, 0));
	must(cuStreamBeginCaptureToGraph(s->stream, graph, NULL, NULL, 0,
	                                 CU_STREAM_CAPTURE_MODE_RELAXED));
	SET(.elem = 1, .value = 1, .width = 1000);
	SET(.elem = 1, .dst = 500, .value = 2, .width = 1000);
	SET(.rows = 1, .elem = 1, .value = 3, .width = 9, .height = 5, .pitch = 64);
	must(cuStreamEndCapture(s->stream, &same));
	return holds(same == graph) ? graph : NULL;
}

/* A kernel that asks to overlap with what is before it. */
static CUgraph overlap(struct scene *s)
{
	begin(s);
	SET(.elem = 1, .value = 0x71, .width = 1000);
	must(drv_launch_copy(s->p + 2000, s->p, 1000, s->stream, 1));
	memcpy(s->want + 2000, s->want, 1000);
	s->others++;
	SET(.elem = 1, .value = 0x72, .width = 500);
	must(drv_launch_copy(s->p + 3000, s->p, 500, s->stream, 1));
	memcpy(s->want + 3000, s->want, 500);
	s->others++;
	return end(s);
}

/* What fails is tried again, as natively: then nothing has changed. */
#define TWICE(call)                 \
	do {                        \
		if (call)           \
			must(call); \
	} while (0)

/* Memory that the graph allocates. */
static CUgraph own_memory(struct scene *s)
{
	CUdeviceptr p;

	begin(s);
	must(cuMemAllocAsync(&p, SIZE, s->stream));
	must(cuMemsetD8Async(p, 0x91, 100, s->stream));
	must(cuMemsetD8Async(p + 100, 0x92, 200, s->stream));
	must(cuMemcpyDtoDAsync(s->p, p, 300, s->stream));
	must(cuMemFreeAsync(p, s->stream));
	s->memsets = 2;
	s->others = 3;
	memset(s->want, 0x91, 100);
	memset(s->want + 100, 0x92, 200);
	return end(s);
}

/* In a child graph; there its memsets are not counted. */
static CUgraph in_child(struct scene *s)
{
	CUgraph graph, child = lines(s);
	CUgraphNode node;

	s->memsets = 0;
	begin(s);
	SET(.elem = 1, .dst = 4050, .value = 0x99, .width = 40);
	graph = end(s);
	must(cuGraphAddChildGraphNode(&node, graph, NULL, 0, child));
	must(cuGraphDestroy(child));
	s->others = 1;
	return graph;
}

/* Explicit nodes, changed in their graph. */
static CUgraph nodes(struct scene *s)
{
	CUDA_MEMSET_NODE_PARAMS line = {.dst = s->p,
	                                .value = 0x81,
	                                .elementSize = 1,
	                                .width = 300,
	                                .height = 1},
	                        rows = {.dst = s->p + 1000,
	                                .pitch = 64,
	                                .value = 0x8283,
	                                .elementSize = 2,
	                                .width = 9,
	                                .height = 5},
	                        held;
	CUgraphNode node[2];
	CUgraphExec exec;
	CUgraph graph;
	size_t i;

	must(cuGraphCreate(&graph, 0));
	must(cuGraphAddMemsetNode(&node[0], graph, NULL, 0, &line, s->ctx));
	must(cuGraphAddMemsetNode(&node[1], graph, node, 1, &rows, s->ctx));
	rows.value = 0x8485;
	TWICE(cuGraphMemsetNodeSetParams(node[1], &rows));
	TWICE(cuGraphMemsetNodeGetParams(node[1], &held));
	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	TWICE(cuGraphExecMemsetNodeSetParams(exec, node[0], &line, s->ctx));
	must(cuGraphExecDestroy(exec));
	if (!holds(held.value == rows.value) || !holds(held.width == rows.width))
		return NULL;
	s->memsets = 2;
	memset(s->want, 0x81, 300);
	for (i = 0; i < (size_t)9 * 5 * 2; i++)
		s->want[1000 + i / 18 * 64 + i % 18] = i % 2 ? 0x84 : 0x85;
	return graph;
}

enum {
	FOREIGN = 1, /* the stream belongs to another context than the current one */
	POOL = 2     /* the memory is a pool's, so no context's */
};

/* make() does the program's work, in which a function fails, up to the graph. */
static const struct scenario {
	const char *what;
	CUgraph (*make)(struct scene *s);
	int flags;
} scenarios[] = {
    {"memsets", lines, 0},
    {"rows", rows, 0},
    {"memsets into a graph", into_graph, 0},
    {"memsets, stream of another context", lines, FOREIGN},
    {"rows, stream of another context", rows, FOREIGN},
    {"memsets of pool memory", lines, POOL},
    {"rows of pool memory, stream of another context", rows, POOL | FOREIGN},
    {"kernels that overlap", overlap, 0},
    {"memory of the graph", own_memory, 0},
    {"memsets in a child graph", in_child, 0},
    {"explicit nodes", nodes, 0},
    {"explicit nodes, another context", nodes, FOREIGN},
};

#endif
