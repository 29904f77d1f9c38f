/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * clear_stosq.S - zero memory with one rep stosq: the processor sees the whole extent.
 *
 * In: rdi address, rsi length, a multiple of 8. Returns 0. Changes: rax, rcx, rdi, flags. Ordering: complete before any later store
 * (Intel SDM vol. 1, "Fast-String Operation": weak only within the string itself).
 */
#include "asm.h"

CLP_START(clp_x86_clear_stosq)
	movq	%rsi, %rcx
	shrq	$3, %rcx
	xorl	%eax, %eax
	rep stosq
	CLP_RET
CLP_END(clp_x86_clear_stosq)
