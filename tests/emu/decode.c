/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode.c - the emulator alone: each instruction on made-up registers, in a made-up signal frame. So it is tested also on
 * processors that have the instructions, and in forms of address that our routines do not use.
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "arena.h"
#include "emulate.h"
#include "rng.h"

enum what { CLZERO, MOVDIR64B, LOAD, STORE, ALIGNED_LOAD, ALIGNED_STORE, UNKNOWN };

#define NO_REGISTER 16u

struct row {
	const uint8_t *start, *end;
	uint32_t what, reg, base, index, shift;
	int32_t disp;
};

extern const struct row decode_table[], decode_table_end[];

#define MEMORY 8192u
#define LINE 64u

static uint8_t memory[MEMORY] __attribute__((aligned(4096)));
static uint8_t area[4096] __attribute__((aligned(64)));
static ucontext_t frame;
static uint64_t rng = 1;
static unsigned failed, passed;

/* REG_* of a register number. */
static uint64_t *general(unsigned n)
{
	static const int order[16] = {
		REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
		REG_R8,	 REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	};

	return (uint64_t *)&frame.uc_mcontext.gregs[order[n]];
}

/* An XSAVE area as Linux writes it, with random vector registers. */
static void new_frame(const uint8_t *at)
{
	const uint32_t magic = 0x46505853;
	const uint64_t features = 7;

	memset(&frame, 0, sizeof(frame));
	fill_nonzero(area, sizeof(area), &rng);
	memcpy(area + 464, &magic, sizeof(magic));
	memcpy(area + 472, &features, sizeof(features));
	memcpy(area + 512, &features, sizeof(features));
	frame.uc_mcontext.fpregs = (fpregset_t)(void *)area;
	fill_nonzero(memory, sizeof(memory), &rng);
	for (unsigned n = 0; n < 16; n++)
		*general(n) = rng_next(&rng);
	frame.uc_mcontext.gregs[REG_RIP] = (greg_t)at;
}

/* Registers such that the operand is at `address`. */
static void point_at(const struct row *r, uintptr_t address)
{
	uint64_t rest = address - (uint64_t)(int64_t)r->disp;

	if (r->base == NO_REGISTER) {
		*general(r->index) = rest >> r->shift;
		return;
	}
	if (r->index != NO_REGISTER) {
		*general(r->index) = rng_below(&rng, 1000);
		rest -= *general(r->index) << r->shift;
	}
	*general(r->base) = rest;
}

static unsigned ymm_offset(void)
{
	unsigned a, b, c, d;

	__cpuid_count(0xd, 2, a, b, c, d);
	return b;
}

static void register_set(unsigned n, const uint8_t *bytes)
{
	memcpy(area + 160 + 16 * n, bytes, 16);
	memcpy(area + ymm_offset() + 16 * n, bytes + 16, 16);
}

static bool register_is(unsigned n, const uint8_t *bytes)
{
	return !memcmp(area + 160 + 16 * n, bytes, 16) && !memcmp(area + ymm_offset() + 16 * n, bytes + 16, 16);
}

/* The upper halves, seen through emulate_end(). */
static bool high_is(unsigned n, const uint8_t *bytes)
{
	uint8_t all[16][64];

	for (unsigned i = 0; i < 16; i++) {
		memcpy(all[i], area + 160 + 16 * i, 16);
		memcpy(all[i] + 16, area + ymm_offset() + 16 * i, 16);
	}
	emulate_end(all);
	return !memcmp(all[n] + 32, bytes, 32);
}

static bool advanced(const struct row *r, bool by)
{
	return frame.uc_mcontext.gregs[REG_RIP] == (greg_t)(by ? r->end : r->start);
}

/* Did exactly this line of memory change, to these bytes? */
static bool only_changed(const uint8_t *before, size_t at, const uint8_t *bytes)
{
	return !memcmp(memory, before, at) && !memcmp(memory + at, bytes, LINE) &&
	       !memcmp(memory + at + LINE, before + at + LINE, MEMORY - at - LINE);
}

