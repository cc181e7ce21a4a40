/* SPDX-License-Identifier: MIT */
#include "drv.h"

extern const unsigned char test_image[];

CUfunction drv_kernel(const char *name)
{
	static CUlibrary library;
	CUkernel kernel;

	if (!library)
		must(cuLibraryLoadData(&library, test_image, NULL, NULL, 0, NULL, NULL,
		                       0));
	must(cuLibraryGetKernel(&kernel, library, name));
	return (CUfunction)kernel;
}

CUresult drv_launch_copy(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream stream,
                         int overlap)
{
	uint64_t bytes = n;
	void *params[] = {&to, &from, &bytes};
	CUlaunchAttribute attribute = {
	    .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION};
	CUlaunchConfig config = {.gridDimX = 1,
	                         .gridDimY = 1,
	                         .gridDimZ = 1,
	                         .blockDimX = 256,
	                         .blockDimY = 1,
	                         .blockDimZ = 1,
	                         .hStream = stream,
	                         .attrs = &attribute,
	                         .numAttrs = 1};

	attribute.value.programmaticStreamSerializationAllowed = overlap;
	return cuLaunchKernelEx(&config, drv_kernel("sim_copy_bytes"), params, NULL);
}
