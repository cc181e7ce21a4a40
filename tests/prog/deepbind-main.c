/* SPDX-License-Identifier: MIT */
/*
 * deepbind-main LIBRARY BEGIN SET END: opens the library with RTLD_DEEPBIND and
 * captures a memset; BEGIN and END are who begins and ends the capture, main or deep,
 * and SET whose memset it is: main, deep, looked-up or asked (cuGetProcAddress).
 */
#include <dlfcn.h>
#include <string.h>

#include "deepbind.h"
#include "drv.h"

static outside_set memset_of(const char *who, const struct deepbind *deep)
{
	if (!strcmp(who, "deep"))
		return deep->set;
	if (!strcmp(who, "looked-up"))
		return deep->looked_up();
	if (!strcmp(who, "asked"))
		return deep->asked(cuGetProcAddress);
	return cuMemsetD8Async;
}

static int by_deep(const char *who)
{
	return !strcmp(who, "deep");
}

int main(int argc, char **argv)
{
	const struct deepbind *deep;
	CUstream stream;
	CUgraph graph;
	outside_set set;
	void *library;
	char what[64];

	if (argc != 5)
		return 2;
	library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
	deep = library ? dlsym(library, "deepbind") : NULL;
	if (!deep)
		bail("%s", dlerror());
	outside_start();
	stream = outside_stream();
	set = memset_of(argv[3], deep);
	if (!set)
		bail("%s: no memset", argv[3]);
	must(by_deep(argv[2])
	         ? deep->begin(stream)
	         : cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	must(set(outside_memory(), 0x3c, OUTSIDE_BYTES, stream));
	must(by_deep(argv[4]) ? deep->end(stream, &graph)
	                      : cuStreamEndCapture(stream, &graph));
	snprintf(what, sizeof what, "%s %s %s", argv[2], argv[3], argv[4]);
	outside_show(what, graph);
	/* Whatever the mixture was, the next of the program's own is as ever. */
	outside_capture("afterwards");
	must(cuMemsetD8Async(outside_memory(), 0, 1, stream));
	must(cuStreamSynchronize(stream));
	return 0;
}
