/* SPDX-License-Identifier: MIT */
/*
 * doctor_cupti.c - the CUPTI that the gap counter will use, found by its own code.
 */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "../gapcount/libcupti.h"
#include "command.h"
#include "launch.h"

/* A libcupti below a folder that may hold a Python's packages, or NULL. */
static char *wheel_below(const char *folder)
{
	static const char *const wheels[] = {"cu13", "cuda_cupti"};
	char *path = NULL;
	size_t i;

	for (i = 0; i < ARRAY_LEN(wheels) && !path; i++) {
		char *pattern = text_format("%s/python3*/[sd]i[st][et]-packages/"
		                            "nvidia/%s/lib/libcupti.so.*",
		                            folder, wheels[i]);
		glob_t found;

		if (glob(pattern, 0, NULL, &found) == 0) {
			path = text_format("%s", found.gl_pathv[0]);
			globfree(&found);
		}
	}
	return path;
}

/* In each folder that a Python of this user's may keep its packages in. */
static char *wheel_anywhere(void)
{
	const char *home = getenv("HOME");
	const char *virtual_env = getenv("VIRTUAL_ENV");
	const char *conda = getenv("CONDA_PREFIX");
	const char *python = find_program("python3");
	const char *folders[] = {
	    virtual_env ? text_format("%s/lib", virtual_env) : NULL,
	    conda ? text_format("%s/lib", conda) : NULL,
	    python ? text_format("%.*s/../lib", (int)(strrchr(python, '/') - python),
	                         python)
	           : NULL,
	    home ? text_format("%s/.local/lib", home) : NULL,
	    "/usr/local/lib",
	    "/usr/lib",
	};
	char *path = NULL;
	size_t i;

	for (i = 0; i < ARRAY_LEN(folders) && !path; i++)
		if (folders[i])
			path = wheel_below(folders[i]);
	return path;
}

void doctor_cupti(void)
{
	const char *given = getenv("GAPCOUNT_CUPTI");
	struct cupti cupti = {.path = NULL};
	const char *why = cupti_open(&cupti, given);
	char version[64];
	char *wheel;

	if (!why) {
		cupti_version_text(cupti.version, version, sizeof version);
		doctor_say(FINDING_OK, "CUPTI", "%s, %s", cupti.path ? cupti.path : "?",
		           version);
		return;
	}
	/* The counter finds this one from inside a program that uses such wheels. */
	wheel = given && *given ? NULL : wheel_anywhere();
	if (wheel)
		doctor_say(FINDING_OK, "CUPTI",
		           "%s, a wheel: for programs that load CUDA from wheels; for "
		           "others --cupti PATH",
		           wheel);
	else
		doctor_say(FINDING_WARN, "CUPTI", "memsetshim gaps wants one: %s", why);
}
