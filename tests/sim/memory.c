/* SPDX-License-Identifier: MIT */
/*
 * memory.c - regions of memory that the device knows, and the plain ways to get one.
 *
 * A device address is a host address plus DISTANCE, which keeps alignment and makes a
 * direct host access fault.  Managed and pinned memory have one address for both.  A
 * forbidden page stands before and after each allocation; what is left of the last page
 * is filled with a pattern, so that a write past the end is noticed.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim.h"

#define DISTANCE ((CUdeviceptr)1 << 44)
#define PAGE ((size_t)4096)
#define SLACK 0xa5

static struct region *regions;
static unsigned long long overruns;

static size_t pages(size_t bytes)
{
	return (bytes + PAGE - 1) / PAGE * PAGE;
}

struct region *sim_regions(void)
{
	return regions;
}

struct region *sim_region(CUdeviceptr at)
{
	struct region *r, *reserved = NULL;

	for (r = regions; r; r = r->next)
		if (at >= r->base && at - r->base < r->size) {
			if (r->kind != REGION_RESERVED)
				return r;
			reserved = r;
		}
	return reserved;
}

struct region *sim_region_of(enum region_kind kind, CUdeviceptr at)
{
	struct region *r;

	for (r = regions; r; r = r->next)
		if (r->kind == kind && at >= r->base && at - r->base < r->size)
			return r;
	return NULL;
}

char *sim_access(CUdeviceptr at, size_t bytes, CUdevice device, unsigned int access)
{
	CUdeviceptr p = at, end = at + bytes;
	char *host = NULL;

	if (end < at)
		return NULL;
	while (p < end) {
		struct region *r = sim_region(p);

		if (!r || (r->access[device] & access) != access)
			return NULL;
		if (!host)
			host = r->host + (p - r->base);
		p = r->base + r->size;
	}
	return host;
}

static int is_host(enum region_kind kind)
{
	return kind == REGION_PINNED || kind == REGION_REGISTERED ||
	       kind == REGION_MANAGED;
}

static int has_slack(const struct region *r)
{
	return r->kind != REGION_REGISTERED && r->kind != REGION_RESERVED &&
	       r->kind != REGION_MAPPING && r->kind != REGION_IPC;
}

struct region *sim_region_add(enum region_kind kind, char *host, size_t size,
                              CUdevice device)
{
	struct region *r = sim_new(1, sizeof *r);
	int i;

	r->kind = kind;
	r->host = host;
	r->base = (CUdeviceptr)(uintptr_t)host + (is_host(kind) ? 0 : DISTANCE);
	r->size = size;
	r->device = device;
	for (i = 0; i < SIM_MAX_DEVICES; i++)
		if (is_host(kind) || (has_slack(r) && i == device))
			r->access[i] = SIM_WRITE;
	r->next = regions;
	regions = r;
	return r;
}

char *sim_map(size_t bytes, size_t align, int protection)
{
	size_t length, front;
	char *all, *start;

	if (bytes > SIZE_MAX / 2)
		return NULL;
	length = pages(bytes) + 2 * PAGE + align;
	all = mmap(NULL, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
	           -1, 0);
	if (all == MAP_FAILED)
		return NULL;
	front = (align - ((uintptr_t)all + PAGE) % align) % align;
	start = all + PAGE + front;
	/* Given back: all but one page before and one after. */
	if (front)
		munmap(all, front);
	munmap(start + pages(bytes) + PAGE, align - front);
	if (protection && mprotect(start, pages(bytes), protection)) {
		sim_unmap(start, bytes);
		return NULL;
	}
	return start;
}

void sim_unmap(char *at, size_t bytes)
{
	munmap(at - PAGE, pages(bytes) + 2 * PAGE);
}

/* Repairs what it reports: the next write past the end is a new one. */
static int slack_intact(struct region *r)
{
	size_t i;
	int intact = 1;

	if (!has_slack(r))
		return 1;
	for (i = r->size; i < pages(r->size); i++)
		if ((unsigned char)r->host[i] != SLACK) {
			r->host[i] = (char)SLACK;
			overruns++;
			intact = 0;
		}
	return intact;
}

int sim_slack_intact(CUdeviceptr at)
{
	struct region *r = sim_region(at);

	return !r || slack_intact(r);
}

CUresult sim_allocate(CUdeviceptr *at, size_t bytes, enum region_kind kind,
                      CUcontext ctx)
{
	struct region *r;
	char *host;

	if (!at || !bytes)
		return CUDA_ERROR_INVALID_VALUE;
	if (bytes > SIM_DEVICE_MEMORY)
		return CUDA_ERROR_OUT_OF_MEMORY;
	host = sim_map(bytes, PAGE, PROT_READ | PROT_WRITE);
	if (!host)
		return CUDA_ERROR_OUT_OF_MEMORY;
	memset(host + bytes, SLACK, pages(bytes) - bytes);
	r = sim_region_add(kind, host, bytes, ctx->device);
	/* Pool memory belongs to a device, not to a context. */
	r->ctx = kind == REGION_POOL || kind == REGION_GRAPH ? NULL : ctx;
	sim_peer_access(r);
	*at = r->base;
	return CUDA_SUCCESS;
}

/* What other processes have opened is gone for them, too. */
static void unexport(const struct region *from)
{
	struct region *r;

	for (r = regions; r && from->id; r = r->next)
		if (r->kind == REGION_IPC && r->id == from->id)
			memset(r->access, 0, sizeof r->access);
}

