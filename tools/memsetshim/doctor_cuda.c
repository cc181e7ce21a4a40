/* SPDX-License-Identifier: MIT */
/*
 * doctor_cuda.c - the driver and its GPUs, by dlopen(): no cuda.h here.
 */
#include <dlfcn.h>
#include <link.h>

#include "launch.h"

/* As in cuda.h. */
enum {
	CAPABILITY_MAJOR = 75,
	CAPABILITY_MINOR = 76,
	OLDEST_DRIVER = 12000,
};

struct driver {
	int (*get_version)(int *version);
	int (*init)(unsigned int flags);
	int (*device_count)(int *count);
	int (*device_name)(char *name, int length, int device);
	int (*device_attribute)(int *value, int attribute, int device);
};

static void look_at_gpus(const struct driver *driver)
{
	int result = driver->init(0), count = 0, i;

	if (result == 0)
		result = driver->device_count(&count);
	if (result != 0 || count == 0) {
		doctor_say(FINDING_FAIL, "GPU", "none that CUDA sees (CUresult %d)",
		           result);
		return;
	}
	for (i = 0; i < count; i++) {
		char name[256] = "?";
		int major = 0, minor = 0;

		driver->device_name(name, sizeof name, i);
		driver->device_attribute(&major, CAPABILITY_MAJOR, i);
		driver->device_attribute(&minor, CAPABILITY_MINOR, i);
		doctor_say(FINDING_OK, "GPU", "%d, %s, compute capability %d.%d", i,
		           name, major, minor);
	}
}

static const char *path_of(void *handle)
{
	struct link_map *map = NULL;

	if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || !map->l_name)
		return "?";
	return map->l_name;
}

void doctor_cuda(void)
{
	void *handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	struct driver driver;
	int version = 0;

	if (!handle) {
		doctor_say(FINDING_FAIL, "driver", "%s", dlerror());
		return;
	}
	driver.get_version = (int (*)(int *))dlsym(handle, "cuDriverGetVersion");
	driver.init = (int (*)(unsigned int))dlsym(handle, "cuInit");
	driver.device_count = (int (*)(int *))dlsym(handle, "cuDeviceGetCount");
	driver.device_name =
	    (int (*)(char *, int, int))dlsym(handle, "cuDeviceGetName");
	driver.device_attribute =
	    (int (*)(int *, int, int))dlsym(handle, "cuDeviceGetAttribute");
	if (!driver.get_version || !driver.init || !driver.device_count ||
	    !driver.device_name || !driver.device_attribute ||
	    driver.get_version(&version) != 0) {
		doctor_say(FINDING_FAIL, "driver", "%s is no CUDA driver",
		           path_of(handle));
		return;
	}
	doctor_say(version < OLDEST_DRIVER ? FINDING_FAIL : FINDING_OK, "driver",
	           "%s, of CUDA %d.%d%s", path_of(handle), version / 1000,
	           version % 1000 / 10,
	           version < OLDEST_DRIVER ? ", older than 12.0" : "");
	look_at_gpus(&driver);
}
