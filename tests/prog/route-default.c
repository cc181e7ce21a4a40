/* SPDX-License-Identifier: MIT */
/*
 * dlopen() with RTLD_GLOBAL, then dlsym(RTLD_DEFAULT), or with the argument "self" the
 * handle of the program itself.
 */
#include <dlfcn.h>
#include <string.h>

#include "route.h"

static void *scope = RTLD_DEFAULT;

static void *by_default(const char *name, const char *exported)
{
	(void)name;
	return route_symbol(scope, exported);
}

int main(int argc, char **argv)
{
	route_open("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
	if (argc > 1 && !strcmp(argv[1], "self"))
		scope = route_open(NULL, RTLD_NOW);
	return route_run(by_default, ROUTE_CREATED);
}
