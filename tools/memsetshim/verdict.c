/* SPDX-License-Identifier: MIT */
#include "verdict.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * That the true median is between the k-th smallest and the k-th largest of n:
 * 1 - 2 P(fewer than k of n coins show heads).
 */
static double coverage(size_t n, size_t k)
{
	double term = 1, sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		term /= 2;
	for (i = 0; i < k; i++) {
		sum += term;
		term = term * (double)(n - i) / (double)(i + 1);
	}
	return 1 - 2 * sum;
}

struct estimate estimate_of(double *ratios, size_t n)
{
	struct estimate estimate = {.n = n};
	size_t k = 1;

	qsort(ratios, n, sizeof *ratios, by_value);
	while (2 * (k + 1) <= n && coverage(n, k + 1) >= 0.95)
		k++;
	estimate.median = (ratios[(n - 1) / 2] + ratios[n / 2]) / 2;
	estimate.low = ratios[k - 1];
	estimate.high = ratios[n - k];
	estimate.confidence = n > 1 ? coverage(n, k) : 0;
	return estimate;
}

enum verdict verdict_of(const struct estimate *estimate, double margin)
{
	if (estimate->confidence < 0.95)
		return VERDICT_UNCLEAR;
	if (estimate->low >= 1 - margin && estimate->high <= 1 + margin)
		return VERDICT_SAME;
	if (estimate->high < 1)
		return VERDICT_FASTER;
	return estimate->low > 1 ? VERDICT_SLOWER : VERDICT_UNCLEAR;
}

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = {"FASTER", "SAME", "SLOWER", "UNCLEAR"};

	return names[verdict];
}
