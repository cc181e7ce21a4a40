/* SPDX-License-Identifier: MIT */
/*
 * ipc.c - memory handles for other processes, opened in this one: a second address of
 * the same bytes.  The real driver opens them in other processes only.
 */
#include <string.h>
#include <sys/mman.h>

#include "sim.h"

#define MAGIC 0x73696d697063ull

struct handle {
	unsigned long long magic, id;
};

static struct region *exported(const CUipcMemHandle *handle)
{
	struct handle h;
	struct region *r;

	memcpy(&h, handle, sizeof h);
	if (h.magic != MAGIC || !h.id)
		return NULL;
	for (r = sim_regions(); r; r = r->next)
		if (r->kind == REGION_DEVICE && r->id == h.id)
			return r;
	return NULL;
}

SIM_EXPORT CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr at)
{
	struct handle h = {.magic = MAGIC};
	struct region *r;

	SIM_CALL(cuIpcGetMemHandle);
	sim_entered = sim_ready();
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	r = sim_region(at);
	if (!handle || !r || r->kind != REGION_DEVICE)
		return CUDA_ERROR_INVALID_VALUE;
	if (!r->id)
		r->id = sim_next_id();
	h.id = r->id;
	memset(handle, 0, sizeof *handle);
	memcpy(handle, &h, sizeof h);
	return CUDA_SUCCESS;
}

/* An address range of its own, without pages: what it stands for is `from`'s. */
static CUresult open_region(CUdeviceptr *at, const struct region *from)
{
	char *range = sim_map(from->size, 4096, PROT_NONE);
	struct region *r;

	if (!range)
		return CUDA_ERROR_MAP_FAILED;
	r = sim_region_add(REGION_IPC, range, from->size, from->device);
	r->host = from->host;
	r->ctx = sim_current();
	r->id = from->id;
	r->access[from->device] = r->access[sim_current()->device] = SIM_WRITE;
	*at = r->base;
	return CUDA_SUCCESS;
}

static CUresult open_handle(CUdeviceptr *at, CUipcMemHandle handle, unsigned int flags)
{
	CUresult result = sim_ready();
	struct region *from, *r;

	if (result == CUDA_SUCCESS)
		result = sim_unsafe();
	if (result != CUDA_SUCCESS)
		return result;
	if (!at || flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
		return CUDA_ERROR_INVALID_VALUE;
	from = exported(&handle);
	if (!from)
		return CUDA_ERROR_INVALID_HANDLE;
	for (r = sim_regions(); r; r = r->next)
		if (r->kind == REGION_IPC && r->id == from->id &&
		    r->ctx == sim_current()) {
			r->opened++;
			*at = r->base;
			return CUDA_SUCCESS;
		}
	return open_region(at, from);
}

SIM_EXPORT CUresult cuIpcOpenMemHandle(CUdeviceptr *at, CUipcMemHandle handle,
                                       unsigned int flags)
{
	SIM_CALL(cuIpcOpenMemHandle);
	return open_handle(at, handle, flags);
}

SIM_EXPORT CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *at, CUipcMemHandle handle,
                                          unsigned int flags)
{
	SIM_CALL(cuIpcOpenMemHandle_v2);
	return open_handle(at, handle, flags);
}

SIM_EXPORT CUresult cuIpcCloseMemHandle(CUdeviceptr at)
{
	struct region *r;

	SIM_CALL(cuIpcCloseMemHandle);
	sim_entered = sim_ready();
	if (sim_entered == CUDA_SUCCESS)
		sim_entered = sim_unsafe();
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	r = sim_region(at);
	if (!r || r->kind != REGION_IPC || r->base != at)
		return CUDA_ERROR_INVALID_VALUE;
	if (r->opened)
		r->opened--;
	else
		sim_region_remove(r);
	return CUDA_SUCCESS;
}
