/* SPDX-License-Identifier: MIT */
/*
 * doctor.c - memsetshim doctor: what keeps the library from working here?
 *
 * One line for each thing looked at, on stdout: it is what was asked for.
 */
#include <errno.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "launch.h"

static int failures;

void doctor_say(enum finding finding, const char *what, const char *fmt, ...)
{
	static const char *const words[] = {"ok", "warn", "FAIL"};
	va_list args;

	failures += finding == FINDING_FAIL;
	printf("%-4s  %s: ", words[finding], what);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	/* What comes next may crash: a driver, another library. */
	fflush(stdout);
}

static const char *look_at_library(void)
{
	char line[PATH_MAX * 2], *version;
	const char *path = find_library_why(SHIM_NAME, line, sizeof line);

	if (!path) {
		doctor_say(FINDING_FAIL, "library", "%s", line);
		return NULL;
	}
	if (version_ask(path, line, sizeof line) != 0) {
		doctor_say(FINDING_FAIL, "library", "%s cannot be loaded: %s", path,
		           line);
		return path;
	}
	version = text_format("memsetshim %s,", version_text);
	if (strstr(line, "fill kernels: 0 bytes"))
		doctor_say(FINDING_FAIL, "library",
		           "%s was built without nvcc, so without fill kernels", path);
	else if (strncmp(line, version, strlen(version)))
		doctor_say(FINDING_WARN, "library",
		           "%s is of another version than this command (%s): %s", path,
		           version_text, line);
	else
		doctor_say(FINDING_OK, "library", "%s, %s", path, line);
	return path;
}

static void look_at_counter(void)
{
	char why[PATH_MAX * 2];
	const char *path = find_library_why(GAPCOUNT_NAME, why, sizeof why);

	if (path)
		doctor_say(FINDING_OK, "gap counter", "%s", path);
	else
		doctor_say(FINDING_WARN, "gap counter", "%s", why);
}

/* Whoever else CUDA is told to load; run does not mind, gaps does. */
static void look_at_injection(const char *holder, const char *nvtx)
{
	char why[PATH_MAX * 2];
	const char *counter = find_library_why(GAPCOUNT_NAME, why, sizeof why);

	if (!holder || !*holder)
		doctor_say(FINDING_OK, "CUDA_INJECTION64_PATH", "not set");
	else if (counter && find_same_file(holder, counter))
		doctor_say(FINDING_OK, "CUDA_INJECTION64_PATH", "the gap counter");
	else
		doctor_say(FINDING_WARN, "CUDA_INJECTION64_PATH",
		           "%s has it: memsetshim gaps wants --force", holder);
	if (nvtx && *nvtx)
		doctor_say(FINDING_WARN, "NVTX_INJECTION64_PATH",
		           "%s has it: another profiler may hold CUPTI", nvtx);
	else
		doctor_say(FINDING_OK, "NVTX_INJECTION64_PATH", "not set");
}

static void look_at_settings(void)
{
	static const char prefix[] = "MEMSETSHIM";
	char why[512];
	int found = 0;
	char **entry;

	for (entry = environ; *entry; entry++) {
		size_t length = strcspn(*entry, "=");
		char *name = text_format("%.*s", (int)length, *entry);

		if (strncmp(name, prefix, sizeof prefix - 1) || !(*entry)[length])
			continue;
		found = 1;
		if (settings_check(name, *entry + length + 1, why, sizeof why) != 0)
			doctor_say(FINDING_WARN, "setting", "%s", why);
		else if (!strcmp(*entry, "MEMSETSHIM=0"))
			doctor_say(FINDING_WARN, "setting",
			           "MEMSETSHIM=0: the library leaves all as it is");
		else
			doctor_say(FINDING_OK, "setting", "%s", *entry);
	}
	if (!found)
		doctor_say(FINDING_OK, "settings", "no variable is set: the defaults");
}

static void look_at_program(const char *name, const char *library)
{
	char why[PATH_MAX + 64];
	char *path = find_program(name);

	if (!path)
		doctor_say(FINDING_FAIL, "program", "%s: %s", name, strerror(errno));
	else if (target_trouble(path, library, why, sizeof why))
		doctor_say(FINDING_FAIL, "program",
		           "%s, so nothing is preloaded into it", why);
	else
		doctor_say(FINDING_OK, "program", "%s", path);
}

int command_doctor(int argc, char **argv)
{
	const char *library, *injection, *nvtx;

	if (argc > 2)
		return usage_error("doctor", "one program at a time");
	if (argc == 2 && argv[1][0] == '-')
		return usage_error("doctor", "there is no option %s", argv[1]);
	/* Nothing may be injected into this process: it starts CUDA itself. */
	injection = getenv("CUDA_INJECTION64_PATH");
	nvtx = getenv("NVTX_INJECTION64_PATH");
	injection = injection ? text_format("%s", injection) : NULL;
	nvtx = nvtx ? text_format("%s", nvtx) : NULL;
	unsetenv("CUDA_INJECTION64_PATH");
	unsetenv("NVTX_INJECTION64_PATH");

	library = look_at_library();
	look_at_counter();
	doctor_say(FINDING_OK, "libc", "glibc %s", gnu_get_libc_version());
	doctor_preload(library);
	look_at_settings();
	look_at_injection(injection, nvtx);
	if (argc == 2)
		look_at_program(argv[1], library);
	doctor_cuda();
	doctor_cupti();
	return failures ? STATUS_FAILED : STATUS_OK;
}
