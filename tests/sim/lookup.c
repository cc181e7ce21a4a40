/* SPDX-License-Identifier: MIT */
/*
 * lookup.c - cuGetProcAddress, from the one list of functions.
 */
#include <string.h>

#include "sim.h"

static const struct function {
	const char *name; /* as asked for */
	int since;
	void *address, *per_thread; /* the latter NULL where there is no twin */
} functions[] = {
#define PLAIN(base, since, name) {#base, since, (void *)name, NULL},
#define PTSZ(base, since, name) {#base, since, (void *)name, (void *)name##_ptsz},
#define PTDS(base, since, name) {#base, since, (void *)name, (void *)name##_ptds},
#include "functions.def"
#undef PLAIN
#undef PTSZ
#undef PTDS
};

#define TWINS_SINCE 7000

static CUresult lookup(const char *name, void **found, int version, cuuint64_t flags,
                       CUdriverProcAddressQueryResult *status)
{
	const struct function *best = NULL;
	int known = 0;
	size_t i;

	if (!name || !found || version > sim_version() ||
	    flags & ~(cuuint64_t)(CU_GET_PROC_ADDRESS_LEGACY_STREAM |
	                          CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) ||
	    flags == (CU_GET_PROC_ADDRESS_LEGACY_STREAM |
	              CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM))
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < ARRAY_LEN(functions); i++) {
		if (strcmp(functions[i].name, name) ||
		    functions[i].since > sim_version())
			continue;
		known = 1;
		if (functions[i].since <= version)
			best = &functions[i];
	}
	*found = best ? best->address : NULL;
	if (best && best->per_thread && version >= TWINS_SINCE &&
	    flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
		*found = best->per_thread;
	if (status)
		*status = best    ? CU_GET_PROC_ADDRESS_SUCCESS
		          : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
		                  : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	return CUDA_SUCCESS;
}

/* Where the second version tells by its status that nothing was found, this one fails.
 */
SIM_EXPORT CUresult cuGetProcAddress(const char *name, void **found, int version,
                                     cuuint64_t flags)
{
	SIM_CALL(cuGetProcAddress);
	sim_entered = lookup(name, found, version, flags, NULL);
	if (sim_entered == CUDA_SUCCESS && !*found)
		return CUDA_ERROR_NOT_FOUND;
	return sim_entered;
}

SIM_EXPORT CUresult cuGetProcAddress_v2(const char *name, void **found, int version,
                                        cuuint64_t flags,
                                        CUdriverProcAddressQueryResult *status)
{
	SIM_CALL(cuGetProcAddress_v2);
	return lookup(name, found, version, flags, status);
}
