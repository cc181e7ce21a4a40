/* SPDX-License-Identifier: MIT */
/* Asks the driver at a path for its version, rejects it, and takes the system's. */
#include <dlfcn.h>
#include <stdio.h>

static int version_of(void *driver)
{
	int (*get)(int *) = NULL;
	int version = 0;

	if (driver)
		*(void **)&get = dlsym(driver, "cuDriverGetVersion");
	return get && get(&version) == 0 ? version : -1;
}

int main(int argc, char **argv)
{
	void *driver = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW);

	printf("first %d\n", version_of(driver));
	if (driver)
		dlclose(driver);
	printf("then %d\n", version_of(dlopen("libcuda.so.1", RTLD_NOW)));
	return 0;
}
