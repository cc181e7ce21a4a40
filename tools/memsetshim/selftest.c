/* SPDX-License-Identifier: MIT */
/*
 * selftest.c - memsetshim selftest: does the library work on this machine?
 *
 * Runs itself again with the library preloaded; that process does the checks.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "launch.h"
#include "selftest.h"

enum selftest_option {
#define SELFTEST_OPTION(id, letter, name, argument, help) OPTION_##id,
#include "options.def"
#undef SELFTEST_OPTION
};

/* Its first argument tells the process inside what it is.  Not for users. */
#define INSIDE "--inside"

__attribute__((format(printf, 3, 0))) static void
say(const char *word, const struct selftest *t, const char *fmt, va_list args)
{
	char line[1024];

	vsnprintf(line, sizeof line, fmt, args);
	printf("%s %s: %s\n", word, t->what, line);
	fflush(stdout);
}

void selftest_pass(struct selftest *t, const char *fmt, ...)
{
	va_list args;

	t->passed++;
	va_start(args, fmt);
	say("PASS", t, fmt, args);
	va_end(args);
}

void selftest_fail(struct selftest *t, const char *fmt, ...)
{
	va_list args;

	t->failed++;
	va_start(args, fmt);
	say("FAIL", t, fmt, args);
	va_end(args);
}

void selftest_skip(struct selftest *t, const char *fmt, ...)
{
	va_list args;

	t->skipped++;
	va_start(args, fmt);
	say("SKIP", t, fmt, args);
	va_end(args);
}

const char *selftest_error(struct selftest *t, int result)
{
	const char *name = NULL;

	return t->cuGetErrorName(result, &name) == 0 && name ? name : "?";
}

int selftest_try(struct selftest *t, int result, const char *call)
{
	const char *name = strstr(call, "->");

	if (result == 0)
		return 1;
	name = name ? name + 2 : call;
	selftest_fail(t, "%.*s: CUresult %d (%s); the driver or the GPU is in trouble",
	              (int)strcspn(name, "("), name, result, selftest_error(t, result));
	return 0;
}

