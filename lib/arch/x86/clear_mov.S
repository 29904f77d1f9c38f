/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * clear_mov.S - zero memory with general-purpose stores, 8 of 8 bytes a turn.
 *
 * In: rdi address, rsi length, a multiple of 64. Returns 0. Changes: rax, rdi, rsi, flags. Ordering: ordinary (TSO) stores.
 */
#include "asm.h"

CLP_START(clp_x86_clear_mov)
	xorl	%eax, %eax
	addq	%rdi, %rsi
	cmpq	%rsi, %rdi
	je	2f
	.p2align 5
1:	movq	%rax, (%rdi)
	movq	%rax, 8(%rdi)
	movq	%rax, 16(%rdi)
	movq	%rax, 24(%rdi)
	movq	%rax, 32(%rdi)
	movq	%rax, 40(%rdi)
	movq	%rax, 48(%rdi)
	movq	%rax, 56(%rdi)
	addq	$64, %rdi
	cmpq	%rsi, %rdi
	jne	1b
2:	CLP_RET
CLP_END(clp_x86_clear_mov)
