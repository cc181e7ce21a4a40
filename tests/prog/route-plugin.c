/* SPDX-License-Identifier: MIT */
/*
 * A plugin (route-linked.c as a library), opened RTLD_LOCAL.
 * route-plugin PLUGIN [local | global | deep]: whether the plugin brings libcuda
 * itself, the program has opened it RTLD_GLOBAL, or the plugin is opened RTLD_DEEPBIND.
 */
#include <dlfcn.h>
#include <string.h>

#include "route.h"

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "local";
	int flags = RTLD_NOW | RTLD_LOCAL;
	int (*run)(void);

	if (argc < 2)
		return 2;
	if (!strcmp(how, "global"))
		route_open("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
	if (!strcmp(how, "deep"))
		flags |= RTLD_DEEPBIND;
	*(void **)&run = route_symbol(route_open(argv[1], flags), "route_linked");
	return run ? run() : 1;
}
