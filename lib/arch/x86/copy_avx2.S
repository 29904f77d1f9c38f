/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * copy_avx2.S - copy memory with loads and stores of 32 bytes, a cache line a turn.
 *
 * In: rdi destination, a multiple of 32; rsi source; rdx length, a multiple of 64. Changes: ymm0-ymm1, rdi, rsi, rdx,
 * flags. Ordering: ordinary (TSO) stores.
 */
#include "asm.h"

CLP_START(clp_x86_copy_avx2)
	testq	%rdx, %rdx
	je	2f
	.p2align 5
1:	vmovdqu	(%rsi), %ymm0
	vmovdqu	32(%rsi), %ymm1
	vmovdqa	%ymm0, (%rdi)
	vmovdqa	%ymm1, 32(%rdi)
	addq	$64, %rsi
	addq	$64, %rdi
	subq	$64, %rdx
	jne	1b
2:	vzeroupper
	CLP_RET
CLP_END(clp_x86_copy_avx2)
