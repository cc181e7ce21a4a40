/* SPDX-License-Identifier: MIT */
/*
 * deepbind.h - what a library offers that is opened with RTLD_DEEPBIND.
 */
#ifndef DEEPBIND_H
#define DEEPBIND_H

#include "outside.h"

typedef CUresult (*deepbind_get)(const char *, void **, int, cuuint64_t,
                                 CUdriverProcAddressQueryResult *);

struct deepbind {
	CUresult (*begin)(CUstream stream);
	CUresult (*end)(CUstream stream, CUgraph *graph);
	outside_set set;
	outside_set (*looked_up)(void);         /* by dlsym */
	outside_set (*asked)(deepbind_get get); /* by a function that it was given */
};

extern const struct deepbind deepbind;

#endif
