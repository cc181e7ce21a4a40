/* SPDX-License-Identifier: MIT */
/*
 * memsetshim.h - talk to a preloaded libmemsetshim.so from inside the program.
 *
 * Nothing here needs linking: the library is there because it was preloaded, so look
 * the functions up and go on without them when they are absent.
 *
 *     int (*set_enabled)(int) = (int (*)(int))dlsym(RTLD_DEFAULT,
 *                                                   "memsetshim_set_enabled");
 *     if (set_enabled)
 *             set_enabled(0);
 *
 * Every function may be called from any thread at any time, before CUDA is
 * initialized too; none fails, allocates, prints or calls CUDA.
 */
#ifndef MEMSETSHIM_H
#define MEMSETSHIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MEMSETSHIM_VERSION_MAJOR 0
#define MEMSETSHIM_VERSION_MINOR 1
#define MEMSETSHIM_VERSION_PATCH 0

/* "0.1.0"; a constant string, never freed. */
const char *memsetshim_version(void);

/* 1 when memsets in graphs become fill kernels, 0 when they are left alone. */
int memsetshim_enabled(void);

/*
 * Turns the substitution on (non-zero) or off (0) for the whole process, from the next
 * memset on; nodes already captured stay what they are.  Returns the former state.
 */
int memsetshim_set_enabled(int on);

/* Counted since the process started, or since it was forked. */
struct memsetshim_stats {
	uint64_t substituted; /* memsets in graphs that became fill kernel nodes */
	uint64_t substituted_bytes; /* bytes that those write at each replay */
	uint64_t passed;            /* memsets in graphs left to the driver */
	uint64_t captures;          /* captures begun */
};

/*
 * Copies the first `size` bytes of the statistics to *out: pass sizeof *out.  A newer
 * library fills what an older program knows of; what an older library does not know
 * is set to 0.  Each counter is exact; together they are no snapshot of one moment.
 */
void memsetshim_get_stats(struct memsetshim_stats *out, size_t size);

/* Memsets passed through for the i-th reason: the count, and the reason's name in
 * *name (a constant string) unless name is NULL.  0 and NULL past the last reason. */
uint64_t memsetshim_passed_for(unsigned int i, const char **name);

#ifdef __cplusplus
}
#endif

#endif
