/* SPDX-License-Identifier: MIT */
/*
 * A libcuda.so.1 that says what it is told to: VERSION and GPUS.  Opens FILE, as a
 * driver opens devices, and leaves it open.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

static int told(const char *name, int otherwise)
{
	const char *value = getenv(name);

	return value ? atoi(value) : otherwise;
}

int cuDriverGetVersion(int *version);
int cuDriverGetVersion(int *version)
{
	*version = told("VERSION", 12040);
	return 0;
}

int cuInit(unsigned int flags);
int cuInit(unsigned int flags)
{
	const char *file = getenv("FILE");

	if (getenv("CUDA_INJECTION64_PATH") || getenv("NVTX_INJECTION64_PATH"))
		return 998;
	if (file && open(file, O_WRONLY | O_CREAT, 0644) < 0)
		return 999;
	return (int)flags + told("RESULT", 0);
}

int cuDeviceGetCount(int *count);
int cuDeviceGetCount(int *count)
{
	*count = told("GPUS", 2);
	return 0;
}

int cuDeviceGetName(char *name, int length, int device);
int cuDeviceGetName(char *name, int length, int device)
{
	snprintf(name, (size_t)length, "GPU number %d", device);
	return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device)
{
	*value = attribute - 70 + device;
	return 0;
}