/* 0, or -1 after a FAIL line: without a driver there is nothing to check. */
static int find_driver(struct selftest *t)
{
	t->what = "driver";
	t->lib = dlopen("libcuda.so.1", RTLD_NOW);
	if (!t->lib) {
		selftest_fail(t, "%s; install NVIDIA's driver, or run this where it is",
		              dlerror());
		return -1;
	}
#define DRIVER_FIND(name, symbol, params)                                       \
	*(void **)&t->name = dlsym(t->lib, #symbol);                            \
	if (!t->name) {                                                         \
		selftest_fail(t, "it has no %s; install a newer one", #symbol); \
		return -1;                                                      \
	}
	DRIVER_FUNCTIONS(DRIVER_FIND)
#undef DRIVER_FIND
#define DRIVER_LOOK(name, symbol, params) *(void **)&t->name = dlsym(t->lib, #symbol);
	DRIVER_MAY_HAVE(DRIVER_LOOK)
#undef DRIVER_LOOK
	return 0;
}

static int set_up(struct selftest *t, int device)
{
	const char *call = "cuInit";
	void *context;
	int handle, result;

	if (find_driver(t) != 0)
		return -1;
	t->what = "GPU";
	result = t->cuInit(0);
	if (result == 0) {
		call = "cuDeviceGet";
		result = t->cuDeviceGet(&handle, device);
	}
	if (result != 0) {
		selftest_fail(t,
		              "no device %d that CUDA can use: %s: CUresult %d (%s); "
		              "does nvidia-smi list it, and CUDA_VISIBLE_DEVICES not "
		              "hide it?",
		              device, call, result, selftest_error(t, result));
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
	    !SELFTEST_TRY(t, t->cuStreamCreate(&t->stream, STREAM_NON_BLOCKING)) ||
	    !SELFTEST_TRY(t, t->cuMemAlloc(&t->memory, SELFTEST_MEMORY)))
		return -1;
	return 0;
}

/* 0, or -1 after a FAIL line: is the library here, and the one beside this command? */
static int find_loaded(struct selftest *t)
{
	const char *wanted = find_library(SHIM_NAME);
	Dl_info info;

	t->what = "preload";
	*(void **)&t->version = dlsym(RTLD_DEFAULT, "memsetshim_version");
	*(void **)&t->set_enabled = dlsym(RTLD_DEFAULT, "memsetshim_set_enabled");
	*(void **)&t->get_stats = dlsym(RTLD_DEFAULT, "memsetshim_get_stats");
	*(void **)&t->passed_for = dlsym(RTLD_DEFAULT, "memsetshim_passed_for");
	if (!t->version || !t->set_enabled || !t->get_stats || !t->passed_for ||
	    !dladdr(*(void **)&t->version, &info) || !info.dli_fname) {
		selftest_fail(t, "%s was not loaded; is LD_PRELOAD ignored here?",
		              SHIM_NAME);
		return -1;
	}
	t->base = info.dli_fbase;
	t->path = info.dli_fname;
	if (wanted && !find_same_file(t->path, wanted)) {
		selftest_fail(t, "%s was loaded instead of %s", t->path, wanted);
		return -1;
	}
	return 0;
}

static int inside(int device, int speed, int verbose)
{
	struct selftest t = {0};

	if (find_loaded(&t) == 0 && set_up(&t, device) == 0) {
		t.what = "preload";
		selftest_pass(&t, "%s %s is loaded%s%s", SHIM_NAME, t.version(),
		              verbose ? " from " : "", verbose ? t.path : "");
		selftest_ways(&t);
		selftest_nodes(&t);
		selftest_bytes(&t);
		selftest_eager(&t);
		selftest_host(&t);
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
	const char *names = "";
	size_t i, n;

	settings = settings_all(&n);
	for (i = 0; i < n; i++) {
		if (!getenv(settings[i].variable) ||
		    !strncmp(settings[i].variable, "MEMSETSHIM_LOG", 14))
			continue;
		names = text_format("%s %s", names, settings[i].variable);
		unsetenv(settings[i].variable);
	}
	if (*names)
		complain("selftest: your settings are ignored here:%s", names);
}

/* Returns only on failure. */
static int run_inside(int argc, char **argv, int verbose)
{
	static char self[] = "/proc/self/exe", name[] = "memsetshim", inside[] = INSIDE;
	const char *library = find_library(SHIM_NAME);
	char **words;

	if (!library)
		return STATUS_NOT_FOUND;
	words = calloc((size_t)argc + 3, sizeof *words);
	if (!words)
		return STATUS_FAILED;
	words[0] = name;
	words[1] = argv[0];
	words[2] = inside;
	memcpy(words + 3, argv + 1, (size_t)(argc - 1) * sizeof *words);
	clear_settings();
	run_set("LD_PRELOAD", preload_with(library, getenv("LD_PRELOAD")));
	if (verbose)
		run_set("MEMSETSHIM_LOG", "trace");
	execv(self, words);
	complain("selftest: cannot run myself again");
	free(words);
	return STATUS_FAILED;
}

/* 0 for a number. */
static int read_device(const char *text, int *device)
{
	char *end;
	long n;

	n = strtol(text, &end, 10);
	*device = (int)n;
	return *text < '0' || *text > '9' || *end || n != *device;
}

int command_selftest(int argc, char **argv)
{
	const struct option_text *options;
	int device = 0, speed = 1, verbose = 0, is_inside, i;
	size_t n;

	is_inside = argc > 1 && !strcmp(argv[1], INSIDE);
	if (is_inside) {
		argv[1] = argv[0];
		argv++;
		argc--;
	}
	options = options_of("selftest", &n);
	while ((i = options_next(argc, argv, options, n)) >= 0) {
		if (i == OPTION_DEVICE && read_device(optarg, &device) != 0)
			return usage_error("selftest", "--device: '%s' is no number",
			                   optarg);
		speed &= i != OPTION_NO_SPEED;
		verbose |= i == OPTION_VERBOSE;
	}
	if (i == OPTIONS_HELP)
		return STATUS_OK;
	if (i == OPTIONS_BAD)
		return STATUS_USAGE;
	if (optind < argc)
		return usage_error("selftest", "what is %s?", argv[optind]);
	if (is_inside)
		return inside(device, speed, verbose);
	return run_inside(argc, argv, verbose);
}
