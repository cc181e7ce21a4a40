/* SPDX-License-Identifier: MIT */
/*
 * selftest.c - memsetshim selftest: does the library work on this machine?
 *
 * Runs itself again with the library preloaded; that process does the checks.
 */
#include "selftest.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "launch.h"

enum selftest_option {
#define SELFTEST_OPTION(id, letter, name, argument, help) OPTION_##id,
#include "options.def"
#undef SELFTEST_OPTION
};

/* How the process inside knows what it is. */
#define INSIDE "SELFTEST_OF_MEMSETSHIM"

__attribute__((format(printf, 2, 0))) static void say(const char *word, const char *fmt,
                                                      va_list args)
{
	char line[1024];

	vsnprintf(line, sizeof line, fmt, args);
	printf("%s %s\n", word, line);
	fflush(stdout);
}

void selftest_pass(struct selftest *t, const char *fmt, ...)
{
	va_list args;

	t->passed++;
	va_start(args, fmt);
	say("PASS", fmt, args);
	va_end(args);
}

void selftest_fail(struct selftest *t, const char *fmt, ...)
{
	va_list args;

	t->failed++;
	va_start(args, fmt);
	say("FAIL", fmt, args);
	va_end(args);
}

void selftest_skip(struct selftest *t, const char *fmt, ...)
{
	va_list args;

	t->skipped++;
	va_start(args, fmt);
	say("SKIP", fmt, args);
	va_end(args);
}

int selftest_try(struct selftest *t, int result, const char *call)
{
	const char *name = strstr(call, "->");

	if (result == 0)
		return 1;
	name = name ? name + 2 : call;
	selftest_fail(t, "%.*s: the driver answers CUresult %d",
	              (int)strcspn(name, "("), name, result);
	return 0;
}

/* 0, or -1 after a FAIL line: without a driver there is nothing to check. */
static int find_driver(struct selftest *t)
{
	t->lib = dlopen("libcuda.so.1", RTLD_NOW);
	if (!t->lib) {
		selftest_fail(t,
		              "driver: %s; install NVIDIA's driver, or run this where "
		              "it is",
		              dlerror());
		return -1;
	}
#define DRIVER_FIND(name, symbol, params)                                         \
	*(void **)&t->name = dlsym(t->lib, #symbol);                              \
	if (!t->name) {                                                           \
		selftest_fail(t, "driver: it has no %s; it is too old", #symbol); \
		return -1;                                                        \
	}
	DRIVER_FUNCTIONS(DRIVER_FIND)
#undef DRIVER_FIND
	return 0;
}

static int set_up(struct selftest *t, int device)
{
	void *context;
	int handle, result;

	if (find_driver(t) != 0)
		return -1;
	result = t->cuInit(0);
	if (result == 0)
		result = t->cuDeviceGet(&handle, device);
	if (result != 0) {
		selftest_fail(t, "GPU: no device %d that CUDA can use (CUresult %d)",
		              device, result);
		return -1;
	}
	t->native = malloc(SELFTEST_MEMORY);
	t->shimmed = malloc(SELFTEST_MEMORY);
	if (!t->native || !t->shimmed) {
		selftest_fail(t, "out of memory");
		return -1;
	}
	if (!SELFTEST_TRY(t, t->cuDevicePrimaryCtxRetain(&context, handle)) ||
	    !SELFTEST_TRY(t, t->cuCtxSetCurrent(context)) ||
	    !SELFTEST_TRY(t, t->cuStreamCreate(&t->stream, 1 /* non-blocking */)) ||
	    !SELFTEST_TRY(t, t->cuMemAlloc(&t->memory, SELFTEST_MEMORY)))
		return -1;
	return 0;
}

static int inside(int device, int speed)
{
	struct selftest t = {0};

	*(void **)&t.set_enabled = dlsym(RTLD_DEFAULT, "memsetshim_set_enabled");
	if (!t.set_enabled) {
		selftest_fail(&t, "preload: libmemsetshim.so was not loaded; is "
		                  "LD_PRELOAD ignored here?");
	} else if (set_up(&t, device) == 0) {
		selftest_ways(&t);
		selftest_nodes(&t);
		selftest_bytes(&t);
		selftest_left_alone(&t);
		selftest_update(&t);
		if (speed)
			selftest_speed(&t);
	}
	printf("%u passed, %u failed, %u skipped\n", t.passed, t.failed, t.skipped);
	return t.failed ? STATUS_FAILED : STATUS_OK;
}

/* The user's own settings are not what is tested. */
static void clear_settings(void)
{
	const struct setting *settings;
	size_t i, n;

	settings = settings_all(&n);
	for (i = 0; i < n; i++) {
		if (!getenv(settings[i].variable) ||
		    !strncmp(settings[i].variable, "MEMSETSHIM_LOG", 14))
			continue;
		complain("selftest: %s is set; it is ignored here",
		         settings[i].variable);
		unsetenv(settings[i].variable);
	}
}

static int run_inside(char **argv, int verbose)
{
	static char self[] = "/proc/self/exe";
	const char *library = find_library(SHIM_NAME);

	if (!library)
		return STATUS_NOT_FOUND;
	clear_settings();
	run_set("LD_PRELOAD", preload_with(library, getenv("LD_PRELOAD")));
	run_set(INSIDE, "1");
	if (verbose)
		run_set("MEMSETSHIM_LOG", "trace");
	execv(self, argv);
	complain("selftest: cannot run myself again");
	return STATUS_FAILED;
}

int command_selftest(int argc, char **argv)
{
	const struct option_text *options;
	int device = 0, speed = 1, verbose = 0, i;
	char **words;
	char *end;
	size_t n;

	options = options_of("selftest", &n);
	while ((i = options_next(argc, argv, options, n)) >= 0) {
		if (i == OPTION_DEVICE) {
			device = (int)strtol(optarg, &end, 10);
			if (*optarg < '0' || *optarg > '9' || *end)
				return usage_error(
				    "selftest", "--device: '%s' is no number", optarg);
		}
		speed &= i != OPTION_NO_SPEED;
		verbose |= i == OPTION_VERBOSE;
	}
	if (i == OPTIONS_HELP)
		return STATUS_OK;
	if (i == OPTIONS_BAD)
		return STATUS_USAGE;
	if (optind < argc)
		return usage_error("selftest", "what is %s?", argv[optind]);
	if (getenv(INSIDE))
		return inside(device, speed);
	/* argv[0] is the command's name: in front of it belongs the program's. */
	words = calloc((size_t)argc + 2, sizeof *words);
	if (!words)
		return STATUS_FAILED;
	words[0] = argv[0];
	memcpy(words + 1, argv, (size_t)argc * sizeof *words);
	i = run_inside(words, verbose);
	free(words);
	return i;
}
