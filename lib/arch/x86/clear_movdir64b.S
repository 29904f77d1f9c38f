/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * clear_movdir64b.S - zero memory with MOVDIR64B: 64-byte direct stores copied from one line of zeros.
 *
 * In: rdi address, a multiple of 64; rsi length, a multiple of 64. Returns 0. Changes: rax, rdi, rsi, flags. Ordering: weak; the
 * caller fences (Intel SDM vol. 2B, "MOVDIR64B": write-combining protocol; the destination is 64-byte aligned).
 */
#include "asm.h"

	.section .rodata
	.p2align 6
zero_line:
	.zero	64

CLP_START(clp_x86_clear_movdir64b)
	leaq	zero_line(%rip), %rax
	addq	%rdi, %rsi
	cmpq	%rsi, %rdi
	je	2f
	.p2align 5
1:	movdir64b (%rax), %rdi
	addq	$64, %rdi
	cmpq	%rsi, %rdi
	jne	1b
2:	xorl	%eax, %eax
	CLP_RET
CLP_END(clp_x86_clear_movdir64b)
