/* SPDX-License-Identifier: MIT */
/*
 * selftest.h - what the parts of memsetshim selftest share.
 *
 * The driver's functions are looked up in a process that has the library preloaded, so
 * what is called is what any program would get.
 */
#ifndef SELFTEST_H
#define SELFTEST_H

#include "../../shim/memsetshim.h"
#include "selftest_driver.h"

struct selftest {
	const char *what; /* the check at work, which begins its lines */
	void *lib;        /* libcuda */
#define DRIVER_POINTER(name, symbol, params) int(*name) params;
	DRIVER_FUNCTIONS(DRIVER_POINTER)
	DRIVER_MAY_HAVE(DRIVER_POINTER)
#undef DRIVER_POINTER
	/* The library's own, and where it is loaded. */
	const char *(*version)(void);
	int (*set_enabled)(int on);
	void (*get_stats)(struct memsetshim_stats *out, size_t size);
	uint64_t (*passed_for)(unsigned int i, const char **name);
	const void *base;
	const char *path;

	void *stream;
	device_ptr memory;
	unsigned char *native, *shimmed; /* host copies of memory */
	unsigned passed, failed, skipped;
};

enum { SELFTEST_MEMORY = 2 << 20, SELFTEST_POISON = 0xa5 };

/* One line each, on stdout: PASS, FAIL or SKIP, what, and the text. */
__attribute__((format(printf, 2, 3))) void selftest_pass(struct selftest *t,
                                                         const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void selftest_fail(struct selftest *t,
                                                         const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void selftest_skip(struct selftest *t,
                                                         const char *fmt, ...);

/* "CUDA_ERROR_NO_DEVICE", or "?" for what the driver does not know. */
const char *selftest_error(struct selftest *t, int result);

/* 1 when a call succeeded; else a FAIL line that names it and its result. */
#define SELFTEST_TRY(t, call) selftest_try(t, call, #call)
int selftest_try(struct selftest *t, int result, const char *call);

/* A memset of any of the six kinds; elem is 1, 2 or 4; height 0 is one-dimensional. */
struct selftest_memset {
	size_t offset, width, height, pitch; /* width in elements, pitch in bytes */
	unsigned value, elem;
};

/* One of each kind. */
enum { SELFTEST_KINDS = 6 };
extern const struct selftest_memset selftest_each[SELFTEST_KINDS];

/* --- selftest_graph.c --- */

/* The driver's function that does it. */
const char *selftest_name(const struct selftest_memset *m);

/* Does it on the stream; 0 after a FAIL. */
int selftest_set(struct selftest *t, const struct selftest_memset *m);

/* Captures n of them, with the library at work or not: a graph, or NULL after a FAIL.
 */
void *selftest_capture(struct selftest *t, const struct selftest_memset *m, unsigned n,
                       int shim);

/*
 * The type of a graph's nodes, of which there have to be n: MIXED where they differ or
 * are more or fewer, BROKEN after a FAIL.
 */
enum { SELFTEST_MIXED = -1, SELFTEST_BROKEN = -2 };
int selftest_nodes_type(struct selftest *t, void *graph, size_t n);

/* All of the memory, before anything that is called next; 0 after a FAIL. */
int selftest_poison(struct selftest *t, unsigned char value);

/* Launches it once, waits, and copies all of the memory; 0 after a FAIL. */
int selftest_replay(struct selftest *t, void *exec, unsigned char *copy);

/* --- the checks, in selftest_checks.c, selftest_bytes.c, selftest_speed.c --- */

void selftest_ways(struct selftest *t);
void selftest_nodes(struct selftest *t);
void selftest_bytes(struct selftest *t);
void selftest_eager(struct selftest *t);
void selftest_host(struct selftest *t);
void selftest_update(struct selftest *t);
void selftest_speed(struct selftest *t);

#endif
