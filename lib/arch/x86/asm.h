/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * asm.h - what differs between user space and the kernel around an assembler routine: symbol, return, IBT landing pad, CFI.
 *
 * CLP_START(name) ... CLP_RET ... CLP_END(name). Routines are leaf functions that use no stack.
 */
#ifndef CLP_X86_ASM_H
#define CLP_X86_ASM_H

#ifdef __KERNEL__

#include <linux/linkage.h>
#define CLP_START(name) SYM_FUNC_START(name)
#define CLP_END(name)   SYM_FUNC_END(name)
#define CLP_RET         RET

#else

#define CLP_START(name)       \
	.text;                \
	.p2align 6;           \
	.globl name;          \
	.hidden name;         \
	.type name, @function; \
name:                         \
	.cfi_startproc;       \
	endbr64
#define CLP_END(name) \
	.cfi_endproc; \
	.size name, . - name
#define CLP_RET ret

	/* No executable stack; compatible with IBT and shadow stacks (x86-64 psABI, "Program Property"). */
	.section .note.GNU-stack, "", @progbits
	.section .note.gnu.property, "a", @note
	.p2align 3
	.long 4, 16, 5
	.asciz "GNU"
	.long 0xc0000002, 4, 3, 0
	.text

#endif
#endif
