/* SPDX-License-Identifier: MIT */
/*
 * doctor_preload.c - who is preloaded beside the library, and in which order.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "launch.h"

/*
 * 1 when the library has a dlsym of its own; -1 when it is not loaded here, where it is
 * preloaded as in every program.  Asked of its file: dlsym() may be the other's.
 */
static int wraps_dlsym(const char *entry)
{
	void *handle = dlopen(entry, RTLD_LAZY | RTLD_NOLOAD);
	struct link_map *map = NULL;
	int wraps = -1;

	if (!handle)
		return -1;
	if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map)
		wraps = target_exports(map->l_name, "dlsym");
	dlclose(handle);
	return wraps;
}

static void look_at(const char *entry, const char *shim, int before)
{
	const char *slash = strrchr(entry, '/');
	int wraps;

	if (shim && slash && !strcmp(slash + 1, SHIM_NAME)) {
		doctor_say(FINDING_WARN, "LD_PRELOAD", "%s is another copy of %s",
		           entry, SHIM_NAME);
		return;
	}
	wraps = wraps_dlsym(entry);
	if (wraps < 0)
		doctor_say(FINDING_WARN, "LD_PRELOAD", "%s could not be preloaded",
		           entry);
	else if (wraps && before)
		doctor_say(FINDING_WARN, "LD_PRELOAD",
		           "%s has a dlsym of its own and comes before %s: put ours "
		           "first, as memsetshim run does",
		           entry, SHIM_NAME);
	else
		doctor_say(FINDING_OK, "LD_PRELOAD", "%s is preloaded too%s", entry,
		           wraps ? ", and has a dlsym of its own" : "");
}

void doctor_preload(const char *shim)
{
	const char *preload = getenv("LD_PRELOAD");
	char *list, *entry, *state;
	int before = 0, others = 0;

	if (!preload || !*preload) {
		doctor_say(FINDING_OK, "LD_PRELOAD", "not set");
		return;
	}
	/* Is ours in it at all?  Then whoever stands before it matters. */
	list = text_format("%s", preload);
	for (entry = strtok_r(list, " :", &state); entry;
	     entry = strtok_r(NULL, " :", &state))
		before |= shim && find_same_file(entry, shim);
	list = text_format("%s", preload);
	for (entry = strtok_r(list, " :", &state); entry;
	     entry = strtok_r(NULL, " :", &state)) {
		if (shim && find_same_file(entry, shim)) {
			doctor_say(FINDING_OK, "LD_PRELOAD", "%s", entry);
			before = 0;
			continue;
		}
		others++;
		look_at(entry, shim, before);
	}
	if (!others)
		doctor_say(FINDING_OK, "LD_PRELOAD", "nobody else is preloaded");
}
