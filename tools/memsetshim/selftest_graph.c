/* SPDX-License-Identifier: MIT */
/*
 * selftest_graph.c - memsets, graphs of them, and replays, for the checks.
 */
#include <stdlib.h>
#include <string.h>

#include "selftest.h"

const struct selftest_memset selftest_each[SELFTEST_KINDS] = {
    {64, 4, 0, 0, 7, 1},  {64, 4, 0, 0, 7, 2},  {64, 4, 0, 0, 7, 4},
    {64, 8, 4, 64, 7, 1}, {64, 8, 4, 64, 7, 2}, {64, 8, 4, 64, 7, 4},
};

const char *selftest_name(const struct selftest_memset *m)
{
	if (m->elem == 1)
		return m->height ? "cuMemsetD2D8Async" : "cuMemsetD8Async";
	if (m->elem == 2)
		return m->height ? "cuMemsetD2D16Async" : "cuMemsetD16Async";
	return m->height ? "cuMemsetD2D32Async" : "cuMemsetD32Async";
}

static int set_range(struct selftest *t, const struct selftest_memset *m)
{
	device_ptr to = t->memory + m->offset;

	if (m->elem == 1)
		return t->cuMemsetD8Async(to, (unsigned char)m->value, m->width,
		                          t->stream);
	if (m->elem == 2)
		return t->cuMemsetD16Async(to, (unsigned short)m->value, m->width,
		                           t->stream);
	return t->cuMemsetD32Async(to, m->value, m->width, t->stream);
}

static int set_rows(struct selftest *t, const struct selftest_memset *m)
{
	device_ptr to = t->memory + m->offset;

	if (m->elem == 1)
		return t->cuMemsetD2D8Async(to, m->pitch, (unsigned char)m->value,
		                            m->width, m->height, t->stream);
	if (m->elem == 2)
		return t->cuMemsetD2D16Async(to, m->pitch, (unsigned short)m->value,
		                             m->width, m->height, t->stream);
	return t->cuMemsetD2D32Async(to, m->pitch, m->value, m->width, m->height,
	                             t->stream);
}

int selftest_set(struct selftest *t, const struct selftest_memset *m)
{
	int result = m->height ? set_rows(t, m) : set_range(t, m);

	return selftest_try(t, result, selftest_name(m));
}

void *selftest_capture(struct selftest *t, const struct selftest_memset *m, unsigned n,
                       int shim)
{
	int before = t->set_enabled(shim), good = 1;
	void *graph = NULL;
	unsigned i;

	if (SELFTEST_TRY(t, t->cuStreamBeginCapture(t->stream, CAPTURE_THREAD_LOCAL))) {
		for (i = 0; i < n && good; i++)
			good = selftest_set(t, m);
		good &= SELFTEST_TRY(t, t->cuStreamEndCapture(t->stream, &graph));
	}
	t->set_enabled(before);
	if (good || !graph)
		return graph;
	t->cuGraphDestroy(graph);
	return NULL;
}

/*
 * With the library a fill says that it is a memset; asked as a kernel node it answers,
 * as no memset node does.
 */
static int node_type(struct selftest *t, void *node, int *type)
{
	struct kernel_params params;

	if (!SELFTEST_TRY(t, t->cuGraphNodeGetType(node, type)))
		return 0;
	memset(&params, 0, sizeof params);
	if (*type == NODE_MEMSET && t->cuGraphKernelNodeGetParams &&
	    t->cuGraphKernelNodeGetParams(node, &params) == 0)
		*type = NODE_KERNEL;
	return 1;
}

static int common_type(struct selftest *t, void *const *nodes, size_t n)
{
	int type, first = SELFTEST_MIXED;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!node_type(t, nodes[i], &type))
			return SELFTEST_BROKEN;
		if (i == 0)
			first = type;
		else if (type != first)
			return SELFTEST_MIXED;
	}
	return first;
}

int selftest_nodes_type(struct selftest *t, void *graph, size_t n)
{
	int type = SELFTEST_BROKEN;
	size_t found = 0;
	void **nodes;

	if (!graph || !SELFTEST_TRY(t, t->cuGraphGetNodes(graph, NULL, &found)))
		return SELFTEST_BROKEN;
	if (found != n)
		return SELFTEST_MIXED;
	nodes = calloc(n, sizeof *nodes);
	if (!nodes)
		selftest_fail(t, "out of memory");
	else if (SELFTEST_TRY(t, t->cuGraphGetNodes(graph, nodes, &found)))
		type = common_type(t, nodes, n);
	free(nodes);
	return type;
}

/*
 * A memset of device memory returns before it is done, and our stream does not wait for
 * the default one, on which it runs.
 */
int selftest_poison(struct selftest *t, unsigned char value)
{
	return SELFTEST_TRY(t, t->cuMemsetD8(t->memory, value, SELFTEST_MEMORY)) &&
	       SELFTEST_TRY(t, t->cuStreamSynchronize(NULL));
}

int selftest_replay(struct selftest *t, void *exec, unsigned char *copy)
{
	return SELFTEST_TRY(t, t->cuGraphLaunch(exec, t->stream)) &&
	       SELFTEST_TRY(t, t->cuStreamSynchronize(t->stream)) &&
	       SELFTEST_TRY(t, t->cuMemcpyDtoH(copy, t->memory, SELFTEST_MEMORY));
}
