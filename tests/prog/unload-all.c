/* SPDX-License-Identifier: MIT */
/*
 * unload-all LIBRARY: opens a library that brings libcuda, lets it use it, closes it,
 * and does so again.  Linked to neither.  As the library, what is done there.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#include "unload.h"

#ifdef UNLOAD_LIBRARY

void unload_all(const char *what)
{
	outside_start();
	outside_capture(what);
}

#else

/* Where the driver was nobody may be: a pointer into it that was kept shows. */
static void bar(const void *place)
{
	void *here = (void *)((uintptr_t)place & ~(uintptr_t)4095);

	(void)mmap(here, 4096, PROT_NONE,
	           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

int main(int argc, char **argv)
{
	int round;

	for (round = 1; argc == 2 && round <= 3; round++) {
		void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
		__typeof__(&unload_all) all;
		void *libcuda, *place;
		char what[16];

		if (!library) {
			printf("%s\n", dlerror());
			return 1;
		}
		*(void **)&all = dlsym(library, "unload_all");
		snprintf(what, sizeof what, "round %d", round);
		all(what);
		place = dlsym(library, "cuInit");
		dlclose(library);
		bar(place);
		/* A second user of the driver, who keeps its handle for a moment. */
		libcuda = dlopen("libcuda.so.1", RTLD_NOW);
		printf("cuMemsetD8Async %s\n",
		       libcuda && dlsym(libcuda, "cuMemsetD8Async") ? "there" : "gone");
		if (libcuda)
			dlclose(libcuda);
	}
	return round != 4;
}

#endif
