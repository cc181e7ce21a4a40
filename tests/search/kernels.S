/* SPDX-License-Identifier: MIT */
/* kernels.S - the search's kernels as nvcc built them. */
	.section .rodata
	.globl	search_image
	.type	search_image, %object
	.p2align 6
search_image:
	.incbin	SEARCH_IMAGE
	.size	search_image, . - search_image
	.section .note.GNU-stack, "", %progbits
