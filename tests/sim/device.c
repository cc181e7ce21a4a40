/* SPDX-License-Identifier: MIT */
/*
 * device.c - initialization, the driver's version, and devices.
 */
#include <string.h>

#include "sim.h"

#define DEFAULT_VERSION 13000

static int initialized;
static int forked; /* a child of an initialized process: not to be used again */
static int driver_version = DEFAULT_VERSION;
static int devices = 2;

int sim_initialized(void)
{
	return initialized;
}

void sim_forked(void)
{
	forked |= initialized;
	initialized = 0;
}

int sim_version(void)
{
	return driver_version;
}

int sim_devices(void)
{
	return devices;
}

SIM_EXPORT void sim_driver_version(int version)
{
	__attribute__((cleanup(sim_unlock), unused)) int held = sim_lock();

	driver_version = version ? version : DEFAULT_VERSION;
}

SIM_EXPORT void sim_device_count(int count)
{
	__attribute__((cleanup(sim_unlock), unused)) int held = sim_lock();

	if (count >= 1 && count <= SIM_MAX_DEVICES)
		devices = count;
}

static CUresult initialize(unsigned int flags)
{
	SIM_CALL(cuInit);
	if (flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (forked)
		return CUDA_ERROR_NOT_INITIALIZED;
	initialized = 1;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuInit(unsigned int flags)
{
	CUresult result = initialize(flags);

	if (result == CUDA_SUCCESS)
		sim_inject(); /* without the lock */
	return result;
}

/* Needs no cuInit. */
SIM_EXPORT CUresult cuDriverGetVersion(int *version)
{
	SIM_CALL(cuDriverGetVersion);
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	*version = driver_version;
	return CUDA_SUCCESS;
}

static CUresult check(CUdevice device, const void *out)
{
	if (!initialized)
		return CUDA_ERROR_NOT_INITIALIZED;
	if (device < 0 || device >= devices)
		return CUDA_ERROR_INVALID_DEVICE;
	return out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

SIM_EXPORT CUresult cuDeviceGetCount(int *count)
{
	SIM_CALL(cuDeviceGetCount);
	sim_entered = check(0, count);
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	*count = devices;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
	SIM_CALL(cuDeviceGet);
	sim_entered = check(ordinal, device);
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	*device = ordinal;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
	static const char is[] = "Simulated GPU";
	size_t n;

	SIM_CALL(cuDeviceGetName);
	sim_entered = check(device, name);
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	if (length < 1)
		return CUDA_ERROR_INVALID_VALUE;
	n = strlen(is) < (size_t)length ? strlen(is) : (size_t)length - 1;
	memcpy(name, is, n);
	name[n] = '\0';
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
	SIM_CALL(cuDeviceGetUuid_v2);
	sim_entered = check(device, uuid);
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	memset(uuid, 0, sizeof *uuid);
	uuid->bytes[15] = (char)(device + 1);
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
	SIM_CALL(cuDeviceTotalMem_v2);
	sim_entered = check(device, bytes);
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	*bytes = SIM_DEVICE_MEMORY;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                                         CUdevice device)
{
	SIM_CALL(cuDeviceGetAttribute);
	sim_entered = check(device, value);
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	switch (attribute) {
	case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
	case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
	case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
		*value = 1024;
		break;
	case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
		*value = 64;
		break;
	case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
		*value = INT32_MAX;
		break;
	case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
	case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
		*value = 65535;
		break;
	case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
		*value = 32;
		break;
	case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
		*value = 132;
		break;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
		*value = 9;
		break;
	case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
	case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
	case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
	case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
	case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
	case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
	case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
		*value = 1;
		break;
	default:
		*value = 0;
	}
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
	SIM_CALL(cuDeviceCanAccessPeer);
	sim_entered = check(device, can);
	if (sim_entered == CUDA_SUCCESS)
		sim_entered = check(peer, can);
	if (sim_entered == CUDA_SUCCESS)
		*can = device != peer;
	return sim_entered;
}
