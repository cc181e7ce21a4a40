/* SPDX-License-Identifier: MIT */
/*
 * kernel.c - the kernels there are, and how a launch of one runs on the host.
 */
#include <string.h>

#include "sim.h"

#define MAX_KERNELS 32

static unsigned long long launches;

/* The device that the kernel at work runs on; -1 where none is at work. */
static __thread int at_work = -1;

/* Device pointers to, from; number of bytes. */
static void copy_bytes(void *const *params)
{
	CUdeviceptr to, from;
	uint64_t n;
	char *dst, *src;

	memcpy(&to, params[0], sizeof to);
	memcpy(&from, params[1], sizeof from);
	memcpy(&n, params[2], sizeof n);
	dst = sim_host(to, n);
	src = sim_host(from, n);
	if (dst && src)
		memmove(dst, src, n);
}

/* Device pointer, number of bytes, what to add to each: tells one order from another.
 */
static void add_bytes(void *const *params)
{
	CUdeviceptr at;
	uint64_t n, i;
	uint32_t addend;
	unsigned char *dst;

	memcpy(&at, params[0], sizeof at);
	memcpy(&n, params[1], sizeof n);
	memcpy(&addend, params[2], sizeof addend);
	dst = sim_host(at, n);
	for (i = 0; dst && i < n; i++)
		dst[i] = (unsigned char)(dst[i] + addend);
}

/* A condition's handle, and what it is to be: cudaGraphSetConditional's stand-in. */
static void set_condition(void *const *params)
{
	CUgraphConditionalHandle handle;
	uint32_t value;

	memcpy(&handle, params[0], sizeof handle);
	memcpy(&value, params[1], sizeof value);
	if (sim_condition_set(handle, value))
		at_work |= SIM_MAX_DEVICES;
}

/* Address of a number, and a handle: counts it down, and is true while it is not 0. */
static void count_down(void *const *params)
{
	CUgraphConditionalHandle handle;
	CUdeviceptr at;
	uint32_t left;
	void *number;

	memcpy(&at, params[0], sizeof at);
	memcpy(&handle, params[1], sizeof handle);
	number = sim_host(at, sizeof left);
	if (!number)
		return;
	memcpy(&left, number, sizeof left);
	left -= left != 0;
	memcpy(number, &left, sizeof left);
	if (sim_condition_set(handle, left))
		at_work |= SIM_MAX_DEVICES;
}

#define FILL_SIZES                                                                     \
	{                                                                              \
		sizeof((struct plan *)0)->dst, sizeof((struct plan *)0)->pattern,      \
		    sizeof((struct plan *)0)->elem, sizeof((struct plan *)0)->width,   \
		    sizeof((struct plan *)0)->pitch, sizeof((struct plan *)0)->height, \
		    sizeof((struct plan *)0)->columns                                  \
	}

static struct kernel_type types[MAX_KERNELS] = {
#define KERNEL(id, name, params) {name, params, FILL_SIZES, 1, NULL},
#include "kernels.def"
#undef KERNEL
    {"sim_copy_bytes", 3, {8, 8, 8}, 0, copy_bytes},
    {"sim_add_bytes", 3, {8, 8, 4}, 0, add_bytes},
    {"sim_set_condition", 2, {8, 4}, 0, set_condition},
    {"sim_count_down", 2, {8, 8}, 0, count_down},
};

const struct kernel_type *sim_kernel_type(const char *name)
{
	int i;

	for (i = 0; i < MAX_KERNELS && types[i].name; i++)
		if (!strcmp(types[i].name, name))
			return &types[i];
	return NULL;
}

SIM_EXPORT void sim_add_kernel(const char *name, int params, const size_t *sizes,
                               void (*run)(void *const *params))
{
	__attribute__((cleanup(sim_unlock), unused)) int held = sim_lock();
	int i;

	for (i = 0; i < MAX_KERNELS && types[i].name; i++)
		if (!strcmp(types[i].name, name))
			return;
	if (i == MAX_KERNELS || params < 0 || params > SIM_MAX_PARAMS)
		return;
	types[i].params = params;
	memcpy(types[i].sizes, sizes, (size_t)params * sizeof *sizes);
	types[i].run = run;
	types[i].name = strdup(name);
}

SIM_EXPORT unsigned long long sim_kernel_launches(void)
{
	__attribute__((cleanup(sim_unlock), unused)) int held = sim_lock();

	return launches;
}

/* A kernel runs under the lock already. */
SIM_EXPORT void *sim_host(CUdeviceptr at, size_t bytes)
{
	struct region *r;
	void *host;

	if (at_work >= 0) {
		host = sim_access(at, bytes, at_work % SIM_MAX_DEVICES, SIM_WRITE);
		if (!host && bytes)
			at_work |= SIM_MAX_DEVICES; /* an illegal address was used */
		return host;
	}
	sim_lock();
	r = sim_region(at);
	host = r ? sim_access(at, bytes, r->device, 0) : NULL;
	sim_unlock(&(int){1});
	return host;
}

/* The bytes that a fill may write to, row by row: 0, or -1 when some are not there. */
static int check_fill(const struct plan *p, CUdevice device)
{
	uint64_t row, bytes = p->width;

	switch (p->kernel) {
	case KERNEL_BYTES:
		bytes = p->block_x;
		break;
	case KERNEL_WORDS:
		bytes = 4 * (uint64_t)p->block_x;
		break;
	case KERNEL_QUADS:
		bytes = 16 * (uint64_t)p->block_x;
		break;
	case KERNEL_RANGE:
	case KERNEL_ROWS:
	case KERNEL_COUNT:
		break;
	}
	if (!bytes)
		return 0;
	if (p->kernel != KERNEL_ROWS)
		return sim_access(p->dst, bytes, device, SIM_WRITE) ? 0 : -1;
	for (row = 0; row < p->height; row++)
		if (!sim_access(p->dst + row * p->pitch, bytes, device, SIM_WRITE))
			return -1;
	return 0;
}

static int run_fill(const struct launch *l, CUdevice device)
{
	struct plan p;
	CUdeviceptr at;
	char *host;

	if (fill_host_plan(l->kernel->type->name, l->grid[0], l->block[0], l->block[1],
	                   l->params, &p))
		return -1;
	if (p.kernel == KERNEL_ROWS && !p.columns)
		return -1;
	/* Words and quads are stored whole: a GPU faults when they are not aligned. */
	if ((p.kernel == KERNEL_WORDS && p.dst % 4) ||
	    (p.kernel == KERNEL_QUADS && p.dst % 16))
		return -1;
	if (check_fill(&p, device))
		return -1;
	at = p.dst;
	host = sim_access(at, 1, device, SIM_WRITE);
	if (!host)
		return 0; /* nothing to write */
	p.dst = (uint64_t)(uintptr_t)host;
	fill_host_run(&p);
	return sim_slack_intact(at) ? 0 : -1;
}

CUresult sim_launch_run(const struct launch *l, CUcontext ctx)
{
	int failed;

	if (l->kernel->magic != SIM_KERNEL_MAGIC)
		return CUDA_ERROR_INVALID_HANDLE;
	launches++;
	if (l->kernel->type->is_fill) {
		failed = run_fill(l, ctx->device);
	} else {
		at_work = ctx->device;
		l->kernel->type->run(l->params);
		failed = at_work >= SIM_MAX_DEVICES;
		at_work = -1;
	}
	return failed ? sim_fault(ctx, CUDA_ERROR_ILLEGAL_ADDRESS) : CUDA_SUCCESS;
}
