/* SPDX-License-Identifier: MIT */
/*
 * The simulated driver's memory of others: a peer's without access is refused, and a
 * handle opens a second address of the same bytes.
 */
#include <string.h>

#include "drv.h"

#define SIZE 100u

static CUcontext ctx;

static CUresult instantiate(CUdeviceptr at)
{
	CUDA_MEMSET_NODE_PARAMS set = {
	    .dst = at, .value = 1, .elementSize = 1, .width = SIZE, .height = 1};
	CUgraphNode node;
	CUgraphExec exec;
	CUgraph graph;
	CUresult result;

	must(cuGraphCreate(&graph, 0));
	must(cuGraphAddMemsetNode(&node, graph, NULL, 0, &set, ctx));
	result = cuGraphInstantiateWithFlags(&exec, graph, 0);
	if (result == CUDA_SUCCESS)
		must(cuGraphExecDestroy(exec));
	must(cuGraphDestroy(graph));
	return result;
}

static unsigned int access_to(CUdeviceptr at)
{
	unsigned int flags = 99;

	must(cuPointerGetAttribute(&flags, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, at));
	return flags;
}

static void peers(void)
{
	CUcontext other;
	CUdeviceptr at;

	must(cuDevicePrimaryCtxRetain(&other, 1));
	must(cuCtxPushCurrent(other));
	at = drv_alloc(SIZE);
	must(cuCtxPopCurrent(NULL));
	is(access_to(at), CU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE, "a peer's: no access");
	is(instantiate(at), CUDA_ERROR_INVALID_VALUE, "and no memset");
	must(cuCtxEnablePeerAccess(other, 0));
	is(access_to(at), CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE, "until enabled");
	is(instantiate(at), CUDA_SUCCESS, "then a memset too");
	must(cuCtxDisablePeerAccess(other));
	is(access_to(at), CU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE, "not when disabled");
	is(instantiate(at), CUDA_ERROR_INVALID_VALUE, "nor a memset");
	must(cuCtxEnablePeerAccess(other, 0));
	must(cuDevicePrimaryCtxRelease(1));
	must(cuDevicePrimaryCtxRetain(&other, 1));
	is(cuCtxDisablePeerAccess(other), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED,
	   "it ends with the peer's context");
	must(cuDevicePrimaryCtxRelease(1));
}

static void handles(void)
{
	CUdeviceptr at = drv_alloc(SIZE), there = 0, again = 0, base = 0;
	CUresult (*open)(CUdeviceptr *, CUipcMemHandle, unsigned int);
	unsigned int flags = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS;
	CUipcMemHandle handle;
	unsigned char byte = 0;
	size_t bytes = 0;

	*(void **)&open = drv_entry("cuIpcOpenMemHandle");
	must(cuIpcGetMemHandle(&handle, at));
	is(cuIpcOpenMemHandle(&there, handle, 0), CUDA_ERROR_INVALID_VALUE,
	   "a handle is opened by its flag only");
	is(cuIpcOpenMemHandle(&there, handle, flags), CUDA_SUCCESS, "a handle");
	ok(there && there != at, "is opened at another address");
	is(open(&again, handle, flags), CUDA_SUCCESS, "by the old form too");
	ok(again == there, "where it is already");
	must(cuMemGetAddressRange(&base, &bytes, there + 7));
	ok(base == there && bytes == SIZE, "of the same size");
	must(cuMemsetD8(there, 0x42, SIZE));
	drv_read(&byte, at + SIZE - 1, 1);
	is(byte, 0x42, "and the same bytes");
	is(instantiate(there), CUDA_SUCCESS, "a memset node may set them");
	is(cuMemFree(there), CUDA_ERROR_INVALID_VALUE, "it is not for freeing");
	must(cuIpcCloseMemHandle(there));
	is(access_to(there), CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE,
	   "closed once of twice: still there");
	must(cuIpcCloseMemHandle(there));
	is(cuIpcCloseMemHandle(there), CUDA_ERROR_INVALID_VALUE, "closed: gone");
	must(cuMemFree(at));
	is(cuIpcOpenMemHandle(&there, handle, flags), CUDA_ERROR_INVALID_HANDLE,
	   "and with the memory its handle");
}

int main(void)
{
	ctx = drv_start();
	if (!drv_is_sim())
		skip_all("needs the simulated driver");
	peers();
	handles();
	return done();
}
