/* SPDX-License-Identifier: MIT */
/*
 * inject.c - libgapcount.so's life: the driver calls InitializeInjection() while it is
 * initialized (CUDA_INJECTION64_PATH), a thread looks after the files and the window,
 * and the report is written when the program exits.
 *
 * Whatever fails here is said in one line, and the program runs on without a report.
 */
#include "collect.h"
#include "libcupti.h"
#include "options.h"
#include "output.h"
#include "report.h"
#include "store.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static struct options options;
static struct cupti cupti;
static pthread_mutex_t wake_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake;
static int ending; /* under wake_lock */
static pthread_t helper;
static int helper_runs;
static pid_t owner;

/* Sleeps; 0 when it is time to end. */
static int sleep_for(unsigned seconds)
{
	struct timespec until;
	int go_on;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += seconds;
	pthread_mutex_lock(&wake_lock);
	while (!ending && pthread_cond_timedwait(&wake, &wake_lock, &until) == 0)
		;
	go_on = !ending;
	pthread_mutex_unlock(&wake_lock);
	return go_on;
}

/* A program that is killed, or that ends by _exit(), leaves what was written last. */
static void *help(void *unused)
{
	int files = options.interval > 0 && output_has_files(options.output);
	uint64_t written = 0;
	unsigned waited = 0;

	(void)unused;
	while (sleep_for(1)) {
		collect_tend();
		if (!files || ++waited < options.interval)
			continue;
		waited = 0;
		collect_flush(0);
		if (store_counts().seen == written)
			continue;
		written = store_counts().seen;
		report_write(&options, &cupti, 1);
	}
	return NULL;
}

static void start_helper(void)
{
	pthread_condattr_t attributes;
	sigset_t all, before;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&wake, &attributes);
	pthread_condattr_destroy(&attributes);
	/* The program's signals are for the program's threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	helper_runs = pthread_create(&helper, NULL, help, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!helper_runs)
		gapcount_say(
		    "no thread could be started: files are written at exit only");
}

static void at_exit(void)
{
	/* A child that was forked after CUDA's start has no CUDA, and no report. */
	if (getpid() != owner)
		return;
	if (helper_runs) {
		pthread_mutex_lock(&wake_lock);
		ending = 1;
		pthread_cond_signal(&wake);
		pthread_mutex_unlock(&wake_lock);
		pthread_join(helper, NULL);
	}
	collect_flush(1);
	collect_stop();
	report_write(&options, &cupti, 0);
}

static const char *start(void)
{
	const char *failure = cupti_open(&cupti, options.cupti);

	if (!failure)
		failure = collect_start(&cupti, options.level, options.max_records);
	return failure;
}

static const char *from_environment(const char *name)
{
	return getenv(name);
}

/* Called by the driver; 1 is success, and anything else would be an error of CUDA's. */
__attribute__((visibility("default"))) int InitializeInjection(void);
int InitializeInjection(void)
{
	static atomic_int started;
	int saved_errno = errno;
	const char *failure;

	if (atomic_exchange(&started, 1))
		return 1;
	owner = getpid();
	options_check_names(environ);
	options_read(&options, from_environment);
	output_check(options.output);
	store_setup(options.replays, options.max_records);
	failure = start();
	if (failure) {
		gapcount_say("no report: %s", failure);
	} else {
		start_helper();
		if (atexit(at_exit) != 0)
			gapcount_say("no report at exit: atexit() failed");
	}
	errno = saved_errno;
	return 1;
}
