/* SPDX-License-Identifier: MIT */
/*
 * compiler.h - every compiler attribute the shim uses, and nothing else.
 */
#ifndef MSS_COMPILER_H
#define MSS_COMPILER_H

#define MSS_EXPORT __attribute__((visibility("default")))
#define MSS_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define MSS_LIKELY(x) __builtin_expect(!!(x), 1)
#define MSS_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define MSS_NOINLINE __attribute__((noinline))
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/*
 * For code that another library may enter before a sanitizer runtime has set up its
 * shadow memory: the sanitizers themselves call dlsym() while they start.
 */
#define MSS_NO_SANITIZE                                               \
	__attribute__((no_sanitize("address"), no_sanitize("thread"), \
	               no_sanitize("undefined")))

#endif
