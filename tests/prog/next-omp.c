/* SPDX-License-Identifier: MIT */
/*
 * What OpenMP runtimes do as they are loaded: look for another library's definition of
 * a function that they define too, and call it.
 */
#include <dlfcn.h>
#include <stdio.h>

const char *ompt_start_tool(void);

const char *ompt_start_tool(void)
{
	const char *(*next)(void);

	*(void **)&next = dlsym(RTLD_NEXT, "ompt_start_tool");
	return next ? next() : "no tool";
}

__attribute__((constructor)) static void start(void)
{
	printf("omp: %s\n", ompt_start_tool());
}
