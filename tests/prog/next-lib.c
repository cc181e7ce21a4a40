/* SPDX-License-Identifier: MIT */
/*
 * One of several libraries that define the same foo() and ask dlsym for each other's.
 * NAME is this one's: a string.  PREFIX(x) makes x this one's own.
 */
#include <dlfcn.h>
#include <stddef.h>

typedef const char *(*foo_fn)(void);

const char *foo(void);
foo_fn PREFIX(next)(void);
foo_fn PREFIX(default)(void);
foo_fn PREFIX(none)(void);

const char *foo(void)
{
	return NAME;
}

static foo_fn look(void *handle, const char *name)
{
	foo_fn found;

	*(void **)&found = dlsym(handle, name);
	/* No tail call, or dlsym would take whoever called us for its caller. */
	__asm__ volatile("" : "+r"(found));
	return found;
}

foo_fn PREFIX(next)(void)
{
	return look(RTLD_NEXT, "foo");
}

foo_fn PREFIX(default)(void)
{
	return look(RTLD_DEFAULT, "foo");
}

foo_fn PREFIX(none)(void)
{
	return look(RTLD_NEXT, "no_library_defines_this");
}
