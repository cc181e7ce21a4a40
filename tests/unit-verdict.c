/* SPDX-License-Identifier: MIT */
/*
 * compare's verdict: an interval that holds the true median with 95 % confidence,
 * whatever the distribution, or an admission that the pairs are too few.
 */
#include "verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static int near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static void test_six(void)
{
	double ratios[] = {0.93, 0.91, 0.95, 0.92, 0.94, 0.90};
	struct estimate e = estimate_of(ratios, 6);

	ok(near(e.median, 0.925), "six: the median");
	ok(near(e.low, 0.90) && near(e.high, 0.95), "the smallest and the largest");
	ok(near(e.confidence, 1 - 2.0 / 64), "96.9 %% confidence");
	is(verdict_of(&e, 0.005), VERDICT_FASTER, "all below 1: faster");
}

static void test_more(void)
{
	double ratios[20];
	struct estimate e;
	int i;

	for (i = 0; i < 20; i++)
		ratios[i] = 1.001 + 0.001 * ((7 * i) % 20);
	e = estimate_of(ratios, 20);
	/* The sign test's table: of 20 the 6th smallest to the 6th largest, 95.9 %. */
	ok(near(e.low, 1.006) && near(e.high, 1.015), "twenty: the 6th from each end");
	ok(fabs(e.confidence - 0.9586) < 0.0001, "95.9 %% confidence");
	is(verdict_of(&e, 0.005), VERDICT_SLOWER, "all above 1: slower");
	is(verdict_of(&e, 0.02), VERDICT_SAME, "within the margin: the same");
}

static void test_few(void)
{
	double five[] = {0.5, 0.5, 0.5, 0.5, 0.5}, one[] = {0.5};
	struct estimate e = estimate_of(five, 5);

	is(verdict_of(&e, 0.005), VERDICT_UNCLEAR, "five pairs: too few");
	ok(near(e.confidence, 1 - 2.0 / 32), "which is 93.75 %%");
	e = estimate_of(one, 1);
	is(verdict_of(&e, 0.005), VERDICT_UNCLEAR, "one pair says nothing");
	ok(near(e.median, 0.5) && near(e.low, 0.5) && near(e.high, 0.5), "but itself");
	ok(near(e.confidence, 0), "without any confidence");
}

static void test_unclear(void)
{
	double ratios[] = {0.9, 1.1, 0.95, 1.05, 0.99, 1.01};
	double barely[] = {0.996, 0.999, 0.998, 0.997, 0.9999, 0.9985};
	struct estimate e = estimate_of(ratios, 6);

	is(verdict_of(&e, 0.005), VERDICT_UNCLEAR, "on both sides of 1: unclear");
	e = estimate_of(barely, 6);
	is(verdict_of(&e, 0.005), VERDICT_SAME,
	   "faster by less than matters: the same");
	is(verdict_of(&e, 0), VERDICT_FASTER, "without a margin: faster");
}

/* Drawn from a skewed distribution: the interval misses its median as rarely as it
 * says. */
static void test_coverage(void)
{
	unsigned missed = 0, round, i;
	double ratios[11];

	for (round = 0; round < 20000; round++) {
		struct estimate e;

		for (i = 0; i < 11; i++)
			ratios[i] = -log((tap_random() + 1.0) / 4294967297.0);
		e = estimate_of(ratios, 11);
		missed += e.low > log(2) || e.high < log(2);
		if (round == 0)
			ok(e.confidence >= 0.95 && e.confidence < 0.99,
			   "eleven: %.2f %% confidence", 100 * e.confidence);
	}
	ok(missed > 100 && missed < 1000, "the interval misses in %.2f %% of the cases",
	   missed / 200.0);
}

int main(void)
{
	test_six();
	test_more();
	test_few();
	test_unclear();
	test_coverage();
	ok(!strcmp(verdict_name(VERDICT_UNCLEAR), "UNCLEAR"), "it has a name");
	return done();
}
