/* SPDX-License-Identifier: MIT */
/*
 * Asks for driver functions where no driver is loaded, or the one that is named lacks
 * them, every way there is, and prints the answers and what dlerror() says of them.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void ask(const char *what, void *handle, const char *name)
{
	void *found;
	const char *error, *text;

	(void)dlerror();
	found = dlsym(handle, name);
	error = dlerror();
	/* Which file it was looked for in last is the loader's business. */
	text = error ? strstr(error, ": undefined symbol: ") : NULL;
	printf("%s %s: %s, %s", what, name, found ? "found" : "NULL",
	       text    ? text + 2
	       : error ? error
	               : "no error");
	printf("%s\n", dlerror() ? ", and an error is left" : "");
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"cuMemsetD8Async",
	                                    "cuMemsetD2D32Async_ptsz",
	                                    "cuStreamBeginCapture",
	                                    "cuStreamEndCapture",
	                                    "cuGetProcAddress",
	                                    "cuGetProcAddress_v2",
	                                    "cuInit",
	                                    "cuMemsetD8Async_v9",
	                                    "cuNoSuchFunction",
	                                    "cudaMemsetAsync",
	                                    "no_library_defines_this"};
	void *self = dlopen(NULL, RTLD_LAZY);
	void *libc = dlopen("libc.so.6", RTLD_LAZY);
	void *driver = argc > 1 ? dlopen(argv[1], RTLD_LAZY | RTLD_GLOBAL) : self;
	size_t i;

	if (!driver)
		return 1;

	for (i = 0; i < sizeof names / sizeof names[0]; i++) {
		ask("default", RTLD_DEFAULT, names[i]);
		ask("next", RTLD_NEXT, names[i]);
		ask("program", self, names[i]);
		ask("libc", libc, names[i]);
		ask("driver", driver, names[i]);
	}
	ask("default", RTLD_DEFAULT, "memcpy");
	ask("next", RTLD_NEXT, "memcpy");
	ask("program", self, "memcpy");
	ask("libc", libc, "memcpy");
	/* A lookup that fails leaves the error for whoever asks, not an older one. */
	(void)dlsym(self, "first");
	(void)dlsym(RTLD_DEFAULT, "cuStreamEndCapture");
	puts(strstr(dlerror(), "cuStreamEndCapture") ? "the last error is kept"
	                                             : "an older error is kept");
	return 0;
}
