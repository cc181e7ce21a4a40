/* SPDX-License-Identifier: MIT */
/*
 * Says whether the kernel started it as a privileged program.  It is linked to the
 * shim, as such a program preloads nothing.
 */
#include <cuda.h>
#include <stdio.h>
#include <sys/auxv.h>

int main(void)
{
	int version = 0;

	/* The driver is there, so that there are statistics to print. */
	if (cuDriverGetVersion(&version) != CUDA_SUCCESS)
		return 1;
	puts(getauxval(AT_SECURE) ? "secure" : "plain");
	return 0;
}
