/* SPDX-License-Identifier: MIT */
/*
 * init.c - what happens at load, at fork and at exit.
 *
 * The constructor reads the settings.  A libcuda that the program links is mapped by
 * then, and is resolved at once: later it would take the loader's lock, which another
 * thread may hold in a constructor that waits for this one, and reset dlerror().  Any
 * other libcuda is looked for when a program first looks up one of its functions.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "capture.h"
#include "config.h"
#include "driver.h"
#include "fill.h"
#include "graph_memory.h"
#include "image.h"
#include "memsetshim.h"
#include "stats.h"

static void after_fork(void)
{
	image_after_fork();
	graph_memory_after_fork();
	capture_after_fork();
	stats_reset();
}

__attribute__((constructor)) static void init(void)
{
	/* secure_getenv: a setuid program writes no files because a user says so. */
	config_load(&config, secure_getenv);
	config_warn_unknown(environ);
	if (!config.enabled)
		fill_enable(0);
	pthread_atfork(NULL, NULL, after_fork);
	(void)driver_resolve();
	log_info("memsetshim %s (%s) loaded, %s", memsetshim_version(), GIT_ID,
	         config.enabled ? "on" : "off");
}

/* Counters only: CUDA may be gone by now. */
__attribute__((destructor)) static void fini(void)
{
	stats_print();
}
