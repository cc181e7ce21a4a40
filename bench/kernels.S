/* SPDX-License-Identifier: MIT */
/* kernels.S - the benchmark's kernels as nvcc built them. */
	.section .rodata
	.globl	bench_image
	.type	bench_image, %object
	.p2align 6
bench_image:
	.incbin	BENCH_IMAGE
	.size	bench_image, . - bench_image
	.section .note.GNU-stack, "", %progbits
