/* SPDX-License-Identifier: MIT */
/*
 * fuzz.h - what a fuzz target is: a function that takes any bytes and checks what has
 * to be true of whatever they stand for.
 *
 * clang's libFuzzer feeds it bytes that reach ever more of the code (`make fuzz`);
 * fuzz_main.c feeds it the same pseudo-random bytes in every run, with any compiler.
 * What the bytes mean is decided by the readers below, in which a byte goes a long way:
 * edges and words are as likely as anything else, so that no seeds are needed.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is not so ends the program, which is how a fuzzer knows that it found something.
 */
#define check(cond)                                                              \
	((cond) ? (void)0                                                        \
	        : (printf("# not so at %s:%d: %s\n", __FILE__, __LINE__, #cond), \
	           fflush(stdout), abort()))

struct input {
	const uint8_t *at, *end;
};

/* 0 when there is no more. */
static inline uint8_t fuzz_byte(struct input *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

static inline uint64_t fuzz_bytes(struct input *in, int n)
{
	uint64_t value = 0;

	while (n-- > 0)
		value = value << 8 | fuzz_byte(in);
	return value;
}

/* Any number of 64 bits; small ones, powers of two and their neighbours more often. */
static inline uint64_t fuzz_number(struct input *in)
{
	uint8_t first = fuzz_byte(in);

	switch (first >> 6) {
	case 0:
		return first;
	case 1:
		return fuzz_bytes(in, 2);
	case 2:
		return ((uint64_t)1 << (first & 63)) + fuzz_byte(in) - 128;
	default:
		return fuzz_bytes(in, 8) >> (first & 63);
	}
}

#endif
