/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * copy_movsq.S - copy memory with one rep movsq: the processor sees the whole extent.
 *
 * In: rdi destination, rsi source, rdx length, a multiple of 8. Changes: rcx, rdi, rsi, flags. Ordering: complete before any
 * later store (Intel SDM vol. 1, "Fast-String Operation": weak only within the string itself).
 */
#include "asm.h"

CLP_START(clp_x86_copy_movsq)
	movq	%rdx, %rcx
	shrq	$3, %rcx
	rep movsq
	CLP_RET
CLP_END(clp_x86_copy_movsq)
