/* SPDX-License-Identifier: MIT */
/*
 * function.c - attributes of functions and kernels: the same of each, as nothing here
 * is compiled.
 */
#include "sim.h"

static CUresult attribute(int *value, CUfunction_attribute name)
{
	if (!value)
		return CUDA_ERROR_INVALID_VALUE;
	switch (name) {
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
		*value = 1024;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_NUM_REGS:
		*value = 16;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_PTX_VERSION:
	case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
		*value = 90;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		*value = 48 << 10;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		*value = -1; /* left to the driver */
		return CUDA_SUCCESS;
	default:
		*value = 0;
		return (unsigned int)name < CU_FUNC_ATTRIBUTE_MAX
		           ? CUDA_SUCCESS
		           : CUDA_ERROR_INVALID_VALUE;
	}
}

SIM_EXPORT CUresult cuFuncGetAttribute(int *value, CUfunction_attribute name,
                                       CUfunction function)
{
	SIM_CALL(cuFuncGetAttribute);
	if (!sim_kernel_of(function))
		return CUDA_ERROR_INVALID_HANDLE;
	return attribute(value, name);
}

SIM_EXPORT CUresult cuKernelGetAttribute(int *value, CUfunction_attribute name,
                                         CUkernel kernel, CUdevice device)
{
	SIM_CALL(cuKernelGetAttribute);
	if (!kernel || kernel->magic != SIM_KERNEL_MAGIC)
		return CUDA_ERROR_INVALID_HANDLE;
	if (device < 0 || device >= sim_devices())
		return CUDA_ERROR_INVALID_DEVICE;
	return attribute(value, name);
}