static bool run_memory(const struct row *r)
{
	static const uint8_t zeros[LINE];
	uint8_t before[MEMORY], line[LINE];
	uintptr_t fault;

	new_frame(r->start);
	memcpy(before, memory, sizeof(before));
	if (r->what == CLZERO) {
		/* The line that the address lies in. */
		*general(0) = (uintptr_t)memory + 1024 + 17;
		return emulate_step(&frame, &fault) == EMULATE_DONE && advanced(r, true) &&
		       only_changed(before, 1024, zeros);
	}
	point_at(r, (uintptr_t)memory + 100);
	memcpy(line, memory + 100, LINE);
	*general(r->reg) = (uintptr_t)memory + 2048;
	if (emulate_step(&frame, &fault) != EMULATE_DONE || !advanced(r, true) || !only_changed(before, 2048, line))
		return false;
	frame.uc_mcontext.gregs[REG_RIP] = (greg_t)r->start;
	*general(r->reg) += 32;
	return emulate_step(&frame, &fault) == EMULATE_MISALIGNED && advanced(r, false) && fault == (uintptr_t)memory + 2080;
}

static bool misaligned_stops(const struct row *r)
{
	uintptr_t fault = 0;

	if (r->what != ALIGNED_LOAD && r->what != ALIGNED_STORE)
		return true;
	frame.uc_mcontext.gregs[REG_RIP] = (greg_t)r->start;
	*general(r->base) += 16;
	return emulate_step(&frame, &fault) == EMULATE_MISALIGNED && advanced(r, false) && fault % LINE == 16;
}

static bool run_load(const struct row *r)
{
	size_t at = r->what == LOAD ? 1000 : 1024;
	uint8_t all[16][64];
	uintptr_t fault;

	new_frame(r->start);
	fill_nonzero(all[0], sizeof(all), &rng);
	emulate_begin(all);
	point_at(r, (uintptr_t)memory + at);
	return emulate_step(&frame, &fault) == EMULATE_DONE && advanced(r, true) && register_is(r->reg, memory + at) &&
	       high_is(r->reg, memory + at + 32) && misaligned_stops(r);
}

/*
 * A store of: the register as it was; after a VEX instruction wrote it (upper half zero); after a legacy SSE instruction
 * wrote its lower quarter (the rest as it was).
 */
static bool run_store(const struct row *r)
{
	static const uint8_t zeros[32];
	/* Unaligned where it may be, and an index alone can point at it. */
	size_t at = r->what != STORE ? 3008 : r->base == NO_REGISTER ? 3000 : 3001;
	uint8_t before[MEMORY], all[16][64], line[LINE];
	uintptr_t fault;

	for (unsigned kind = 0; kind < 3; kind++) {
		new_frame(r->start);
		fill_nonzero(all[0], sizeof(all), &rng);
		emulate_begin(all);
		memcpy(line, all[r->reg], LINE);
		if (kind == 1) {
			fill_nonzero(line, 16, &rng);
			memset(line + 16, 0, LINE - 16);
		} else if (kind == 2) {
			memset(line, 0, 16);
		}
		register_set(r->reg, line);
		point_at(r, (uintptr_t)memory + at);
		memcpy(before, memory, sizeof(before));
		if (emulate_step(&frame, &fault) != EMULATE_DONE || !advanced(r, true) || !only_changed(before, at, line) ||
		    (kind == 1 && !high_is(r->reg, zeros)))
			return false;
	}
	return misaligned_stops(r);
}

static bool run_unknown(const struct row *r)
{
	uint8_t before[MEMORY];
	uintptr_t fault;

	new_frame(r->start);
	*general(7) = (uintptr_t)memory + 1024;
	memcpy(before, memory, sizeof(before));
	return emulate_step(&frame, &fault) == EMULATE_UNKNOWN && advanced(r, false) && !memcmp(before, memory, MEMORY);
}

int main(void)
{
	static const char *const names[] = {
		"clzero", "movdir64b", "load", "store", "aligned load", "aligned store", "unknown",
	};
	unsigned ymm = ymm_offset();

	for (const struct row *r = decode_table; r < decode_table_end; r++) {
		bool vector = r->what >= LOAD && r->what <= ALIGNED_STORE;
		bool right;

		/* Without AVX there is no place for ymm in the frame, and the emulator is not asked for zmm. */
		if (vector && !ymm)
			continue;
		if (r->what == LOAD || r->what == ALIGNED_LOAD)
			right = run_load(r);
		else if (vector)
			right = run_store(r);
		else
			right = r->what == UNKNOWN ? run_unknown(r) : run_memory(r);
		printf("%s %2d: %s\n", right ? "ok  " : "FAIL", (int)(r - decode_table), names[r->what]);
		*(right ? &passed : &failed) += 1;
	}
	printf("%u passed, %u failed, 0 skipped\n", passed, failed);
	return failed != 0;
}
