/* SPDX-License-Identifier: MIT */
/*
 * vmm.c - virtual memory management: reserve, create, map, set access.
 *
 * Physical memory is only a size and a device here: a mapping is the reserved pages
 * themselves, so the same handle mapped twice is two memories.
 */
#include <sys/mman.h>

#include "sim.h"

#define GRANULARITY ((size_t)2 << 20)

struct physical {
	size_t bytes;
	CUdevice device;
	int held; /* by the program */
	int mappings;
};

static int valid_props(const CUmemAllocationProp *prop)
{
	return prop && prop->type == CU_MEM_ALLOCATION_TYPE_PINNED &&
	       prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
	       prop->location.id >= 0 && prop->location.id < sim_devices();
}

SIM_EXPORT CUresult
cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *prop,
                              CUmemAllocationGranularity_flags option)
{
	SIM_CALL(cuMemGetAllocationGranularity);
	(void)option;
	if (!bytes || !valid_props(prop))
		return CUDA_ERROR_INVALID_VALUE;
	*bytes = GRANULARITY;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuMemAddressReserve(CUdeviceptr *at, size_t bytes, size_t align,
                                        CUdeviceptr wanted, unsigned long long flags)
{
	char *host;

	SIM_CALL(cuMemAddressReserve);
	(void)wanted; /* a hint */
	if (!sim_initialized())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!at || flags || !bytes || bytes % GRANULARITY || (align & (align - 1)))
		return CUDA_ERROR_INVALID_VALUE;
	host = sim_map(bytes, align > GRANULARITY ? align : GRANULARITY, PROT_NONE);
	if (!host)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*at = sim_region_add(REGION_RESERVED, host, bytes, 0)->base;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuMemAddressFree(CUdeviceptr at, size_t bytes)
{
	struct region *r;

	SIM_CALL(cuMemAddressFree);
	r = sim_region_of(REGION_RESERVED, at);
	if (!r || r->base != at || r->size != bytes)
		return CUDA_ERROR_INVALID_VALUE;
	for (r = sim_regions(); r; r = r->next)
		if (r->kind == REGION_MAPPING && r->base >= at && r->base - at < bytes)
			return CUDA_ERROR_INVALID_VALUE;
	r = sim_region_of(REGION_RESERVED, at);
	sim_unmap(r->host, r->size);
	sim_region_remove(r);
	return CUDA_SUCCESS;
}

static struct physical *physical(CUmemGenericAllocationHandle handle)
{
	return (struct physical *)(uintptr_t)handle;
}

SIM_EXPORT CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                                const CUmemAllocationProp *prop,
                                unsigned long long flags)
{
	struct physical *p;

	SIM_CALL(cuMemCreate);
	if (!sim_initialized())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!handle || flags || !bytes || bytes % GRANULARITY || !valid_props(prop))
		return CUDA_ERROR_INVALID_VALUE;
	p = sim_new(1, sizeof *p);
	p->bytes = bytes;
	p->device = prop->location.id;
	p->held = 1;
	*handle = (CUmemGenericAllocationHandle)(uintptr_t)p;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
	SIM_CALL(cuMemRelease);
	if (!handle || !physical(handle)->held)
		return CUDA_ERROR_INVALID_VALUE;
	physical(handle)->held = 0;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuMemMap(CUdeviceptr at, size_t bytes, size_t offset,
                             CUmemGenericAllocationHandle handle,
                             unsigned long long flags)
{
	struct region *r, *m;

	SIM_CALL(cuMemMap);
	r = sim_region_of(REGION_RESERVED, at);
	if (flags || offset || !handle || !physical(handle)->held || !r || !bytes ||
	    bytes != physical(handle)->bytes || (at - r->base) % GRANULARITY ||
	    bytes > r->size - (at - r->base))
		return CUDA_ERROR_INVALID_VALUE;
	for (m = sim_regions(); m; m = m->next)
		if (m->kind == REGION_MAPPING && m->base < at + bytes &&
		    at < m->base + m->size)
			return CUDA_ERROR_INVALID_VALUE;
	if (mprotect(r->host + (at - r->base), bytes, PROT_READ | PROT_WRITE))
		return CUDA_ERROR_OUT_OF_MEMORY;
	m = sim_region_add(REGION_MAPPING, r->host + (at - r->base), bytes,
	                   physical(handle)->device);
	m->handle = handle;
	physical(handle)->mappings++;
	return CUDA_SUCCESS;
}

/* 1 when mappings, whole ones, cover [at, at + bytes) without a gap. */
static int covered(CUdeviceptr at, size_t bytes)
{
	CUdeviceptr p = at;

	while (p < at + bytes) {
		struct region *r = sim_region_of(REGION_MAPPING, p);

		if (!r || r->base != p || r->size > at + bytes - p)
			return 0;
		p += r->size;
	}
	return 1;
}

SIM_EXPORT CUresult cuMemSetAccess(CUdeviceptr at, size_t bytes,
                                   const CUmemAccessDesc *desc, size_t count)
{
	struct region *r;
	size_t i;

	SIM_CALL(cuMemSetAccess);
	if (!desc || !count || !bytes || !covered(at, bytes))
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < count; i++)
		if (desc[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
		    desc[i].location.id < 0 || desc[i].location.id >= sim_devices())
			return CUDA_ERROR_INVALID_VALUE;
	for (r = sim_regions(); r; r = r->next) {
		if (r->kind != REGION_MAPPING || r->base < at || r->base - at >= bytes)
			continue;
		for (i = 0; i < count; i++)
			r->access[desc[i].location.id] = desc[i].flags;
	}
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuMemUnmap(CUdeviceptr at, size_t bytes)
{
	struct region *r, *next;

	SIM_CALL(cuMemUnmap);
	if (!bytes || !covered(at, bytes))
		return CUDA_ERROR_INVALID_VALUE;
	for (r = sim_regions(); r; r = next) {
		next = r->next;
		if (r->kind != REGION_MAPPING || r->base < at || r->base - at >= bytes)
			continue;
		/* Fresh pages, should they be mapped again. */
		madvise(r->host, r->size, MADV_DONTNEED);
		mprotect(r->host, r->size, PROT_NONE);
		physical(r->handle)->mappings--;
		sim_region_remove(r);
	}
	return CUDA_SUCCESS;
}
