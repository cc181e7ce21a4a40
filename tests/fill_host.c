/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "fill_host.h"

#define FILL_FN static inline
#define FILL_STORE1(a, v) (*(uint8_t *)(uintptr_t)(a) = (v))
#define FILL_STORE4(a, v) (*(uint32_t *)(uintptr_t)(a) = (v))
#define FILL_STORE16(a, v)                                         \
	do {                                                       \
		uint32_t four[4] = {(v), (v), (v), (v)};           \
		memcpy((void *)(uintptr_t)(a), four, sizeof four); \
	} while (0)
#include "fill_run.h"

void fill_host_run(const struct plan *p)
{
	fill_run(p);
}

int fill_host_plan(const char *kernel, unsigned int grid, unsigned int block_x,
                   unsigned int block_y, void *const *params, struct plan *p)
{
	void *slots[PLAN_PARAMS];
	const size_t sizes[PLAN_PARAMS] = {
	    sizeof p->dst,   sizeof p->pattern, sizeof p->elem,   sizeof p->width,
	    sizeof p->pitch, sizeof p->height,  sizeof p->columns};
	int k, i;

	memset(p, 0, sizeof *p);
	for (k = 0; k < KERNEL_COUNT; k++)
		if (!strcmp(kernel, fill_kernel_name((enum fill_kernel)k)))
			break;
	if (k == KERNEL_COUNT)
		return -1;
	p->kernel = (enum fill_kernel)k;
	p->grid = grid;
	p->block_x = block_x;
	p->block_y = block_y;
	plan_params(p, slots);
	for (i = 0; i < fill_kernel_params(p->kernel); i++)
		memcpy(slots[i], params[i], sizes[i]);
	return 0;
}
