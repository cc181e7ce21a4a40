/* SPDX-License-Identifier: MIT */
/*
 * calls.c - single calls of either run: made, kept, and said in words.
 */
#include <string.h>

#include "search.h"

const char *const corruption_name[CORRUPTIONS] = {"nothing", "value", "width", "place",
                                                  "skip"};

CUresult note(struct run *r, CUresult result, const char *fmt, ...)
{
	struct trace *t = &r->trace;
	va_list args;

	if (t->count == MAX_CALLS)
		bail("a program of more than %d calls", MAX_CALLS);
	if (t->text) {
		va_start(args, fmt);
		vsnprintf(t->text[t->count], sizeof t->text[0], fmt, args);
		va_end(args);
	}
	t->looser[t->count] = 0;
	t->result[t->count++] = result;
	return result;
}

/* What the self-check does to the one operation that is to go wrong. */
static void corrupt(struct drv_set *set, enum corruption how)
{
	if (how == CORRUPT_VALUE)
		set->value ^= 1;
	if (how == CORRUPT_WIDTH && set->width > 1)
		set->width--;
	if (how == CORRUPT_PLACE)
		set->dst -= set->elem;
}

CUresult call_set(struct run *r, int op, const struct place *at, CUdeviceptr base)
{
	const int stream = r->p->op[op].stream;
	struct drv_set set = at->set;
	CUresult result = CUDA_SUCCESS;
	char rows[64] = "";

	if (op == r->p->corrupted)
		corrupt(&set, r->how);
	set.dst += base;
	if (op != r->p->corrupted || r->how != CORRUPT_SKIP)
		result = drv_memset(&set, world.stream[stream]);
	if (set.rows)
		snprintf(rows, sizeof rows, ", height %zu, pitch %zu", at->set.height,
		         at->set.pitch);
	return note(r, result, "%s(%s+%#llx, %#x, width %zu%s, s%d)",
	            drv_set_name(&set), space_name[at->space],
	            (unsigned long long)at->set.dst, at->set.value, at->set.width, rows,
	            stream);
}

static CUresult start(CUfunction kernel, const struct op *op, void **params)
{
	CUlaunchAttribute attribute = {
	    .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
	    .value = {.programmaticStreamSerializationAllowed = 1}};
	CUlaunchConfig config = {.gridDimX = 1,
	                         .gridDimY = 1,
	                         .gridDimZ = 1,
	                         .blockDimX = 128,
	                         .blockDimY = 1,
	                         .blockDimZ = 1,
	                         .hStream = world.stream[op->stream],
	                         .attrs = &attribute,
	                         .numAttrs = 1};

	if (op->programmatic)
		return cuLaunchKernelEx(&config, kernel, params, NULL);
	return cuLaunchKernel(kernel, 1, 1, 1, 128, 1, 1, 0, config.hStream, params,
	                      NULL);
}

static CUresult call_add(struct run *r, const struct op *op, const struct place *at,
                         CUdeviceptr to)
{
	uint64_t n = at->set.width;
	unsigned int addend = at->set.value;
	void *params[] = {&to, &n, &addend};

	return note(r, start(world.add, op, params),
	            "cuLaunchKernel%s(add %u to %s+%#llx, %zu bytes, s%d)",
	            op->programmatic ? "Ex, programmatic: " : "", addend,
	            space_name[at->space], (unsigned long long)at->set.dst,
	            at->set.width, op->stream);
}

static CUresult call_copy(struct run *r, const struct op *op, const struct place *at,
                          CUdeviceptr to, CUdeviceptr from)
{
	const int kernel = op->kind == OP_COPY_KERNEL;
	uint64_t n = at->set.width;
	void *params[] = {&to, &from, &n};
	CUresult result;

	if (kernel)
		result = start(world.copy, op, params);
	else
		result = cuMemcpyDtoDAsync(to, from, n, world.stream[op->stream]);
	return note(r, result, "%s%s(%s+%#llx, %s+%#zx, %zu bytes, s%d)",
	            kernel ? "cuLaunchKernel, copy" : "cuMemcpyDtoDAsync",
	            kernel && op->programmatic ? ", programmatic" : "",
	            space_name[at->space], (unsigned long long)at->set.dst,
	            space_name[at->from], at->source, at->set.width, op->stream);
}

CUresult call_memory(struct run *r, int i, const struct place *at, CUdeviceptr own)
{
	const struct op *op = &r->p->op[i];
	CUdeviceptr to = at->space == SPACE_GRAPH ? own : world.base[at->space];
	CUdeviceptr from = at->from == SPACE_GRAPH ? own : world.base[at->from];

	switch (op->kind) {
	case OP_ADD:
		return call_add(r, op, at, to + at->set.dst);
	case OP_COPY:
	case OP_COPY_KERNEL:
		return call_copy(r, op, at, to + at->set.dst, from + at->source);
	default:
		return call_set(r, i, at, to);
	}
}

CUDA_MEMSET_NODE_PARAMS node_params(const struct place *at)
{
	return (CUDA_MEMSET_NODE_PARAMS){.dst = world.base[at->space] + at->set.dst,
	                                 .pitch = at->set.pitch,
	                                 .value = at->set.value,
	                                 .elementSize = at->set.elem,
	                                 .width = at->set.width,
	                                 .height = at->set.height};
}
