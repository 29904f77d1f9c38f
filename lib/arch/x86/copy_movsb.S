/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * copy_movsb.S - copy memory with one rep movsb: the processor sees the whole extent.
 *
 * In: rdi destination, rsi source, rdx length, any. Changes: rcx, rdi, rsi, flags. Ordering: complete before any
 * later store (Intel SDM vol. 1, "Fast-String Operation": weak only within the string itself).
 */
#include "asm.h"

CLP_START(clp_x86_copy_movsb)
	movq	%rdx, %rcx
	rep movsb
	CLP_RET
CLP_END(clp_x86_copy_movsb)
