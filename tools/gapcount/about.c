/* SPDX-License-Identifier: MIT */
/*
 * about.c - what the library says when it is run: ./libgapcount.so
 */
#include <stdio.h>
#include <stdlib.h>

#include "memsetshim.h"
#include "options.h"
#include "runnable.h"

#define WORD_OF(number) #number
#define WORD(number) WORD_OF(number)

const char gapcount_version[] = WORD(MEMSETSHIM_VERSION_MAJOR) "." WORD(
    MEMSETSHIM_VERSION_MINOR) "." WORD(MEMSETSHIM_VERSION_PATCH);

#define LEVEL_WORD(level) ((level) == GAP_LEVEL_NODE ? "node" : "graph")

RUNNABLE_ENTRY void gapcount_about(void);
RUNNABLE_ENTRY void gapcount_about(void)
{
	static const struct {
		const char *name, *usual, *help;
	} variables[] = {
#define LEVEL(field, variable, def, help) {variable, LEVEL_WORD(def), help},
#define COUNT(field, variable, def, min, max, help) {variable, #def, help},
#define TEXT(field, variable, def, help) {variable, def, help},
#include "options.def"
#undef LEVEL
#undef COUNT
#undef TEXT
	};
	size_t i;

	printf("gapcount %s, build %s\n"
	       "usage: CUDA_INJECTION64_PATH=/path/to/libgapcount.so PROGRAM "
	       "[ARGUMENT...]\n\n"
	       "variables (name, default, meaning):\n",
	       gapcount_version, GIT_ID);
	for (i = 0; i < sizeof variables / sizeof *variables; i++)
		printf("%s\t%s\t%s\n", variables[i].name,
		       variables[i].usual ? variables[i].usual : "none",
		       variables[i].help);
	exit(fflush(stdout) != 0);
}
