/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * clear_avx512_nt.S - zero memory with non-temporal stores of 64 bytes, 4 cache lines a turn.
 *
 * In: rdi address, a multiple of 64; rsi length, a multiple of 64. Returns 0. Changes: zmm0, rax, rdx, rdi, rsi, flags. Ordering: weak; the caller fences.
 */
#include "asm.h"
#include "stream.h"

	.macro line at
	vmovntdq %zmm0, \at(%rdi)
	.endm

CLP_START(clp_x86_clear_avx512_nt)
	vpxor	%xmm0, %xmm0, %xmm0
	stream_lines
	vzeroupper
	xorl	%eax, %eax
	CLP_RET
CLP_END(clp_x86_clear_avx512_nt)
