/* SPDX-License-Identifier: MIT */
#include "guard.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static __thread int inside __attribute__((tls_model("initial-exec")));

int guard_enter(struct guard *g)
{
	if (inside)
		return 0;
	g->saved_errno = errno;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &g->cancel_state);
	inside = 1;
	return 1;
}

void guard_leave(const struct guard *g)
{
	inside = 0;
	pthread_setcancelstate(g->cancel_state, NULL);
	errno = g->saved_errno;
}
