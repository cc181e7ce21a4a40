/* SPDX-License-Identifier: MIT */
/*
 * pointer.c - what the driver tells of an address.
 */
#include "sim.h"

static int is_pinned(const struct region *r)
{
	return r->kind == REGION_PINNED || r->kind == REGION_REGISTERED;
}

/* Reserved without a mapping, or allocated by a memory node: the driver knows nothing.
 */
static struct region *known(CUdeviceptr at)
{
	struct region *r = sim_region(at);

	return r && r->kind != REGION_RESERVED && r->kind != REGION_GRAPH ? r : NULL;
}

static unsigned int access_flags(const struct region *r)
{
	CUcontext ctx = sim_current();

	return r->access[ctx ? ctx->device : r->device];
}

/* A mapping without access is "not found", as on the real driver. */
SIM_EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes,
                                            CUdeviceptr at)
{
	struct region *r;

	SIM_CALL(cuMemGetAddressRange_v2);
	sim_entered = sim_ready();
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	r = known(at);
	if (!r || (r->kind == REGION_MAPPING && !access_flags(r)))
		return CUDA_ERROR_NOT_FOUND;
	if (base)
		*base = r->base;
	if (bytes)
		*bytes = r->size;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host,
                                                 unsigned int flags)
{
	struct region *r;

	SIM_CALL(cuMemHostGetDevicePointer_v2);
	sim_entered = sim_ready();
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	r = known((CUdeviceptr)(uintptr_t)host);
	if (!device || flags || !r || !is_pinned(r))
		return CUDA_ERROR_INVALID_VALUE;
	*device = (CUdeviceptr)(uintptr_t)host;
	return CUDA_SUCCESS;
}

static unsigned int memory_type(const struct region *r)
{
	return is_pinned(r) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

/* Of a mapping these two tell the whole reservation, unmapped part included. */
static const struct region *range(const struct region *r)
{
	return r->kind == REGION_MAPPING ? sim_region_of(REGION_RESERVED, r->base) : r;
}

/* r is NULL for an address that the driver does not know. */
static CUresult attribute(void *data, CUpointer_attribute name, const struct region *r,
                          CUdeviceptr at)
{
	int host_view = r && (is_pinned(r) || r->kind == REGION_MANAGED);

	switch (name) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
		*(CUcontext *)data = r ? r->ctx : NULL;
		break;
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		*(unsigned int *)data = r ? memory_type(r) : 0;
		break;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		*(CUdeviceptr *)data = r ? at : 0;
		break;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		*(void **)data = host_view ? (void *)(uintptr_t)at : NULL;
		if (r && !host_view)
			return CUDA_ERROR_INVALID_VALUE;
		break;
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		*(unsigned int *)data = r && r->kind == REGION_MANAGED;
		break;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		*(int *)data = r ? r->device : -2;
		break;
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
		*(CUdeviceptr *)data = r ? range(r)->base : 0;
		break;
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
		*(size_t *)data = r ? range(r)->size : 0;
		break;
	case CU_POINTER_ATTRIBUTE_MAPPED:
		*(unsigned int *)data = r != NULL;
		break;
	case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
		*(unsigned int *)data = r ? access_flags(r) : 0;
		break;
	case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
		*(CUmemoryPool *)data =
		    r && r->kind == REGION_POOL ? sim_pool(r->device) : NULL;
		break;
	default:
		return CUDA_ERROR_NOT_SUPPORTED;
	}
	return r ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

SIM_EXPORT CUresult cuPointerGetAttribute(void *data, CUpointer_attribute name,
                                          CUdeviceptr at)
{
	SIM_CALL(cuPointerGetAttribute);
	if (!sim_initialized())
		return CUDA_ERROR_NOT_INITIALIZED;
	return data ? attribute(data, name, known(at), at) : CUDA_ERROR_INVALID_VALUE;
}

/* Unlike the singular form it succeeds for unknown addresses, with zeros. */
SIM_EXPORT CUresult cuPointerGetAttributes(unsigned int count,
                                           CUpointer_attribute *names, void **data,
                                           CUdeviceptr at)
{
	unsigned int i;

	SIM_CALL(cuPointerGetAttributes);
	if (!sim_initialized())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!count || !names || !data)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < count; i++)
		if (attribute(data[i], names[i], known(at), at) ==
		    CUDA_ERROR_NOT_SUPPORTED)
			return CUDA_ERROR_NOT_SUPPORTED;
	return CUDA_SUCCESS;
}