void sim_region_remove(struct region *r)
{
	struct region **p;

	for (p = &regions; *p != r; p = &(*p)->next)
		;
	*p = r->next;
	if (r->kind == REGION_IPC)
		sim_unmap((char *)(uintptr_t)(r->base - DISTANCE), r->size);
	else
		unexport(r);
	if (has_slack(r)) {
		slack_intact(r);
		sim_unmap(r->host, r->size);
	}
	free(r);
}

void sim_memory_forget(CUcontext ctx)
{
	struct region *r, *next;

	for (r = regions; r; r = next) {
		next = r->next;
		if (r->ctx == ctx)
			sim_region_remove(r);
	}
}

SIM_EXPORT unsigned long long sim_overruns(void)
{
	__attribute__((cleanup(sim_unlock), unused)) int held = sim_lock();
	struct region *r;

	for (r = regions; r; r = r->next)
		slack_intact(r);
	return overruns;
}

static CUresult allocate_now(CUdeviceptr *at, size_t bytes, enum region_kind kind)
{
	CUresult result = sim_ready();

	if (result == CUDA_SUCCESS)
		result = sim_unsafe();
	return result != CUDA_SUCCESS ? result
	                              : sim_allocate(at, bytes, kind, sim_current());
}

static CUresult free_now(CUdeviceptr at, enum region_kind one, enum region_kind other)
{
	struct region *r = sim_region(at);
	CUresult result = sim_ready();

	if (result == CUDA_SUCCESS)
		result = sim_unsafe();
	if (result != CUDA_SUCCESS)
		return result;
	if (!r || r->base != at || (r->kind != one && r->kind != other))
		return CUDA_ERROR_INVALID_VALUE;
	sim_region_remove(r);
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *at, size_t bytes)
{
	SIM_CALL(cuMemAlloc_v2);
	return allocate_now(at, bytes, REGION_DEVICE);
}

SIM_EXPORT CUresult cuMemAllocPitch_v2(CUdeviceptr *at, size_t *pitch, size_t width,
                                       size_t height, unsigned int element)
{
	SIM_CALL(cuMemAllocPitch_v2);
	if (!pitch || (element != 4 && element != 8 && element != 16) || !width ||
	    !height || width > SIZE_MAX / 2)
		return CUDA_ERROR_INVALID_VALUE;
	*pitch = (width + 511) / 512 * 512;
	if (height > SIZE_MAX / *pitch)
		return CUDA_ERROR_OUT_OF_MEMORY;
	return allocate_now(at, *pitch * height, REGION_DEVICE);
}

SIM_EXPORT CUresult cuMemAllocManaged(CUdeviceptr *at, size_t bytes, unsigned int flags)
{
	SIM_CALL(cuMemAllocManaged);
	if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
		return CUDA_ERROR_INVALID_VALUE;
	return allocate_now(at, bytes, REGION_MANAGED);
}

SIM_EXPORT CUresult cuMemFree_v2(CUdeviceptr at)
{
	struct region *r;

	SIM_CALL(cuMemFree_v2);
	if (!at)
		return sim_ready();
	r = sim_region(at);
	return free_now(at, REGION_DEVICE,
	                r && r->kind == REGION_POOL ? REGION_POOL : REGION_MANAGED);
}

SIM_EXPORT CUresult cuMemGetInfo_v2(size_t *left, size_t *total)
{
	SIM_CALL(cuMemGetInfo_v2);
	if (!left || !total)
		return CUDA_ERROR_INVALID_VALUE;
	*total = SIM_DEVICE_MEMORY;
	*left = *total / 2;
	return sim_ready();
}

static CUresult allocate_host(void **at, size_t bytes)
{
	CUdeviceptr address = 0;
	CUresult result;

	if (!at)
		return CUDA_ERROR_INVALID_VALUE;
	result = allocate_now(&address, bytes, REGION_PINNED);
	if (result == CUDA_SUCCESS)
		*at = (void *)(uintptr_t)address;
	return result;
}

SIM_EXPORT CUresult cuMemHostAlloc(void **at, size_t bytes, unsigned int flags)
{
	SIM_CALL(cuMemHostAlloc);
	(void)flags;
	return allocate_host(at, bytes);
}

SIM_EXPORT CUresult cuMemAllocHost_v2(void **at, size_t bytes)
{
	SIM_CALL(cuMemAllocHost_v2);
	return allocate_host(at, bytes);
}

SIM_EXPORT CUresult cuMemFreeHost(void *at)
{
	SIM_CALL(cuMemFreeHost);
	return free_now((CUdeviceptr)(uintptr_t)at, REGION_PINNED, REGION_PINNED);
}

SIM_EXPORT CUresult cuMemHostRegister_v2(void *at, size_t bytes, unsigned int flags)
{
	SIM_CALL(cuMemHostRegister_v2);
	(void)flags;
	sim_entered = sim_ready();
	if (sim_entered == CUDA_SUCCESS)
		sim_entered = sim_unsafe();
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	if (!at || !bytes)
		return CUDA_ERROR_INVALID_VALUE;
	if (sim_region((CUdeviceptr)(uintptr_t)at))
		return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
	sim_region_add(REGION_REGISTERED, at, bytes, sim_current()->device)->ctx =
	    sim_current();
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuMemHostUnregister(void *at)
{
	SIM_CALL(cuMemHostUnregister);
	sim_entered =
	    free_now((CUdeviceptr)(uintptr_t)at, REGION_REGISTERED, REGION_REGISTERED);
	return sim_entered == CUDA_ERROR_INVALID_VALUE
	           ? CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED
	           : sim_entered;
}
