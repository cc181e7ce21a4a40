/* SPDX-License-Identifier: MIT */
/*
 * child.h - PROG as a child that is waited for, as a terminal's user expects it: keys
 * go to both, PROG decides; what else would end us is passed on to it.
 */
#ifndef CHILD_H
#define CHILD_H

/*
 * Runs argv[0] to its end; prepare(context) is called in the child, before.  Returns
 * its wait status, the number of a signal that told us to end meanwhile (as a status of
 * a process killed by it), or -1 after a complaint.
 */
int child_run(char **argv, void (*prepare)(void *context), void *context);

/*
 * From here on a signal that would end us is only remembered, for those who have files
 * to remove; child_run() minds it, and child_received() tells it: 0, or its number.
 */
void child_guard(void);
int child_received(void);

/* Ends as a child with that wait status did: returns its exit status, or dies alike. */
int child_end_like(int status);

#endif
