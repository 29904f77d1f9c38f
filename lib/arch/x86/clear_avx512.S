/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * clear_avx512.S - zero memory with stores of 64 bytes; any length, short ones with overlapping stores.
 *
 * In: rdi address, rsi length, any. Returns 0. Changes: zmm0, rax, rdx, rdi, flags. Ordering: ordinary (TSO) stores.
 */
#include "asm.h"
#include "short.h"

CLP_START(clp_x86_clear_avx512)
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
1:	vmovdqu64 %zmm0, (%rdi)
	vmovdqu64 %zmm0, -64(%rdi,%rsi)
	vzeroupper
	xorl	%eax, %eax
	CLP_RET

	/* Over 128 bytes: an unaligned head, aligned blocks while they start before the last 256 bytes, these unaligned. */
2:	cmpq	$256, %rsi
	ja	3f
	vmovdqu64 %zmm0, (%rdi)
	vmovdqu64 %zmm0, 64(%rdi)
	vmovdqu64 %zmm0, -128(%rdi,%rsi)
	vmovdqu64 %zmm0, -64(%rdi,%rsi)
	vzeroupper
	xorl	%eax, %eax
	CLP_RET
3:	leaq	-256(%rdi,%rsi), %rdx
	vmovdqu64 %zmm0, (%rdi)
	addq	$64, %rdi
	andq	$-64, %rdi
	cmpq	%rdx, %rdi
	jae	5f
	.p2align 5
4:	vmovdqa64 %zmm0, (%rdi)
	vmovdqa64 %zmm0, 64(%rdi)
	vmovdqa64 %zmm0, 128(%rdi)
	vmovdqa64 %zmm0, 192(%rdi)
	addq	$256, %rdi
	cmpq	%rdx, %rdi
	jb	4b
5:	vmovdqu64 %zmm0, (%rdx)
	vmovdqu64 %zmm0, 64(%rdx)
	vmovdqu64 %zmm0, 128(%rdx)
	vmovdqu64 %zmm0, 192(%rdx)
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
CLP_END(clp_x86_clear_avx512)
