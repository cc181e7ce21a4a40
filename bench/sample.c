/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

void *need(void *memory)
{
	if (!memory) {
		fprintf(stderr, "memsetbench: out of memory\n");
		exit(1);
	}
	return memory;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct summary summarize(const double *samples, int n)
{
	size_t bytes = (size_t)n * sizeof *samples;
	double *sorted = need(malloc(bytes));
	struct summary s;
	int rank = (n * 99 + 99) / 100; /* nearest rank, counted from 1 */

	memcpy(sorted, samples, bytes);
	qsort(sorted, (size_t)n, sizeof *sorted, ascending);
	s.min = sorted[0];
	s.median = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
	s.p99 = sorted[rank - 1];
	free(sorted);
	return s;
}

double added(const struct shot *with, const struct shot *without)
{
	return (summarize(with->samples, with->sample_count).median -
	        summarize(without->samples, without->sample_count).median) /
	       with->count;
}
