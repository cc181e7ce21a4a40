/* SPDX-License-Identifier: MIT */
/*
 * launch.c - kernel launches and host functions: at once, or as nodes.
 */
#include <stdlib.h>
#include <string.h>

#include "sim.h"

void sim_launch_clear(struct launch *l)
{
	free(l->bytes);
	*l = (struct launch){0};
}

/* The launch's own parameters, each 16 bytes aligned; values come from `params`. */
static void own_params(struct launch *l, void *const *params)
{
	const struct kernel_type *type = l->kernel->type;
	size_t total = 0;
	int i;

	for (i = 0; i < type->params; i++)
		total += (type->sizes[i] + 15) / 16 * 16;
	l->bytes = sim_new(total, 1);
	for (i = 0, total = 0; i < type->params; i++) {
		l->params[i] = l->bytes + total;
		memcpy(l->params[i], params[i], type->sizes[i]);
		total += (type->sizes[i] + 15) / 16 * 16;
	}
}

void sim_launch_copy(struct launch *to, const struct launch *from)
{
	*to = *from;
	own_params(to, from->params);
}

/* Where `extra` says that the parameters lie in one buffer. */
static CUresult from_buffer(const struct kernel_type *type, void **extra,
                            void *params[SIM_MAX_PARAMS])
{
	unsigned char *buffer = NULL;
	size_t size = 0, at = 0;
	int i;

	for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
		if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
			buffer = extra[1];
		else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE)
			size = *(size_t *)extra[1];
		else
			return CUDA_ERROR_INVALID_VALUE;
	}
	for (i = 0; i < type->params; i++) {
		at = (at + type->sizes[i] - 1) / type->sizes[i] * type->sizes[i];
		if (!buffer || at + type->sizes[i] > size)
			return CUDA_ERROR_INVALID_VALUE;
		params[i] = buffer + at;
		at += type->sizes[i];
	}
	return CUDA_SUCCESS;
}

static int valid_dims(const unsigned int *dims)
{
	int i;

	for (i = 0; i < 6; i++)
		if (!dims[i])
			return 0;
	return dims[0] <= INT32_MAX && dims[1] <= 65535 && dims[2] <= 65535 &&
	       dims[3] <= 1024 && dims[4] <= 1024 && dims[5] <= 64 &&
	       dims[3] * dims[4] * dims[5] <= 1024;
}

CUresult sim_launch_set(struct launch *l, CUfunction function, const unsigned int *dims,
                        unsigned int shared, void **params, void **extra)
{
	void *found[SIM_MAX_PARAMS];
	struct launch made = {0};
	CUresult result;

	if (!function)
		return CUDA_ERROR_INVALID_HANDLE;
	if (((CUkernel)function)->magic == SIM_KERNEL_MAGIC) {
		made.kernel = (CUkernel)function;
	} else if (function->magic == SIM_FUNCTION_MAGIC) {
		made.function = function;
		made.kernel = function->kernel;
	} else {
		return CUDA_ERROR_INVALID_HANDLE;
	}
	if (!valid_dims(dims) || (params && extra))
		return CUDA_ERROR_INVALID_VALUE;
	if (extra) {
		result = from_buffer(made.kernel->type, extra, found);
		if (result != CUDA_SUCCESS)
			return result;
		params = found;
	}
	if (!params && made.kernel->type->params)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(made.grid, dims, sizeof made.grid);
	memcpy(made.block, dims + 3, sizeof made.block);
	made.shared = shared;
	own_params(&made, params);
	/* Only now: `params` may point into what *l has. */
	sim_launch_clear(l);
	*l = made;
	return CUDA_SUCCESS;
}

/* Programmatic serialization: no full edge behind a kernel, a full one behind others.
 */
static void loosen(struct deps *deps)
{
	size_t i;

	for (i = 0; i < deps->count; i++)
		if (deps->at[i].node->type == CU_GRAPH_NODE_TYPE_KERNEL &&
		    !deps->at[i].edge.from_port)
			deps->at[i].edge = (CUgraphEdgeData){
			    .from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,
			    .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC};
}

CUresult sim_launch(CUstream s, CUfunction function, const unsigned int *dims,
                    unsigned int shared, void **params, void **extra,
                    const struct launch_options *options)
{
	struct launch l = {0};
	CUgraphNode node;
	int active;
	CUresult result = sim_capturing(s, &active);

	if (result == CUDA_SUCCESS && options)
		result = sim_launch_options(options, s, active);
	if (result == CUDA_SUCCESS)
		result = sim_launch_set(&l, function, dims, shared, params, extra);
	if (result != CUDA_SUCCESS)
		return result;
	if (l.function && l.function->ctx != s->ctx) {
		sim_launch_clear(&l);
		return CUDA_ERROR_INVALID_HANDLE;
	}
	/* Loading a library's kernel like this is allowed in every capture mode. */
	sim_function(l.kernel, s->ctx);
	if (!active) {
		result = sim_launch_run(&l, s->ctx);
		sim_launch_clear(&l);
		if (options && options->event)
			sim_event_place(options->event, NULL, NULL, SIM_FULL_EDGE);
		return result;
	}
	if (options && options->programmatic)
		loosen(&s->deps);
	node = sim_capture_node(s, CU_GRAPH_NODE_TYPE_KERNEL);
	node->launch = l;
	if (options)
		sim_launch_attributes(node, options);
	if (options && options->event)
		sim_event_place(options->event, s->capture, node, options->edge);
	return CUDA_SUCCESS;
}

#define DIMS ((unsigned int[]){gx, gy, gz, bx, by, bz})

SIM_STREAM(cuLaunchKernel,
           (CUfunction function, unsigned int gx, unsigned int gy, unsigned int gz,
            unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared,
            CUstream s, void **params, void **extra),
           sim_launch(s, function, DIMS, shared, params, extra, NULL))

static CUresult host_function(CUstream s, CUhostFn fn, void *data)
{
	CUDA_HOST_NODE_PARAMS host = {.fn = fn, .userData = data};
	int active;
	CUresult result = sim_capturing(s, &active);

	if (result != CUDA_SUCCESS)
		return result;
	if (!fn)
		return CUDA_ERROR_INVALID_VALUE;
	if (active)
		sim_capture_node(s, CU_GRAPH_NODE_TYPE_HOST)->host = host;
	else
		sim_host_run(&host);
	return CUDA_SUCCESS;
}

SIM_STREAM(cuLaunchHostFunc, (CUstream s, CUhostFn fn, void *data),
           host_function(s, fn, data))
