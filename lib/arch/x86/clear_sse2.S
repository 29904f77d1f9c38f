/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * clear_sse2.S - zero memory with stores of 16 bytes; any length, short ones with overlapping stores.
 *
 * In: rdi address, rsi length, any. Returns 0. Changes: xmm0, rax, rdx, rdi, flags. Ordering: ordinary (TSO) stores.
 */
#include "asm.h"
#include "short.h"

CLP_START(clp_x86_clear_sse2)
	cmpq	$16, %rsi
	jb	.Lshort
	xorps	%xmm0, %xmm0
	cmpq	$64, %rsi
	ja	3f
	cmpq	$32, %rsi
	ja	1f
	movups	%xmm0, (%rdi)
	movups	%xmm0, -16(%rdi,%rsi)
	xorl	%eax, %eax
	CLP_RET
1:	movups	%xmm0, (%rdi)
	movups	%xmm0, 16(%rdi)
	movups	%xmm0, -32(%rdi,%rsi)
	movups	%xmm0, -16(%rdi,%rsi)
	xorl	%eax, %eax
	CLP_RET

	/* Over 64 bytes: an unaligned head, aligned lines while they start before the last 64 bytes, these unaligned. */
3:	leaq	-64(%rdi,%rsi), %rdx
	movups	%xmm0, (%rdi)
	addq	$16, %rdi
	andq	$-16, %rdi
	cmpq	%rdx, %rdi
	jae	5f
	.p2align 5
4:	movaps	%xmm0, (%rdi)
	movaps	%xmm0, 16(%rdi)
	movaps	%xmm0, 32(%rdi)
	movaps	%xmm0, 48(%rdi)
	addq	$64, %rdi
	cmpq	%rdx, %rdi
	jb	4b
5:	movups	%xmm0, (%rdx)
	movups	%xmm0, 16(%rdx)
	movups	%xmm0, 32(%rdx)
	movups	%xmm0, 48(%rdx)
	xorl	%eax, %eax
	CLP_RET

	short_lengths
CLP_END(clp_x86_clear_sse2)
