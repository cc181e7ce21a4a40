/* SPDX-License-Identifier: MIT */
/*
 * fatbin.S - the fill kernels as nvcc built them (fill.cu), carried in the library.
 * image.c hands fill_image to the driver; fill_image_size is 0 without nvcc.
 */
	.section .rodata
	.globl	fill_image
	.hidden	fill_image
	.type	fill_image, %object
	.p2align 6
fill_image:
	.incbin	FILL_IMAGE
.Lend:
	.size	fill_image, .Lend - fill_image
	.p2align 3
	.globl	fill_image_size
	.hidden	fill_image_size
	.type	fill_image_size, %object
fill_image_size:
	.quad	.Lend - fill_image
	.size	fill_image_size, 8

	.section .note.GNU-stack, "", %progbits
