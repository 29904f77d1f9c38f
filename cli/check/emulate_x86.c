/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * emulate_x86.c - decode and execute CLZERO, MOVDIR64B and unmasked 512-bit moves on the registers of a signal frame.
 *
 * Encodings: Intel SDM vol. 2A ch. 2 (ModRM, SIB, REX, 2.7 "EVEX"), vol. 2B "MOVDIR64B"; AMD64 APM vol. 3 "CLZERO". Frame:
 * the XSAVE area in its standard form (SDM vol. 1 ch. 13; Linux asm/sigcontext.h).
 */
#define _GNU_SOURCE
#include "emulate.h"

#include <cpuid.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

/* Where asm/sigcontext.h (which clashes with signal.h) keeps what says that an XSAVE area follows the FXSAVE one. */
#define FRAME_MAGIC_AT 464
#define FRAME_MAGIC 0x46505853u
#define FRAME_FEATURES_AT 472
#define FRAME_XSTATE_BV_AT 512
#define FRAME_XMM_AT 160
#define XSTATE_SSE 0x2u
#define XSTATE_YMM 0x4u

#define LINE 64u

struct decode {
	const uint8_t *at; /* next byte */
	greg_t *regs;
	unsigned reg;	   /* the ModRM reg field, extended */
	uintptr_t address; /* of the memory operand */
};

/* Bits 256 to 511, and bits 0 to 255 as they were when these were last known to be right. */
static uint8_t zmm_high[16][32];
static uint8_t zmm_low[16][32];

static volatile sig_atomic_t frame_has_ymm;

static uint64_t *general(greg_t *regs, unsigned n)
{
	static const uint8_t order[16] = {
		REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
		REG_R8,	 REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	};

	return (uint64_t *)&regs[order[n]];
}

/* A register's content is an address here. */
static void *pointer(uint64_t address)
{
	return (void *)address; /* NOLINT(performance-no-int-to-ptr) */
}

