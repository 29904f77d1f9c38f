/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * broken_x86.S - routines that clear rightly and break one rule about registers; and some for the emulator to see through.
 *
 * All but the last few clear with rep stosb, any length; those with zmm registers need a multiple of 64.
 */
#include "../../lib/arch/x86/asm.h"

	.macro clear
	movq	%rsi, %rcx
	xorl	%eax, %eax
	rep stosb
	.endm

CLP_START(broken_direction)
	clear
	std
	CLP_RET
CLP_END(broken_direction)

CLP_START(broken_rbx)
	clear
	notq	%rbx
	CLP_RET
CLP_END(broken_rbx)

CLP_START(broken_rbp)
	clear
	notq	%rbp
	CLP_RET
CLP_END(broken_rbp)

CLP_START(broken_r12)
	clear
	notq	%r12
	CLP_RET
CLP_END(broken_r12)

CLP_START(broken_r15)
	clear
	notq	%r15
	CLP_RET
CLP_END(broken_r15)

CLP_START(broken_stack)
	clear
	ret	$16
CLP_END(broken_stack)

CLP_START(broken_alignment_check)
	clear
	pushq	$0x40002
	popfq
	CLP_RET
CLP_END(broken_alignment_check)

	/* The default, which is not what the caller had. */
CLP_START(broken_mxcsr)
	clear
	movl	$0x1f80, -8(%rsp)
	ldmxcsr	-8(%rsp)
	CLP_RET
CLP_END(broken_mxcsr)

CLP_START(broken_x87)
	clear
	fninit
	CLP_RET
CLP_END(broken_x87)

CLP_START(broken_mmx)
	clear
	pxor	%mm0, %mm0
	CLP_RET
CLP_END(broken_mmx)

CLP_START(broken_result)
	clear
	movl	$7, %eax
	CLP_RET
CLP_END(broken_result)

CLP_START(broken_instruction)
	clear
	ud2
CLP_END(broken_instruction)

	/* AVX without VZEROUPPER. */
CLP_START(broken_upper_dirty)
	clear
	vcmpps	$15, %ymm3, %ymm3, %ymm3
	CLP_RET
CLP_END(broken_upper_dirty)

	/* A routine that says it has no need of AVX. */
CLP_START(broken_upper_changed)
	clear
	vzeroupper
	CLP_RET
CLP_END(broken_upper_changed)

	/* An aligned store to an address that need not be. */
CLP_START(broken_aligned_store)
	cmpq	$16, %rsi
	jb	1f
	xorps	%xmm0, %xmm0
	movaps	%xmm0, (%rdi)
1:	clear
	CLP_RET
CLP_END(broken_aligned_store)

	/* The same with 64 bytes, for the emulator. */
CLP_START(broken_aligned_zmm)
	cmpq	$64, %rsi
	jb	1f
	vpxor	%xmm0, %xmm0, %xmm0
	vmovdqa64 %zmm0, (%rdi)
	vzeroupper
1:	clear
	CLP_RET
CLP_END(broken_aligned_zmm)

CLP_START(broken_aligned_movdir64b)
	cmpq	$64, %rsi
	jb	1f
	leaq	zeros(%rip), %rax
	movdir64b (%rax), %rdi
1:	clear
	CLP_RET
CLP_END(broken_aligned_movdir64b)

	/* Zeroes the lower quarter of the register alone: the rest of each line is what the register held. */
CLP_START(broken_zmm_part)
	pxor	%xmm0, %xmm0
	testq	%rsi, %rsi
	je	2f
1:	vmovdqu64 %zmm0, (%rdi)
	addq	$64, %rdi
	subq	$64, %rsi
	jne	1b
2:	vzeroupper
	xorl	%eax, %eax
	CLP_RET
CLP_END(broken_zmm_part)

	/* Right, but without VZEROUPPER after zmm registers were loaded. */
CLP_START(broken_zmm_dirty)
	testq	%rdx, %rdx
	je	2f
1:	vmovdqu64 (%rsi), %zmm1
	vmovdqu64 %zmm1, (%rdi)
	addq	$64, %rdi
	addq	$64, %rsi
	subq	$64, %rdx
	jne	1b
2:	CLP_RET
CLP_END(broken_zmm_dirty)

	/* CLZERO of the line that a misaligned address lies in reaches below the destination. */
CLP_START(broken_clzero_below)
	cmpq	$64, %rsi
	jb	1f
	movq	%rdi, %rax
	clzero
1:	clear
	CLP_RET
CLP_END(broken_clzero_below)

	.section .rodata
	.p2align 6
zeros:
	.zero	64
