/* SPDX-License-Identifier: MIT */
/*
 * user_object.c - what a program gives to a graph to keep: gone with the last of the
 * program's references and of the graphs', copies and executable graphs included.
 */
#include <limits.h>
#include <stdlib.h>

#include "sim.h"

struct CUuserObject_st {
	CUhostFn destroy;
	void *ptr;
	size_t references;
};

struct kept {
	CUuserObject object;
	size_t count;
	struct kept *next;
};

/* The real driver does this in a thread of its own; it may not call the driver. */
static void release(CUuserObject object, size_t count)
{
	object->references -= count;
	if (object->references)
		return;
	object->destroy(object->ptr);
	free(object);
}

static void keep(CUgraph graph, CUuserObject object, size_t count)
{
	struct kept *k;

	for (k = graph->kept; k && k->object != object; k = k->next)
		;
	if (!k) {
		k = sim_new(1, sizeof *k);
		k->object = object;
		k->next = graph->kept;
		graph->kept = k;
	}
	k->count += count;
}

/* A copy has one reference, however many the graph has. */
void sim_kept_copy(CUgraph to, CUgraph from)
{
	struct kept *k;

	for (k = from->kept; k; k = k->next) {
		k->object->references++;
		keep(to, k->object, 1);
	}
}

void sim_kept_release(CUgraph graph)
{
	struct kept *k;

	while ((k = graph->kept)) {
		graph->kept = k->next;
		release(k->object, k->count);
		free(k);
	}
}

static int is_count(unsigned int count)
{
	return count && count <= INT_MAX;
}

SIM_EXPORT CUresult cuUserObjectCreate(CUuserObject *object, void *ptr,
                                       CUhostFn destroy, unsigned int count,
                                       unsigned int flags)
{
	SIM_CALL(cuUserObjectCreate);
	if (!sim_initialized())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!object || !destroy || !is_count(count) ||
	    flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
		return CUDA_ERROR_INVALID_VALUE;
	*object = sim_new(1, sizeof **object);
	(*object)->destroy = destroy;
	(*object)->ptr = ptr;
	(*object)->references = count;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuUserObjectRetain(CUuserObject object, unsigned int count)
{
	SIM_CALL(cuUserObjectRetain);
	if (!object || !is_count(count))
		return CUDA_ERROR_INVALID_VALUE;
	object->references += count;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuUserObjectRelease(CUuserObject object, unsigned int count)
{
	SIM_CALL(cuUserObjectRelease);
	if (!object || !is_count(count) || count > object->references)
		return CUDA_ERROR_INVALID_VALUE;
	release(object, count);
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object,
                                            unsigned int count, unsigned int flags)
{
	SIM_CALL(cuGraphRetainUserObject);
	if (!graph || !object || !is_count(count) ||
	    flags & ~(unsigned int)CU_GRAPH_USER_OBJECT_MOVE)
		return CUDA_ERROR_INVALID_VALUE;
	if (!flags)
		object->references += count;
	keep(graph, object, count);
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object,
                                             unsigned int count)
{
	struct kept **p, *k;

	SIM_CALL(cuGraphReleaseUserObject);
	if (!graph || !object || !is_count(count))
		return CUDA_ERROR_INVALID_VALUE;
	for (p = &graph->kept; *p && (*p)->object != object; p = &(*p)->next)
		;
	k = *p;
	if (!k || k->count < count)
		return CUDA_ERROR_INVALID_VALUE;
	k->count -= count;
	if (!k->count) {
		*p = k->next;
		free(k);
	}
	release(object, count);
	return CUDA_SUCCESS;
}
