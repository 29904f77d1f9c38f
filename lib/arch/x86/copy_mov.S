/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * copy_mov.S - copy memory with general-purpose loads and stores, 8 of 8 bytes a turn.
 *
 * In: rdi destination, rsi source, rdx length, a multiple of 64. Changes: rax, rcx, r8-r11, rdi, rsi, rdx, flags.
 * Ordering: ordinary (TSO) stores.
 */
#include "asm.h"

CLP_START(clp_x86_copy_mov)
	testq	%rdx, %rdx
	je	2f
	.p2align 5
1:	movq	(%rsi), %rax
	movq	8(%rsi), %rcx
	movq	16(%rsi), %r8
	movq	24(%rsi), %r9
	movq	32(%rsi), %r10
	movq	40(%rsi), %r11
	movq	%rax, (%rdi)
	movq	%rcx, 8(%rdi)
	movq	48(%rsi), %rax
	movq	56(%rsi), %rcx
	movq	%r8, 16(%rdi)
	movq	%r9, 24(%rdi)
	movq	%r10, 32(%rdi)
	movq	%r11, 40(%rdi)
	movq	%rax, 48(%rdi)
	movq	%rcx, 56(%rdi)
	addq	$64, %rsi
	addq	$64, %rdi
	subq	$64, %rdx
	jne	1b
2:	CLP_RET
CLP_END(clp_x86_copy_mov)
