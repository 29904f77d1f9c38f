/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call.h - one watched call: registers hold known values before, and what the callee did to them is recorded.
 *
 * The offsets are for call_x86.S; call_x86.c asserts that they are right.
 */
#ifndef CHECK_CALL_H
#define CHECK_CALL_H

#define CALL_FN       0
#define CALL_ARGS     8
#define CALL_RESULT   40
#define CALL_SAVED_IN 48
#define CALL_SAVED    96
#define CALL_STACK_IN 144
#define CALL_STACK    152
#define CALL_FLAGS    160
#define CALL_MXCSR_IN 168
#define CALL_MXCSR    172
#define CALL_X87_IN   176
#define CALL_X87      180
#define CALL_LEVEL    208
#define CALL_VECTOR_IN 256
#define CALL_VECTOR   1280

/* Which vector registers the call fills and saves. */
#define CALL_LEVEL_XMM 0
#define CALL_LEVEL_YMM 1
#define CALL_LEVEL_ZMM 2

#define CALL_VECTORS 16
#define CALL_SAVED_REGISTERS 6

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct call {
	uintptr_t fn;
	uint64_t args[4];
	uint64_t result;
#if defined(__x86_64__)
	uint64_t saved_in[CALL_SAVED_REGISTERS], saved[CALL_SAVED_REGISTERS]; /* rbx rbp r12 r13 r14 r15 */
	uint64_t stack_in, stack;
	uint64_t flags;
	uint32_t mxcsr_in, mxcsr;
	uint32_t x87_in;
	uint32_t x87[7]; /* as FNSTENV stores it */
	uint32_t level;
	uint8_t vector_in[CALL_VECTORS][64] __attribute__((aligned(64)));
	uint8_t vector[CALL_VECTORS][64];
#endif
	bool emulated; /* the callee's missing instructions are emulated */
};

/* What the bits of the vector registers above the 128th must be after the call. */
enum call_upper {
	CALL_UPPER_KEPT,   /* as before: the routine uses no AVX */
	CALL_UPPER_ZERO,   /* zero: it does, and ends in VZEROUPPER */
	CALL_UPPER_EITHER, /* each register's zero or as before: a path without AVX, or library code around a routine */
};

/* Choose the level and the values that registers hold before; also for the calls that follow with the same struct. */
void call_init(struct call *c, uint64_t *rng);
/* Call c->fn with c->args. */
void call_run(struct call *c);
/* After a callee was left by siglongjmp(): put the modes that outlive it back to what C code expects. */
void call_recover(void);
/* NULL if the callee kept the rules; else what it broke, in `text`. */
const char *call_broken(const struct call *c, enum call_upper upper, char *text, size_t size);
/* What of the registers is checked on this machine, in words. */
const char *call_watches(void);

#endif
#endif
