/* SPDX-License-Identifier: MIT */
/*
 * sim_control.h - how a test drives the simulated driver.
 *
 * Found with dlsym(RTLD_DEFAULT, ...): a program that also runs on the real driver must
 * not need them.  The presence of sim_reset is how tests know the simulation.  Function
 * names are the exported ones, "cuMemAlloc_v2".  Thread-safe.
 */
#ifndef SIM_CONTROL_H
#define SIM_CONTROL_H

#include <cuda.h>
#include <stddef.h>

/*
 * Forgets faults, callbacks, counts, the log and sim_driver_version(); what the program
 * made of the driver (contexts, memory, graphs) stays.
 */
void sim_reset(void);

/*
 * The nth call (1: the next) of `function` from now returns `result`, doing nothing.
 * One fault per function at a time; nth 0 takes it back.
 */
void sim_fail(const char *function, int nth, CUresult result);

/* Calls of `function` since the last sim_reset(), failed ones included. */
int sim_calls(const char *function);

/*
 * Runs callback(arg) in every call of `function` before it works, in the calling
 * thread, no lock held.  The callback may call the driver; those calls do not call
 * back.
 */
void sim_on_call(const char *function, void (*callback)(void *), void *arg);

/*
 * The names of the functions called since sim_log_start(), in order; NULL past the end.
 * The log stays readable after sim_log_stop().
 */
void sim_log_start(void);
void sim_log_stop(void);
const char *sim_log_entry(int i);

/* What cuDriverGetVersion says, and the newest that lookups know; 13000 by default. */
void sim_driver_version(int version);

/* How many devices there are (1 to 8), 2 by default.  Before cuInit. */
void sim_device_count(int count);

/* Kernels run so far, in and out of graphs; memset nodes are not kernels. */
unsigned long long sim_kernel_launches(void);

/* What is there now and would be a leak, were nobody to end it. */
struct sim_live {
	int libraries;   /* and modules, loaded */
	int graphs;      /* those of captures, copies and executable graphs too */
	int streams;     /* but for the default ones, which come by themselves */
	int allocations; /* mappings and registered memory too */
};
struct sim_live sim_live(void);

/* Bytes found changed between an allocation's end and its guard page. */
unsigned long long sim_overruns(void);

/*
 * A kernel that libraries and modules loaded later contain, whatever their image.  It
 * runs once per launch, with pointers to its parameters.  sim_host() is the one
 * function that it may call; an address that sim_host() refuses is an illegal one.
 */
void sim_add_kernel(const char *name, int params, const size_t *sizes,
                    void (*run)(void *const *params));

/* The host's view of device memory, NULL unless all of it is mapped. */
void *sim_host(CUdeviceptr at, size_t bytes);

#endif
