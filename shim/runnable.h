/* SPDX-License-Identifier: MIT */
/*
 * runnable.h - what makes a shared library a program as well: an interpreter, and an
 * entry point, which the linker is told by -Wl,-e.  Include it in one file of a
 * library.
 */
#ifndef RUNNABLE_H
#define RUNNABLE_H

#if defined(__x86_64__)
#define RUNNABLE_LOADER "/lib64/ld-linux-x86-64.so.2"
/* The kernel enters with the stack aligned as no C function expects it. */
#define RUNNABLE_ENTRY __attribute__((force_align_arg_pointer, noreturn))
#else
#define RUNNABLE_LOADER "/lib/ld-linux-aarch64.so.1"
#define RUNNABLE_ENTRY __attribute__((noreturn))
#endif

extern const char loader_path[];
__attribute__((section(".interp"), used)) const char loader_path[] = RUNNABLE_LOADER;

#endif
