/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_x86.S - call a function with known values in every register that it must not change, and record what it left.
 *
 * void call_run_x86(struct call *c). After the call no register can be trusted, so the struct is found through memory.
 */
#include "../../lib/arch/x86/asm.h"
#include "call.h"

	.local	current
	.comm	current, 8, 8

	.macro vectors insn, reg, at, store
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	.if	\store
	\insn	%\reg\n, \at+64*\n(%r11)
	.else
	\insn	\at+64*\n(%r11), %\reg\n
	.endif
	.endr
	.endm

CLP_START(call_run_x86)
	.irp	reg, rbx, rbp, r12, r13, r14, r15
	pushq	%\reg
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset \reg, 0
	.endr
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	stmxcsr	(%rsp)
	fnstcw	4(%rsp)

	movq	%rdi, current(%rip)
	movq	%rdi, %r11
	cmpl	$CALL_LEVEL_YMM, CALL_LEVEL(%r11)
	ja	2f
	je	1f
	vectors	movups, xmm, CALL_VECTOR_IN, 0
	jmp	3f
1:	vectors	vmovdqu, ymm, CALL_VECTOR_IN, 0
	jmp	3f
2:	vectors	vmovdqu64, zmm, CALL_VECTOR_IN, 0
3:	ldmxcsr	CALL_MXCSR_IN(%r11)
	fldcw	CALL_X87_IN(%r11)
	movq	%rsp, CALL_STACK_IN(%r11)
	movq	CALL_ARGS(%r11), %rdi
	movq	CALL_ARGS+8(%r11), %rsi
	movq	CALL_ARGS+16(%r11), %rdx
	movq	CALL_ARGS+24(%r11), %rcx
	movq	CALL_SAVED_IN(%r11), %rbx
	movq	CALL_SAVED_IN+8(%r11), %rbp
	movq	CALL_SAVED_IN+16(%r11), %r12
	movq	CALL_SAVED_IN+24(%r11), %r13
	movq	CALL_SAVED_IN+32(%r11), %r14
	movq	CALL_SAVED_IN+40(%r11), %r15
	/* A routine that returns 0 must have written it. */
	movq	$-1, %rax
	call	*CALL_FN(%r11)

	movq	current(%rip), %r11
	movq	%rax, CALL_RESULT(%r11)
	movq	%rsp, CALL_STACK(%r11)
	movq	CALL_STACK_IN(%r11), %rsp
	pushfq
	popq	CALL_FLAGS(%r11)
	/* Whatever was left set (DF, AC, NT) must not reach the code around us. */
	pushq	$2
	popfq
	movq	%rbx, CALL_SAVED(%r11)
	movq	%rbp, CALL_SAVED+8(%r11)
	movq	%r12, CALL_SAVED+16(%r11)
	movq	%r13, CALL_SAVED+24(%r11)
	movq	%r14, CALL_SAVED+32(%r11)
	movq	%r15, CALL_SAVED+40(%r11)
	stmxcsr	CALL_MXCSR(%r11)
	fnstenv	CALL_X87(%r11)
	cmpl	$CALL_LEVEL_YMM, CALL_LEVEL(%r11)
	ja	2f
	je	1f
	vectors	movups, xmm, CALL_VECTOR, 1
	jmp	3f
1:	vectors	vmovdqu, ymm, CALL_VECTOR, 1
	vzeroupper
	jmp	3f
2:	vectors	vmovdqu64, zmm, CALL_VECTOR, 1
	vzeroupper
3:	fninit
	ldmxcsr	(%rsp)
	fldcw	4(%rsp)
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	.irp	reg, r15, r14, r13, r12, rbp, rbx
	popq	%\reg
	.cfi_adjust_cfa_offset -8
	.cfi_restore \reg
	.endr
	CLP_RET
CLP_END(call_run_x86)

/* After siglongjmp() out of a callee: default MXCSR, x87 and flags. Changes flags alone. */
CLP_START(call_recover)
	pushq	$2
	.cfi_adjust_cfa_offset 8
	popfq
	.cfi_adjust_cfa_offset -8
	fninit
	pushq	$0x1f80
	.cfi_adjust_cfa_offset 8
	ldmxcsr	(%rsp)
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	CLP_RET
CLP_END(call_recover)
