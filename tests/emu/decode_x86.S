/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode_x86.S - instructions for the emulator to decode, in every form of address; they are never executed.
 *
 * A table of { start, end, what, register, base, index (16: none), shift, displacement }, see struct row of decode.c.
 */
	.macro insn what, reg, base, index, shift, disp, text:vararg
	.section .text
1:	\text
2:
	.section .data.rel.ro, "aw"
	.quad	1b, 2b
	.long	\what, \reg, \base, \index, \shift, \disp
	.endm

	/* what: 0 clzero, 1 movdir64b, 2 load, 3 store, 4 aligned load, 5 aligned store, 6 not for the emulator */
	.section .data.rel.ro, "aw"
	.p2align 3
	.globl	decode_table, decode_table_end
	.hidden	decode_table, decode_table_end
decode_table:
	insn 0, 0, 0, 16, 0, 0, clzero
	insn 1, 7, 0, 16, 0, 0, movdir64b (%rax), %rdi
	insn 1, 7, 6, 16, 0, 8, movdir64b 8(%rsi), %rdi
	insn 1, 9, 8, 16, 0, 0, movdir64b (%r8), %r9
	insn 1, 15, 13, 12, 3, -128, movdir64b -128(%r13,%r12,8), %r15
	insn 1, 3, 4, 16, 0, 64, movdir64b 64(%rsp), %rbx
	insn 2, 0, 6, 16, 0, 0, vmovdqu64 (%rsi), %zmm0
	insn 2, 15, 5, 16, 0, 0, vmovdqu64 (%rbp), %zmm15
	insn 3, 0, 7, 16, 0, 0, vmovdqu64 %zmm0, (%rdi)
	insn 3, 1, 7, 16, 0, 64, vmovdqu64 %zmm1, 64(%rdi)
	insn 3, 2, 7, 6, 0, -128, vmovdqu64 %zmm2, -128(%rdi,%rsi)
	insn 3, 3, 7, 6, 0, -63, vmovdqu64 %zmm3, -63(%rdi,%rsi)
	insn 3, 8, 12, 16, 0, 192, vmovdqu64 %zmm8, 192(%r12)
	insn 3, 9, 13, 14, 2, 320, vmovdqu64 %zmm9, 320(%r13,%r14,4)
	insn 3, 4, 16, 11, 3, 4096, vmovdqu64 %zmm4, 4096(,%r11,8)
	insn 3, 5, 4, 16, 0, -8192, vmovdqu64 %zmm5, -8192(%rsp)
	insn 4, 6, 10, 16, 0, 128, vmovdqa64 128(%r10), %zmm6
	insn 5, 7, 2, 16, 0, 8064, vmovdqa64 %zmm7, 8064(%rdx)
	insn 5, 10, 1, 16, 0, 8192, vmovntdq %zmm10, 8192(%rcx)
	insn 5, 11, 15, 9, 1, 0, vmovntdq %zmm11, (%r15,%r9,2)
	insn 6, 0, 0, 0, 0, 0, vmovdqu64 %zmm16, (%rdi)
	insn 6, 0, 0, 0, 0, 0, vmovdqu64 %zmm0, (%rdi){%k1}
	insn 6, 0, 0, 0, 0, 0, vmovdqu64 %zmm1, %zmm0
	insn 6, 0, 0, 0, 0, 0, vmovdqu32 %zmm0, (%rdi)
	insn 6, 0, 0, 0, 0, 0, vpxorq %zmm0, %zmm0, %zmm0
	insn 6, 0, 0, 0, 0, 0, {evex} vmovdqu64 %ymm0, (%rdi)
	insn 6, 0, 0, 0, 0, 0, ud2
	insn 6, 0, 0, 0, 0, 0, movdiri %rax, (%rdi)
	.section .data.rel.ro, "aw"
decode_table_end:

	.section .note.GNU-stack, "", @progbits
