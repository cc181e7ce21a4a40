/* SPDX-License-Identifier: MIT */
/*
 * dlsym.S - the exported dlsym: ask where to go, then jump there.
 *
 * glibc resolves RTLD_NEXT, RTLD_DEFAULT and linker namespaces relative to the caller,
 * which it knows by the return address.  A wrapper that *calls* the real dlsym becomes
 * that caller and changes the answer (an OpenMP runtime that asks for the next
 * definition of its own symbol then finds itself, for ever).  So the arguments are put
 * back and the real function is *jumped* to: it sees the program's return address.  A
 * C tail call does the same at -O2 only, hence assembly.
 *
 * lookup_route(handle, name), lookup.c, returns the address to jump to.
 */
	.text
	.globl	dlsym
	.type	dlsym, %function
	.hidden	lookup_route

#if defined(__x86_64__)
	.p2align 4
dlsym:
	.cfi_startproc
	endbr64
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	lookup_route
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	jmp	*%rax
	.cfi_endproc

#elif defined(__aarch64__)
	.p2align 4
dlsym:
	.cfi_startproc
	hint	#34			/* bti c */
	stp	x29, x30, [sp, #-32]!
	.cfi_def_cfa_offset 32
	.cfi_offset 29, -32
	.cfi_offset 30, -24
	stp	x0, x1, [sp, #16]
	mov	x29, sp
	bl	lookup_route
	mov	x16, x0
	ldp	x0, x1, [sp, #16]
	ldp	x29, x30, [sp], #32
	.cfi_restore 30
	.cfi_restore 29
	.cfi_def_cfa_offset 0
	br	x16
	.cfi_endproc

#else
#error "memsetshim: dlsym.S knows x86-64 and aarch64"
#endif

	.size	dlsym, .-dlsym
	.section .note.GNU-stack, "", %progbits
