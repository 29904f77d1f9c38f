/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * copy_avx512.S - copy memory with loads and stores of 64 bytes, a cache line a turn.
 *
 * In: rdi destination, a multiple of 64; rsi source; rdx length, a multiple of 64. Changes: zmm0-zmm0, rdi, rsi, rdx,
 * flags. Ordering: ordinary (TSO) stores.
 */
#include "asm.h"

CLP_START(clp_x86_copy_avx512)
	testq	%rdx, %rdx
	je	2f
	.p2align 5
1:	vmovdqu64	(%rsi), %zmm0
	vmovdqa64	%zmm0, (%rdi)
	addq	$64, %rsi
	addq	$64, %rdi
	subq	$64, %rdx
	jne	1b
2:	vzeroupper
	CLP_RET
CLP_END(clp_x86_copy_avx512)
