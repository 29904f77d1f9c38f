/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * short.h - the part of an any-length clear that handles 0 to 15 bytes, with two overlapping stores.
 *
 * Enter at .Lshort with rdi address, rsi length. Changes: rax, flags.
 */
	.macro short_lengths
.Lshort:
	xorl	%eax, %eax
	cmpl	$8, %esi
	jae	1f
	cmpl	$4, %esi
	jae	2f
	testl	%esi, %esi
	je	4f
	cmpl	$1, %esi
	je	3f
	movw	%ax, (%rdi)
	movw	%ax, -2(%rdi,%rsi)
	CLP_RET
1:	movq	%rax, (%rdi)
	movq	%rax, -8(%rdi,%rsi)
	CLP_RET
2:	movl	%eax, (%rdi)
	movl	%eax, -4(%rdi,%rsi)
	CLP_RET
3:	movb	%al, (%rdi)
4:	CLP_RET
	.endm
