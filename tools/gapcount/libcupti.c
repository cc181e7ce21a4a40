/* SPDX-License-Identifier: MIT */
#include "libcupti.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Until 12.0 the minor version was part of the name. */
static const char *const names[] = {"libcupti.so.13",   "libcupti.so.12",
                                    "libcupti.so.11.8", "libcupti.so.11.7",
                                    "libcupti.so.11.6", "libcupti.so"};

enum { NAMES = sizeof names / sizeof *names };

static void *open_loaded(void)
{
	void *lib = NULL;
	size_t i;

	for (i = 0; !lib && i < NAMES; i++)
		lib = dlopen(names[i], RTLD_NOW | RTLD_NOLOAD);
	return lib;
}

static void *open_in(const char *folder)
{
	char path[PATH_MAX];
	void *lib = NULL;
	size_t i;

	for (i = 0; !lib && i < NAMES; i++)
		if (snprintf(path, sizeof path, "%s/%s", folder, names[i]) < PATH_MAX)
			lib = dlopen(path, RTLD_NOW);
	return lib;
}

static void *open_matching(const char *pattern)
{
	void *lib = NULL;
	glob_t found;
	size_t i;

	if (glob(pattern, 0, NULL, &found) == 0) {
		for (i = 0; !lib && i < found.gl_pathc; i++)
			lib = open_in(found.gl_pathv[i]);
		globfree(&found);
	}
	return lib;
}

/*
 * A wheel of CUPTI lies beside those that the program has loaded something from.  In
 * two steps: dlopen() may not be called while the list of libraries is walked over.
 */
static int find_wheels(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *wheels = strstr(info->dlpi_name, "/nvidia/");
	char *folder = arg;

	(void)size;
	if (!wheels || wheels - info->dlpi_name >= PATH_MAX - 32)
		return 0;
	snprintf(folder, PATH_MAX, "%.*s/nvidia", (int)(wheels - info->dlpi_name),
	         info->dlpi_name);
	return 1;
}

static void *open_wheel(void)
{
	char wheels[PATH_MAX] = "", path[PATH_MAX + 32];
	void *lib;

	dl_iterate_phdr(find_wheels, wheels);
	if (!*wheels)
		return NULL;
	snprintf(path, sizeof path, "%s/cu13/lib", wheels);
	lib = open_in(path);
	if (lib)
		return lib;
	snprintf(path, sizeof path, "%s/cuda_cupti/lib", wheels);
	return open_in(path);
}

static void *open_toolkit(const char *prefix)
{
	static const char *const folders[] = {"extras/CUPTI/lib64", "lib64", "lib"};
	char path[PATH_MAX];
	void *lib = NULL;
	size_t i;

	for (i = 0; prefix && *prefix && !lib && i < 3; i++)
		if (snprintf(path, sizeof path, "%s/%s", prefix, folders[i]) < PATH_MAX)
			lib = open_in(path);
	return lib;
}

static void *open_any(const char *given)
{
	void *lib = open_loaded();
	size_t i;

	if (!lib && given && *given)
		return dlopen(given, RTLD_NOW);
	if (!lib)
		lib = open_wheel();
	if (!lib)
		lib = open_toolkit(getenv("CUDA_HOME"));
	for (i = 0; !lib && i < NAMES; i++)
		lib = dlopen(names[i], RTLD_NOW);
	if (!lib)
		lib = open_toolkit("/usr/local/cuda");
	if (!lib)
		lib = open_matching("/usr/local/cuda-*/extras/CUPTI/lib64");
	return lib ? lib : open_matching("/usr/local/cuda-*/lib*");
}

const char *cupti_open(struct cupti *cupti, const char *given)
{
	void *lib = open_any(given);
	struct link_map *map = NULL;

	if (!lib)
		return given && *given
		           ? "the libcupti that GAPCOUNT_CUPTI names cannot be loaded"
		           : "no libcupti was found: set GAPCOUNT_CUPTI to its path";
#define CUPTI_NEED(type, name, params)              \
	*(void **)&cupti->name = dlsym(lib, #name); \
	if (!cupti->name)                           \
		return "this libcupti is too old: it has no " #name;
#define CUPTI_MAY(type, name, params) *(void **)&cupti->name = dlsym(lib, #name);
	CUPTI_FUNCTIONS(CUPTI_NEED, CUPTI_MAY)
#undef CUPTI_NEED
#undef CUPTI_MAY
	if (dlinfo(lib, RTLD_DI_LINKMAP, &map) == 0 && map)
		cupti->path = strdup(map->l_name);
	if (cupti->cuptiGetVersion(&cupti->version) != ABI_SUCCESS)
		cupti->version = 0;
	return NULL;
}

void cupti_version_text(uint32_t version, char *buf, size_t size)
{
	if (version >= 100000)
		snprintf(buf, size, "%u.%u.%u", version / 10000, version / 100 % 100,
		         version % 100);
	else
		snprintf(buf, size, "API %u", version);
}
