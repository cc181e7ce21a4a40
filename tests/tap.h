/* SPDX-License-Identifier: MIT */
/*
 * tap.h - the whole test framework: ok(), is(), skip(), skip_all(), done().
 *
 * Prints TAP for prove(1).  Thread-safe enough for a test that calls ok() from one
 * thread at a time.  `return done();` ends main: 0 when every check passed.
 */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int tap_count, tap_failed;

__attribute__((format(printf, 4, 5), unused)) static int
tap_result(int good, const char *file, int line, const char *fmt, ...)
{
	va_list args;

	printf("%sok %d - ", good ? "" : "not ", ++tap_count);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	if (!good) {
		tap_failed++;
		printf("# failed at %s:%d\n", file, line);
	}
	fflush(stdout);
	return good;
}

/* ok(condition, "what is %s", true); returns the condition's truth */
#define ok(cond, ...) tap_result(!!(cond), __FILE__, __LINE__, __VA_ARGS__)

/* is(got, wanted, "what"): both as long long, shown when they differ */
#define is(got, want, ...) \
	tap_is((long long)(got), (long long)(want), __FILE__, __LINE__, __VA_ARGS__)

__attribute__((format(printf, 5, 6), unused)) static int
tap_is(long long got, long long want, const char *file, int line, const char *fmt, ...)
{
	char what[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof what, fmt, args);
	va_end(args);
	tap_result(got == want, file, line, "%s", what);
	if (got != want)
		printf("# got %lld, wanted %lld\n", got, want);
	fflush(stdout);
	return got == want;
}

/* One check that cannot be made here, and why. */
#define skip(...) (printf("ok %d # SKIP ", ++tap_count), printf(__VA_ARGS__), puts(""))

/* The whole test cannot run here, and why. */
#define skip_all(...) (printf("1..0 # SKIP "), printf(__VA_ARGS__), puts(""), exit(0))

/* The rest cannot run: the set-up failed. */
#define bail(...) (printf("Bail out! "), printf(__VA_ARGS__), puts(""), exit(255))

/* The same numbers in every run: a test that fails has to fail again.  Marsaglia. */
__attribute__((unused)) static unsigned tap_random(void)
{
	static unsigned x = 2463534242;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x;
}

__attribute__((unused)) static int done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed != 0 || tap_count == 0;
}

#endif
