/* SPDX-License-Identifier: MIT */
/*
 * verdict.h - is it faster?  Pure.
 *
 * From n independent ratios (with / without, one of each pair of runs): their median,
 * and an interval that holds the true median with at least 95 % confidence, whatever
 * the distribution: the k-th smallest and the k-th largest ratio, with the largest k
 * for which the binomial distribution still gives that.  Below 6 pairs there is none.
 */
#ifndef VERDICT_H
#define VERDICT_H

#include <stddef.h>

enum verdict { VERDICT_FASTER, VERDICT_SAME, VERDICT_SLOWER, VERDICT_UNCLEAR };

struct estimate {
	double median, low, high;
	double confidence; /* 0...1, that the true median is in [low, high] */
	size_t n;
};

/* Sorts ratios; n > 0. */
struct estimate estimate_of(double *ratios, size_t n);

/*
 * SAME: the interval lies within 1 +- margin.  FASTER: it lies below 1.  SLOWER:
 * above 1. UNCLEAR: none of these, or too few pairs for 95 %.
 */
enum verdict verdict_of(const struct estimate *estimate, double margin);

const char *verdict_name(enum verdict verdict);

#endif
