/* SPDX-License-Identifier: MIT */
/*
 * Links libcuda, and loads the plugin named by its argument, whose constructor waits
 * for a thread that calls the driver for the first time.  Then: is a dlerror() kept
 * over the process's first linked call?
 */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	const char *error;

	if (argc > 1) {
		printf("plugin %s\n", dlopen(argv[1], RTLD_NOW) ? "loaded" : dlerror());
		return 0;
	}
	(void)dlopen("/nowhere/libnone.so", RTLD_NOW);
	(void)cuMemsetD8Async(0, 0, 0, NULL);
	error = dlerror();
	printf("error %s\n", error && strstr(error, "libnone") ? "kept" : "lost");
	return 0;
}
