/* SPDX-License-Identifier: MIT */
/* dlopen() of the library named by the argument, then dlsym() with that handle. */
#include <dlfcn.h>

#include "route.h"

static void *libcuda;

static void *by_handle(const char *name, const char *exported)
{
	(void)name;
	return route_symbol(libcuda, exported);
}

int main(int argc, char **argv)
{
	libcuda =
	    route_open(argc > 1 ? argv[1] : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	return route_run(by_handle, ROUTE_CREATED);
}
