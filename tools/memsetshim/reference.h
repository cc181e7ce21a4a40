/* SPDX-License-Identifier: MIT */
/*
 * reference.h - PROG once at graph level, so that its times at node level have
 * something to be compared with.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

/*
 * Runs PROG as a child, and sets GAPCOUNT_REFERENCE to its report, a temporary file
 * that goes away when this process, whatever program it is by then, has ended.  0, or
 * the status to end with: PROG's own where that is not 0.
 */
int reference_run(char **argv);

#endif
