/* SPDX-License-Identifier: MIT */
/*
 * guard.h - around whatever a hook does beyond the program's own call.
 *
 * In between, errno may change, the thread is not cancelled (it would leave a lock or a
 * context behind), and a hook that the driver calls back into is the driver's own
 * function.
 */
#ifndef MSS_GUARD_H
#define MSS_GUARD_H

struct guard {
	int saved_errno, cancel_state;
};

/* 1: guarded until guard_leave().  0: this thread is in between already; leave not. */
int guard_enter(struct guard *g);

/* Puts errno and the thread's cancellation back. */
void guard_leave(const struct guard *g);

#endif
