/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * clear_sse2_nt.S - zero memory with non-temporal stores of 16 bytes, 4 cache lines a turn.
 *
 * In: rdi address, a multiple of 64; rsi length, a multiple of 64. Returns 0. Changes: xmm0, rax, rdx, rdi, rsi, flags. Ordering: weak; the caller fences.
 */
#include "asm.h"
#include "stream.h"

	.macro line at
	movntps	%xmm0, \at(%rdi)
	movntps	%xmm0, \at+16(%rdi)
	movntps	%xmm0, \at+32(%rdi)
	movntps	%xmm0, \at+48(%rdi)
	.endm

CLP_START(clp_x86_clear_sse2_nt)
	xorps	%xmm0, %xmm0
	stream_lines
	xorl	%eax, %eax
	CLP_RET
CLP_END(clp_x86_clear_sse2_nt)
