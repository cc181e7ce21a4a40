/* SPDX-License-Identifier: MIT */
/*
 * inject.c - the library that CUDA_INJECTION64_PATH names, as the driver treats it:
 * loaded by the first cuInit that succeeds, told so once, and ignored without a word
 * where it cannot be loaded.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "sim.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done; /* under the lock; a child that inherits it has no CUDA either */
static __thread int injecting;

/* What is injected may call the driver, cuInit included; other threads wait for it. */
void sim_inject(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	int (*initialize)(void);
	void *lib;

	if (injecting)
		return;
	pthread_mutex_lock(&lock);
	if (!done) {
		done = injecting = 1;
		lib = path && *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
		if (lib) {
			*(void **)&initialize = dlsym(lib, "InitializeInjection");
			if (initialize)
				(void)initialize();
		}
		injecting = 0;
	}
	pthread_mutex_unlock(&lock);
}

/* Another thread's cuInit may have been on its way at the time of the fork. */
void sim_inject_forked(void)
{
	pthread_mutex_init(&lock, NULL);
}
