/* SPDX-License-Identifier: MIT */
/*
 * route.h - capture one memset of each kind through functions got in one particular
 * way.
 *
 * A route-*.c says how to get a driver function; route_run() gets them all that way,
 * and prints what kind of node each memset became and whether its bytes are right.
 */
#ifndef ROUTE_H
#define ROUTE_H

#include <cuda.h>

/*
 * `name` is the function's in the documentation (cuMemAlloc), `exported` that of its
 * symbol (cuMemAlloc_v2).  NULL: not found, which ends the program with a message.
 */
typedef void *(*route_lookup)(const char *name, const char *exported);

/* The version that cuGetProcAddress is asked for: all of route.c's functions had their
 * present form by then. */
#define ROUTE_VERSION 12030

/* Which stream to capture. */
enum route_stream { ROUTE_CREATED, ROUTE_NULL };

/* main()'s result: 0 when everything worked, whatever the nodes' kind. */
int route_run(route_lookup lookup, enum route_stream which);

/* Every function as the linker has it: route-linked.c. */
int route_linked(void);

/* dlopen() that cannot fail. */
void *route_open(const char *library, int flags);

/* dlsym() that tells of a failure and returns NULL. */
void *route_symbol(void *handle, const char *name);

#endif