static int32_t read_disp32(const uint8_t *p)
{
	return (int32_t)((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
}

/*
 * ModRM, SIB and displacement of a memory operand. r, x, b: the register extensions, 0 or 8. scale: what a one-byte
 * displacement counts in. False for a register operand. No instruction of ours has an immediate: rip-relative is from here.
 */
static bool decode_operand(struct decode *d, unsigned r, unsigned x, unsigned b, int scale)
{
	unsigned modrm = *d->at++;
	unsigned mod = modrm >> 6, rm = modrm & 7;
	uintptr_t address = 0;
	bool based = true;

	d->reg = (modrm >> 3 & 7) | r;
	if (mod == 3)
		return false;
	if (rm == 4) {
		unsigned sib = *d->at++;
		unsigned index = (sib >> 3 & 7) | x;

		if (index != 4)
			address = *general(d->regs, index) << (sib >> 6);
		rm = sib & 7;
		based = mod != 0 || rm != 5;
		if (!based)
			mod = 2; /* no base, but 32 bits of displacement */
	} else if (mod == 0 && rm == 5) {
		d->at += 4;
		d->address = (uintptr_t)d->at + (uintptr_t)(intptr_t)read_disp32(d->at - 4);
		return true;
	}
	if (based)
		address += *general(d->regs, rm | b);
	if (mod == 1) {
		address += (uintptr_t)(intptr_t)((int8_t)*d->at * scale);
		d->at += 1;
	} else if (mod == 2) {
		address += (uintptr_t)(intptr_t)read_disp32(d->at);
		d->at += 4;
	}
	d->address = address;
	return true;
}

/*
 * Plain words, volatile: this must not become a call of memcpy() in AVX registers, which some versions of
 * qemu-user do not restore after a signal.
 */
static void store_line(uintptr_t to, const uint64_t *words)
{
	typedef volatile uint64_t word __attribute__((aligned(1), may_alias));
	word *line = pointer(to);

	for (unsigned i = 0; i < LINE / sizeof(*words); i++)
		line[i] = words[i];
}

static void load_line(uint64_t *words, uintptr_t from)
{
	typedef const volatile uint64_t word __attribute__((aligned(1), may_alias));
	word *line = pointer(from);

	for (unsigned i = 0; i < LINE / sizeof(*words); i++)
		words[i] = line[i];
}

static enum emulated clzero(struct decode *d)
{
	static const uint64_t zeros[LINE / sizeof(uint64_t)];

	store_line(*general(d->regs, 0) & ~(uintptr_t)(LINE - 1), zeros);
	return EMULATE_DONE;
}

static enum emulated movdir64b(struct decode *d, unsigned rex, uintptr_t *fault)
{
	uint64_t words[LINE / sizeof(uint64_t)];
	uintptr_t to;

	if (!decode_operand(d, (rex & 4) << 1, (rex & 2) << 2, (rex & 1) << 3, 1))
		return EMULATE_UNKNOWN;
	to = *general(d->regs, d->reg);
	load_line(words, d->address);
	if (to % LINE) {
		*fault = to;
		return EMULATE_MISALIGNED;
	}
	store_line(to, words);
	return EMULATE_DONE;
}

/* The offset of the upper halves of ymm in an XSAVE area. */
static unsigned ymm_offset(void)
{
	static unsigned offset;
	unsigned a, c, d;

	if (!offset)
		__cpuid_count(0xd, 2, a, offset, c, d);
	return offset;
}

/* The frame's XSAVE area; NULL where it has none. Parts in their initial state are made explicit zeros. */
static uint8_t *vector_state(ucontext_t *context)
{
	uint8_t *area = (uint8_t *)context->uc_mcontext.fpregs;
	uint32_t magic;
	uint64_t features, in_use;

	if (!area)
		return NULL;
	memcpy(&magic, area + FRAME_MAGIC_AT, sizeof(magic));
	memcpy(&features, area + FRAME_FEATURES_AT, sizeof(features));
	if (magic != FRAME_MAGIC || !(features & XSTATE_YMM))
		return NULL;
	memcpy(&in_use, area + FRAME_XSTATE_BV_AT, sizeof(in_use));
	if (!(in_use & XSTATE_SSE))
		memset(area + FRAME_XMM_AT, 0, 16 * 16);
	if (!(in_use & XSTATE_YMM))
		memset(area + ymm_offset(), 0, 16 * 16);
	in_use |= XSTATE_SSE | XSTATE_YMM;
	memcpy(area + FRAME_XSTATE_BV_AT, &in_use, sizeof(in_use));
	return area;
}

/* Bring what we keep of a register up to date with what native instructions did to its lower half. */
static void reconcile(unsigned reg, const uint8_t *low)
{
	if (memcmp(zmm_low[reg] + 16, low + 16, 16) != 0)
		memset(zmm_high[reg], 0, sizeof(zmm_high[reg]));
	memcpy(zmm_low[reg], low, sizeof(zmm_low[reg]));
}

void emulate_begin(uint8_t (*before)[64])
{
	for (unsigned i = 0; i < 16; i++) {
		memcpy(zmm_low[i], before[i], 32);
		memcpy(zmm_high[i], before[i] + 32, 32);
	}
}

void emulate_end(uint8_t (*after)[64])
{
	for (unsigned i = 0; i < 16; i++) {
		reconcile(i, after[i]);
		memcpy(after[i] + 32, zmm_high[i], 32);
	}
}

static void move_zmm(const struct decode *d, uint8_t *area, bool store)
{
	uint8_t *xmm = area + FRAME_XMM_AT + 16 * d->reg;
	uint8_t *ymm = area + ymm_offset() + 16 * d->reg;
	uint64_t words[LINE / sizeof(uint64_t)];

	if (store) {
		uint8_t *bytes = (uint8_t *)words;

		memcpy(bytes, xmm, 16);
		memcpy(bytes + 16, ymm, 16);
		reconcile(d->reg, bytes);
		memcpy(bytes + 32, zmm_high[d->reg], 32);
		store_line(d->address, words);
		return;
	}
	load_line(words, d->address);
	memcpy(xmm, words, 16);
	memcpy(ymm, words + 2, 16);
	memcpy(zmm_low[d->reg], words, 32);
	memcpy(zmm_high[d->reg], words + 4, 32);
}

/* 62, P0: R X B R' 0 map, P1: W vvvv 1 pp, P2: z L'L b V' aaa; R X B R' vvvv V' are stored inverted. */
static enum emulated evex(struct decode *d, ucontext_t *context, uintptr_t *fault)
{
	static const struct {
		uint8_t p1, opcode;
		bool store, aligned;
	} moves[] = {
		{ 0xfe, 0x6f, false, false }, /* vmovdqu64 zmm, m512 */
		{ 0xfe, 0x7f, true, false },  /* vmovdqu64 m512, zmm */
		{ 0xfd, 0x6f, false, true },  /* vmovdqa64 zmm, m512 */
		{ 0xfd, 0x7f, true, true },   /* vmovdqa64 m512, zmm */
		{ 0x7d, 0xe7, true, true },   /* vmovntdq m512, zmm */
	};
	unsigned p0 = ~d->at[1] & 0xf0u, map = d->at[1] & 0xfu;
	unsigned p1 = d->at[2], p2 = d->at[3], opcode = d->at[4];
	uint8_t *area;

	/* Map 0F, zmm0 to zmm15, 512 bits, no mask, no broadcast. */
	if (map != 1 || p0 & 0x10 || p2 != 0x48)
		return EMULATE_UNKNOWN;
	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
		if (moves[i].p1 != p1 || moves[i].opcode != opcode)
			continue;
		d->at += 5;
		if (!decode_operand(d, p0 >> 4 & 8, p0 >> 3 & 8, p0 >> 2 & 8, LINE))
			return EMULATE_UNKNOWN;
		if (moves[i].aligned && d->address % LINE) {
			*fault = d->address;
			return EMULATE_MISALIGNED;
		}
		area = vector_state(context);
		if (!area)
			return EMULATE_UNKNOWN;
		move_zmm(d, area, moves[i].store);
		return EMULATE_DONE;
	}
	return EMULATE_UNKNOWN;
}

enum emulated emulate_step(void *context, uintptr_t *address)
{
	ucontext_t *frame = context;
	greg_t *regs = frame->uc_mcontext.gregs;
	struct decode d = { .at = pointer((uint64_t)regs[REG_RIP]), .regs = regs };
	enum emulated done = EMULATE_UNKNOWN;

	if (d.at[0] == 0x62) {
		done = evex(&d, frame, address);
	} else if (d.at[0] == 0x0f && d.at[1] == 0x01 && d.at[2] == 0xfc) {
		d.at += 3;
		done = clzero(&d);
	} else if (d.at[0] == 0x66) {
		unsigned rex = (d.at[1] & 0xf0) == 0x40 ? d.at[1] : 0;
		const uint8_t *opcode = d.at + (rex ? 2 : 1);

		if (opcode[0] == 0x0f && opcode[1] == 0x38 && opcode[2] == 0xf8) {
			d.at = opcode + 3;
			done = movdir64b(&d, rex, address);
		}
	}
	if (done == EMULATE_DONE)
		regs[REG_RIP] = (greg_t)d.at;
	return done;
}

/* The attribute: see fault.c. */
__attribute__((force_align_arg_pointer)) static void look_at_frame(int signal, siginfo_t *info, void *context)
{
	ucontext_t *frame = context;

	(void)signal;
	(void)info;
	frame_has_ymm = vector_state(frame) != NULL;
	frame->uc_mcontext.gregs[REG_RIP] += 2; /* behind the UD2 */
}

/* Does the system put the ymm registers into signal frames? Some versions of qemu-user do not. */
static bool frames_have_ymm(void)
{
	struct sigaction look = { .sa_sigaction = look_at_frame, .sa_flags = SA_SIGINFO }, before;

	if (sigaction(SIGILL, &look, &before))
		return false;
	__asm__ volatile("ud2" ::: "memory");
	sigaction(SIGILL, &before, NULL);
	return frame_has_ymm;
}

const char *emulate_missing(const struct clp_cpu *cpu, unsigned needs)
{
	static char text[128];
	unsigned lacking = needs & ~cpu->usable;
	const char *reason;

	/* The lower half of a zmm register is the processor's own ymm register. */
	if (lacking & CLP_NEED_AVX512) {
		reason = clp_cpu_missing(cpu, CLP_NEED_AVX2);
		if (reason) {
			snprintf(text, sizeof(text), "%s, and emulating avx512f needs avx2", reason);
			return text;
		}
		if (!frames_have_ymm())
			return "the system's signal frames lack the AVX state";
	}
	return clp_cpu_missing(cpu, lacking & ~(CLP_NEED_AVX512 | CLP_NEED_MOVDIR64B | CLP_NEED_CLZERO));
}
