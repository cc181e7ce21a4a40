/* SPDX-License-Identifier: MIT */
/*
 * about.c - what the library says when it is run: ./libmemsetshim.so
 *
 * The entry point of the file, never called in a preloaded process.  Version, build,
 * variables and hooks, each from the table that the code itself uses.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "config.h"
#include "driver.h"
#include "memsetshim.h"
#include "runnable.h"

extern const uint64_t fill_image_size;

RUNNABLE_ENTRY void memsetshim_about(void);
RUNNABLE_ENTRY void memsetshim_about(void)
{
	static const char *const hooks[] = {
#define HOOK(name, params) #name,
#define CALL_NEEDED(name, params)
#define CALL(name, params)
#include "symbols.def"
#undef HOOK
#undef CALL_NEEDED
#undef CALL
	};
	size_t i;

	printf("memsetshim %s, build %s, fill kernels: %llu bytes\n"
	       "usage: LD_PRELOAD=/path/to/libmemsetshim.so PROGRAM [ARGUMENT...]\n\n"
	       "variables (name, default, meaning):\n",
	       memsetshim_version(), GIT_ID, (unsigned long long)fill_image_size);
	fflush(stdout);
	config_list(STDOUT_FILENO);
	printf("\nhooks: dlsym");
	for (i = 0; i < ARRAY_LEN(hooks); i++)
		printf(" %s", hooks[i]);
	printf("\n");
	exit(fflush(stdout) != 0);
}
