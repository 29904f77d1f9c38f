/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * clear_avx2.S - zero memory with stores of 32 bytes; any length, short ones with overlapping stores.
 *
 * In: rdi address, rsi length, any. Returns 0. Changes: ymm0, rax, rdx, rdi, flags. Ordering: ordinary (TSO) stores.
 */
#include "asm.h"
#include "short.h"

CLP_START(clp_x86_clear_avx2)
	cmpq	$32, %rsi
	jb	6f
	vpxor	%xmm0, %xmm0, %xmm0
	cmpq	$128, %rsi
	ja	2f
	cmpq	$64, %rsi
	ja	1f
	vmovdqu	%ymm0, (%rdi)
	vmovdqu	%ymm0, -32(%rdi,%rsi)
	vzeroupper
	xorl	%eax, %eax
	CLP_RET
1:	vmovdqu	%ymm0, (%rdi)
	vmovdqu	%ymm0, 32(%rdi)
	vmovdqu	%ymm0, -64(%rdi,%rsi)
	vmovdqu	%ymm0, -32(%rdi,%rsi)
	vzeroupper
	xorl	%eax, %eax
	CLP_RET

	/* To 256 bytes: four from the start, four from the end. */
2:	cmpq	$256, %rsi
	ja	3f
	vmovdqu	%ymm0, (%rdi)
	vmovdqu	%ymm0, 32(%rdi)
	vmovdqu	%ymm0, 64(%rdi)
	vmovdqu	%ymm0, 96(%rdi)
	vmovdqu	%ymm0, -128(%rdi,%rsi)
	vmovdqu	%ymm0, -96(%rdi,%rsi)
	vmovdqu	%ymm0, -64(%rdi,%rsi)
	vmovdqu	%ymm0, -32(%rdi,%rsi)
	vzeroupper
	xorl	%eax, %eax
	CLP_RET

	/* More: an unaligned head, aligned blocks while they start before the last 128 bytes, these unaligned. */
3:	leaq	-128(%rdi,%rsi), %rdx
	vmovdqu	%ymm0, (%rdi)
	addq	$32, %rdi
	andq	$-32, %rdi
	.p2align 5
4:	vmovdqa	%ymm0, (%rdi)
	vmovdqa	%ymm0, 32(%rdi)
	vmovdqa	%ymm0, 64(%rdi)
	vmovdqa	%ymm0, 96(%rdi)
	addq	$128, %rdi
	cmpq	%rdx, %rdi
	jb	4b
	vmovdqu	%ymm0, (%rdx)
	vmovdqu	%ymm0, 32(%rdx)
	vmovdqu	%ymm0, 64(%rdx)
	vmovdqu	%ymm0, 96(%rdx)
	vzeroupper
	xorl	%eax, %eax
	CLP_RET

6:	cmpl	$16, %esi
	jb	.Lshort
	vpxor	%xmm0, %xmm0, %xmm0
	vmovdqu	%xmm0, (%rdi)
	vmovdqu	%xmm0, -16(%rdi,%rsi)
	xorl	%eax, %eax
	CLP_RET

	short_lengths
CLP_END(clp_x86_clear_avx2)
