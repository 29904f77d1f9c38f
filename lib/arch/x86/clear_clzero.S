/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * clear_clzero.S - zero memory a cache line at a time with CLZERO, which allocates the line without reading it.
 *
 * In: rdi address, a multiple of 64; rsi length, a multiple of 64. Returns 0. Changes: rax, rsi, flags. Ordering: weak; the caller
 * fences (AMD64 APM vol. 3, "CLZERO": ordered like a write-combining store; the line is the one that holds rax).
 */
#include "asm.h"

CLP_START(clp_x86_clear_clzero)
	movq	%rdi, %rax
	addq	%rdi, %rsi
	cmpq	%rsi, %rax
	je	2f
	.p2align 5
1:	clzero
	addq	$64, %rax
	cmpq	%rsi, %rax
	jne	1b
2:	xorl	%eax, %eax
	CLP_RET
CLP_END(clp_x86_clear_clzero)
