/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * emulate.h - execute the instructions that our routines use and this processor may lack, from the SIGILL they raise.
 *
 * This proves loops and addresses, never speed. What it knows: CLZERO; MOVDIR64B; VMOVDQU64, VMOVDQA64 and VMOVNTDQ between
 * zmm0 to zmm15 and memory, unmasked. Anything else is reported: no routine passes by an instruction not understood.
 */
#ifndef CHECK_EMULATE_H
#define CHECK_EMULATE_H

#include <stdint.h>

#include "../../lib/cpu.h"

enum emulated {
	EMULATE_DONE,	    /* executed; the context goes on behind it */
	EMULATE_UNKNOWN,    /* not one of ours */
	EMULATE_MISALIGNED, /* the real instruction would raise a general protection fault: *address */
};

/* Why a routine with these needs can't be emulated here; NULL if it can. */
const char *emulate_missing(const struct clp_cpu *cpu, unsigned needs);

/* Execute the instruction that the context is at. Memory that it can't touch raises SIGSEGV, as for the real one. */
enum emulated emulate_step(void *context, uintptr_t *address);

/*
 * The zmm registers: bits 0 to 255 are the real ymm's; the emulator keeps the rest. VEX instructions run natively, and on a
 * real processor zero those bits; so before it uses a register, the emulator looks whether bits 128 to 255 changed behind
 * its back: VEX instructions write them, legacy SSE instructions leave them alone. Limit: a VEX instruction that leaves bits
 * 128 to 255 as they were goes unnoticed. The check's data has no zero bytes, so this can't happen to a register that a
 * routine has loaded and then zeroes or passes to VZEROUPPER.
 *
 * begin: the registers as they are right before the routine. end: fill in bits 256 to 511 beside the others, found after it.
 */
void emulate_begin(uint8_t (*before)[64]);
void emulate_end(uint8_t (*after)[64]);

#endif
