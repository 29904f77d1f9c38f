/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * clear_movnti.S - zero memory with non-temporal stores of 8 bytes, a cache line a turn.
 *
 * In: rdi address, rsi length, a multiple of 64. Returns 0. Changes: rax, rdi, rsi, flags. Ordering: weak; the caller fences.
 */
#include "asm.h"

CLP_START(clp_x86_clear_movnti)
	xorl	%eax, %eax
	addq	%rdi, %rsi
	cmpq	%rsi, %rdi
	je	2f
	.p2align 5
1:	movnti	%rax, (%rdi)
	movnti	%rax, 8(%rdi)
	movnti	%rax, 16(%rdi)
	movnti	%rax, 24(%rdi)
	movnti	%rax, 32(%rdi)
	movnti	%rax, 40(%rdi)
	movnti	%rax, 48(%rdi)
	movnti	%rax, 56(%rdi)
	addq	$64, %rdi
	cmpq	%rsi, %rdi
	jne	1b
2:	CLP_RET
CLP_END(clp_x86_clear_movnti)
