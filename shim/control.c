/* SPDX-License-Identifier: MIT */
/*
 * control.c - the functions of memsetshim.h.
 */
#include <string.h>

#include "compiler.h"
#include "fill.h"
#include "memsetshim.h"
#include "stats.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define VERSION                        \
	TEXT(MEMSETSHIM_VERSION_MAJOR) \
	"." TEXT(MEMSETSHIM_VERSION_MINOR) "." TEXT(MEMSETSHIM_VERSION_PATCH)

MSS_EXPORT const char *memsetshim_version(void)
{
	return VERSION;
}

MSS_EXPORT int memsetshim_enabled(void)
{
	return fill_enabled();
}

MSS_EXPORT int memsetshim_set_enabled(int on)
{
	return fill_enable(on);
}

MSS_EXPORT void memsetshim_get_stats(struct memsetshim_stats *out, size_t size)
{
	struct memsetshim_stats now = {.substituted = stats_count(SUBSTITUTED),
	                               .substituted_bytes = stats_bytes(),
	                               .captures = stats_captures()};
	int reason;

	for (reason = SUBSTITUTED + 1; reason < REASON_COUNT; reason++)
		now.passed += stats_count((enum reason)reason);
	memset(out, 0, size);
	memcpy(out, &now, size < sizeof now ? size : sizeof now);
}

MSS_EXPORT uint64_t memsetshim_passed_for(unsigned int i, const char **name)
{
	int known = i < REASON_COUNT - SUBSTITUTED - 1;
	enum reason reason = known ? (enum reason)(SUBSTITUTED + 1 + i) : SUBSTITUTED;

	if (name)
		*name = known ? reason_text(reason) : NULL;
	return known ? stats_count(reason) : 0;
}
