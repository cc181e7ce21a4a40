/* SPDX-License-Identifier: MIT */
/*
 * Everything in a static constructor: before main(), and in a library's before the
 * constructors of what was preloaded.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "route.h"

static int result = -1;
static void *libcuda;

static void *by_handle(const char *name, const char *exported)
{
	(void)name;
	return route_symbol(libcuda, exported);
}

__attribute__((constructor)) static void early(void)
{
	libcuda = route_open("libcuda.so.1", RTLD_NOW);
	result = route_run(by_handle, ROUTE_CREATED);
}

#ifdef ROUTE_LIBRARY
int early_result(void);
int early_result(void)
{
	return result;
}
#else
int main(void)
{
	return result;
}
#endif
