/* SPDX-License-Identifier: MIT */
#include "memory.h"

#include "graph_memory.h"

/*
 * One mapping of the range.  The plural query answers zeros for an address that the
 * driver does not know, so memory type 0 stands for "unknown".
 */
static enum reason check_mapping(CUdeviceptr at, CUcontext ctx, CUdevice device)
{
	unsigned int type = 0, access = 0;
	int managed = 0, ordinal = -1;
	CUcontext owner = NULL;
	CUpointer_attribute names[] = {
	    CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
	    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_CONTEXT,
	    CU_POINTER_ATTRIBUTE_ACCESS_FLAGS};
	void *values[] = {&type, &managed, &ordinal, &owner, &access};

	if (DRV(cuPointerGetAttributes)(ARRAY_LEN(names), names, values, at) !=
	        CUDA_SUCCESS ||
	    !type)
		return REASON_UNKNOWN;
	if (managed)
		return REASON_MANAGED;
	if (type != CU_MEMORYTYPE_DEVICE)
		return REASON_HOST;
	if (ordinal != device)
		return REASON_DEVICE;
	/* Pool and virtual memory belong to a device, not to a context: NULL. */
	if (owner && owner != ctx)
		return REASON_CONTEXT;
	if ((access & CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE) !=
	    CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE)
		return REASON_ACCESS;
	return SUBSTITUTED;
}

enum reason memory_check(CUdeviceptr dst, uint64_t bytes, CUcontext ctx,
                         cuuint64_t capture)
{
	CUdeviceptr at = dst, end = dst + bytes;
	CUdevice device;

	if (DRV(cuCtxGetDevice)(&device) != CUDA_SUCCESS)
		return REASON_STREAM;
	/* One allocation as a rule; one mapping after another in a VMM reservation. */
	while (at < end) {
		CUdeviceptr base = 0;
		size_t size = 0;
		enum reason reason = check_mapping(at, ctx, device);

		if (reason == REASON_UNKNOWN && at == dst && capture &&
		    graph_memory_has(capture, dst, bytes, device))
			return SUBSTITUTED;
		if (reason != SUBSTITUTED)
			return at == dst ? reason : REASON_RANGE;
		if (DRV(cuMemGetAddressRange_v2)(&base, &size, at) != CUDA_SUCCESS)
			return REASON_UNKNOWN;
		if (base > at || size <= at - base)
			return REASON_RANGE;
		at = base + size;
	}
	return SUBSTITUTED;
}
