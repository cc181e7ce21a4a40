/* SPDX-License-Identifier: MIT */
/*
 * fuzz_main.c - a fuzz target without a fuzzer: the same inputs in every run.
 */
#include <string.h>

#include "fuzz.h"
#include "tap.h"

#define INPUTS 40000
#define LONGEST 200

int main(int argc, char **argv)
{
	uint8_t data[LONGEST] = {0};
	int i;

	(void)argc;
	LLVMFuzzerTestOneInput(data, 0);
	for (i = 0; i < INPUTS; i++) {
		size_t size = tap_random() % (LONGEST + 1), n;
		uint8_t *copy = malloc(size ? size : 1);

		if (!copy)
			bail("out of memory");
		for (n = 0; n < size; n++)
			data[n] = (uint8_t)(tap_random() >> 11);
		/* Of its exact size: a sanitizer sees what reads behind it. */
		memcpy(copy, data, size);
		LLVMFuzzerTestOneInput(copy, size);
		free(copy);
	}
	ok(1, "%s: %d inputs, all is as it has to be", argv[0], INPUTS);
	return done();
}
