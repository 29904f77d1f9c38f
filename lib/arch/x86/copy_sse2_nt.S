/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * copy_sse2_nt.S - copy memory with loads and non-temporal stores of 16 bytes, a cache line a turn.
 *
 * In: rdi destination, a multiple of 64; rsi source; rdx length, a multiple of 64. Changes: xmm0-xmm3, rdi, rsi, rdx,
 * flags. Ordering: weak; the caller fences.
 */
#include "asm.h"

CLP_START(clp_x86_copy_sse2_nt)
	testq	%rdx, %rdx
	je	2f
	.p2align 5
1:	movups	(%rsi), %xmm0
	movups	16(%rsi), %xmm1
	movups	32(%rsi), %xmm2
	movups	48(%rsi), %xmm3
	movntps	%xmm0, (%rdi)
	movntps	%xmm1, 16(%rdi)
	movntps	%xmm2, 32(%rdi)
	movntps	%xmm3, 48(%rdi)
	addq	$64, %rsi
	addq	$64, %rdi
	subq	$64, %rdx
	jne	1b
2:	CLP_RET
CLP_END(clp_x86_copy_sse2_nt)
