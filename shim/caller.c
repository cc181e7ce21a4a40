/* SPDX-License-Identifier: MIT */
#include "caller.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stddef.h>
#include <string.h>

#define MAX_FRAMES 32

static const char unknown[] = "(unknown code)";

static const char *object_name(const void *address)
{
	Dl_info info;
	const char *slash;

	if (!dladdr(address, &info) || !info.dli_fname || !*info.dli_fname)
		return unknown;
	slash = strrchr(info.dli_fname, '/');
	return slash ? slash + 1 : info.dli_fname;
}

/* libcudart.so.13, and what wheels make of it: libcudart-9335f6a2.so.12 */
static int is_cudart(const char *name)
{
	return !strncmp(name, "libcudart", 9) && (name[9] == '.' || name[9] == '-');
}

const char *caller_name(const void *caller)
{
	const char *direct = object_name(caller), *name;
	void *frames[MAX_FRAMES];
	int depth, i;

	if (!is_cudart(direct))
		return direct;
	/* Outwards: our own frames, libcudart's, then the one that is asked for. */
	depth = backtrace(frames, MAX_FRAMES);
	for (i = 0; i < depth; i++)
		if (is_cudart(object_name(frames[i])))
			break;
	for (; i < depth; i++) {
		name = object_name(frames[i]);
		if (!is_cudart(name))
			return name;
	}
	return direct;
}
