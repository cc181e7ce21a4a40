/* SPDX-License-Identifier: MIT */
/*
 * kernels.S - the image of kernels.cu, in the test programs; empty without nvcc.
 */
	.section .rodata
	.balign 8
	.globl test_image
	.hidden test_image
test_image:
	.incbin TEST_IMAGE
	.quad 0

	.section .note.GNU-stack, "", %progbits
