/* SPDX-License-Identifier: MIT */
/*
 * unload-main PLUGIN...: each captures, is unloaded, and then its graph is replayed;
 * with an argument "late=SHIM" the shim itself is opened there, and closed after a
 * capture.
 */
#include <dlfcn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drv.h"
#include "unload.h"

static void *open_or_end(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);

	if (!library) {
		printf("%s\n", dlerror());
		exit(1);
	}
	return library;
}

static void plugin(const char *path)
{
	__typeof__(&unload_capture) capture;
	void *library = open_or_end(path);
	CUgraph graph = NULL;

	*(void **)&capture = dlsym(library, "unload_capture");
	must(capture(outside_stream(), outside_memory(), &graph));
	dlclose(library);
	if (dlopen(path, RTLD_NOW | RTLD_NOLOAD))
		puts("still loaded");
	outside_show("plugin", graph);
	outside_capture("program");
}

/* Bound as everything is, nothing of the program's goes through it. */
static void late(const char *path)
{
	void *shim = open_or_end(path);

	outside_capture("with the shim opened late");
	dlclose(shim);
	outside_capture("and closed");
	fflush(stdout);
	if (fork() == 0)
		_exit(0);
	wait(NULL);
}

int main(int argc, char **argv)
{
	int i;

	outside_start();
	for (i = 1; i < argc; i++)
		if (!strncmp(argv[i], "late=", 5))
			late(argv[i] + 5);
		else
			plugin(argv[i]);
	return 0;
}
