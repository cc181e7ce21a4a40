/* SPDX-License-Identifier: MIT */
/*
 * Prints whose foo() each library is given, by every kind of handle.
 * next-main LIBRARY: one to be opened in a namespace of its own and, if DEEPBIND is set
 * in the environment, with RTLD_DEEPBIND.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef const char *(*foo_fn)(void);

foo_fn a_next(void), b_next(void), c_next(void);
foo_fn a_default(void), b_default(void), c_default(void);
foo_fn a_none(void), c_none(void);

static void show(const char *what, foo_fn found)
{
	printf("%s: %s\n", what, found ? found() : "NULL");
}

static foo_fn look(void *handle, const char *name)
{
	foo_fn found;

	*(void **)&found = dlsym(handle, name);
	return found;
}

static void show_error(const char *what, void *handle, const char *name)
{
	foo_fn found = look(handle, name);
	const char *first = dlerror(), *second;

	printf("%s: %s, %s", what, found ? "found" : "NULL",
	       first ? first : "no error");
	second = dlerror();
	printf(", then %s\n", second ? second : "no error");
}

/* The functions that next-lib.c defines for a library d, asked for in that library. */
static void show_library(const char *what, void *handle)
{
	static const char *const names[] = {"d_next", "d_default", "d_none"};
	size_t i;

	if (!handle) {
		printf("%s: %s\n", what, dlerror());
		return;
	}
	show(what, look(handle, "foo"));
	for (i = 0; i < sizeof names / sizeof names[0]; i++) {
		foo_fn (*ask)(void);

		*(void **)&ask = dlsym(handle, names[i]);
		printf("%s, %s: ", what, names[i]);
		show("gives", ask ? ask() : NULL);
	}
	show_error(what, handle, "no_library_defines_this");
	show_error(what, handle, "cuNoSuchFunction");
}

int main(int argc, char **argv)
{
	const char *library = argc > 1 ? argv[1] : "none";

	show("a's next", a_next());
	show("b's next", b_next());
	show("c's next", c_next());
	show("a's default", a_default());
	show("b's default", b_default());
	show("c's default", c_default());
	show("a's next of nothing", a_none());
	show("c's next of nothing", c_none());
	show("the program's next", look(RTLD_NEXT, "foo"));
	show("the program's default", look(RTLD_DEFAULT, "foo"));
	show("dlopen(NULL)", look(dlopen(NULL, RTLD_LAZY), "foo"));
	show_error("default", RTLD_DEFAULT, "no_library_defines_this");
	show_error("next", RTLD_NEXT, "no_library_defines_this");
	show_error("next", RTLD_NEXT, "cuNoSuchFunction");
	if (getenv("DEEPBIND"))
		show_library("deep", dlopen(library, RTLD_NOW | RTLD_DEEPBIND));
	else
		show_library("namespace", dlmopen(LM_ID_NEWLM, library, RTLD_NOW));
	show_library("local", dlopen(library, RTLD_NOW | RTLD_LOCAL));
	show("interposed_name", look(RTLD_DEFAULT, "interposed_name"));
	return 0;
}
