/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_x86.c - the values in the registers before a watched call on x86-64, and the rules that they are held to after it.
 *
 * Rules: System V ABI, x86-64 supplement, 3.2.1 "Registers and the Stack Frame": rbx, rbp, rsp, r12 to r15, the control bits
 * of MXCSR and the x87 control word are preserved, DF is clear, the x87 is not in MMX mode. Our own: see enum call_upper.
 */
#include "call.h"

#include <stdio.h>
#include <string.h>

#include "../../lib/cpu.h"
#include "arena.h"
#include "emulate.h"
#include "rng.h"

void call_run_x86(struct call *c);

#define FLAG_TF 0x100u
#define FLAG_DF 0x400u
#define FLAG_NT 0x4000u
#define FLAG_AC 0x40000u

/* Not the defaults, so that a routine which sets the default is seen: both round up. */
#define MXCSR_MARK 0x5f80u
#define X87_MARK   0x0b7fu

#define AT(field, offset) _Static_assert(offsetof(struct call, field) == (offset), #field)
AT(fn, CALL_FN);
AT(args, CALL_ARGS);
AT(result, CALL_RESULT);
AT(saved_in, CALL_SAVED_IN);
AT(saved, CALL_SAVED);
AT(stack_in, CALL_STACK_IN);
AT(stack, CALL_STACK);
AT(flags, CALL_FLAGS);
AT(mxcsr_in, CALL_MXCSR_IN);
AT(mxcsr, CALL_MXCSR);
AT(x87_in, CALL_X87_IN);
AT(x87, CALL_X87);
AT(level, CALL_LEVEL);
AT(vector_in, CALL_VECTOR_IN);
AT(vector, CALL_VECTOR);

static uint32_t best_level(void)
{
	struct clp_cpu cpu;

	clp_cpu_detect(&cpu);
	if (cpu.usable & CLP_NEED_AVX512)
		return CALL_LEVEL_ZMM;
	return cpu.usable & CLP_NEED_AVX2 ? CALL_LEVEL_YMM : CALL_LEVEL_XMM;
}

const char *call_watches(void)
{
	static const char *const words[] = {
		[CALL_LEVEL_XMM] = "general registers, stack, flags, MXCSR, x87",
		[CALL_LEVEL_YMM] = "general registers, stack, flags, MXCSR, x87, upper halves of ymm",
		[CALL_LEVEL_ZMM] = "general registers, stack, flags, MXCSR, x87, upper parts of ymm and zmm",
	};

	return words[best_level()];
}

void call_init(struct call *c, uint64_t *rng)
{
	memset(c, 0, sizeof(*c));
	c->level = best_level();
	c->mxcsr_in = MXCSR_MARK;
	c->x87_in = X87_MARK;
	for (size_t i = 0; i < CALL_SAVED_REGISTERS; i++)
		c->saved_in[i] = rng_next(rng);
	fill_nonzero(c->vector_in[0], sizeof(c->vector_in), rng);
}

void call_run(struct call *c)
{
	if (c->emulated)
		emulate_begin(c->vector_in);
	call_run_x86(c);
	/* Where the shim itself knows no zmm, the emulator has their upper halves. */
	if (c->emulated && c->level == CALL_LEVEL_YMM)
		emulate_end(c->vector);
}

static size_t watched_bytes(const struct call *c)
{
	if (c->level == CALL_LEVEL_XMM)
		return 16;
	return c->level == CALL_LEVEL_ZMM || c->emulated ? 64 : 32;
}

static const char *upper_broken(const struct call *c, enum call_upper upper, char *text, size_t size)
{
	size_t bytes = watched_bytes(c);

	for (int i = 0; bytes > 16 && i < CALL_VECTORS; i++) {
		const uint8_t *before = c->vector_in[i] + 16, *after = c->vector[i] + 16;
		bool kept = !memcmp(before, after, bytes - 16);
		bool zero = first_nonzero(after, bytes - 16) == bytes - 16;

		if ((upper != CALL_UPPER_ZERO && kept) || (upper != CALL_UPPER_KEPT && zero))
			continue;
		snprintf(text, size, "the upper part of %s%d was %s", bytes == 64 ? "zmm" : "ymm", i,
			 upper == CALL_UPPER_KEPT ? "changed" : "left dirty");
		return text;
	}
	return NULL;
}

const char *call_broken(const struct call *c, enum call_upper upper, char *text, size_t size)
{
	static const char *const names[] = { "rbx", "rbp", "r12", "r13", "r14", "r15" };

	for (size_t i = 0; i < CALL_SAVED_REGISTERS; i++) {
		if (c->saved[i] == c->saved_in[i])
			continue;
		snprintf(text, size, "%s was not preserved", names[i]);
		return text;
	}
	if (c->stack != c->stack_in) {
		snprintf(text, size, "the stack pointer was not preserved (off by %lld)",
			 (long long)(c->stack - c->stack_in));
		return text;
	}
	if (c->flags & FLAG_DF)
		return "the direction flag was left set";
	if (c->flags & (FLAG_TF | FLAG_NT | FLAG_AC)) {
		snprintf(text, size, "a system flag was left set (flags %#llx)", (unsigned long long)c->flags);
		return text;
	}
	if (c->mxcsr != c->mxcsr_in) {
		snprintf(text, size, "MXCSR was changed (from %#x to %#x)", c->mxcsr_in, c->mxcsr);
		return text;
	}
	if ((c->x87[0] & 0xffff) != c->x87_in) {
		snprintf(text, size, "the x87 control word was changed (from %#x to %#x)", c->x87_in, c->x87[0] & 0xffff);
		return text;
	}
	if ((c->x87[2] & 0xffff) != 0xffff)
		return "x87 registers were left in use (MMX without EMMS)";
	return upper_broken(c, upper, text, size);
}
