/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * stream.h - the loop of the streaming clears, 4 cache lines a turn. Whoever includes it defines the macro `line at`: the
 * stores of one cache line at offset `at` from rdi.
 *
 * In: rdi address, rsi length, multiples of 64. Changes: rdx, rdi, rsi, flags. Uses the numbers 1 to 4 as labels.
 */
	.macro stream_lines
	addq	%rdi, %rsi
	leaq	-256(%rsi), %rdx
	cmpq	%rdx, %rdi
	ja	2f
	.p2align 5
1:	line	0
	line	64
	line	128
	line	192
	addq	$256, %rdi
	cmpq	%rdx, %rdi
	jbe	1b
2:	cmpq	%rsi, %rdi
	je	4f
3:	line	0
	addq	$64, %rdi
	cmpq	%rsi, %rdi
	jne	3b
4:
	.endm
