/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * selftest.c - does the check harness see what it is there to see? Routines with one fault each must fail for it, and the
 * right ones must pass.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "broken.h"
#include "emulate.h"
#include "fault.h"
#include "harness.h"
#include "rng.h"

#define LINE    64u
#define NOWHERE ((size_t)16 << 20)

/* Through a pointer that the compiler can't see through, so that it leaves every call as it is written. */
static void *(*volatile set)(void *, int, size_t) = memset;
static void *(*volatile move)(void *, const void *, size_t) = memmove;

static int good_clear(void *addr, unsigned long len)
{
	set(addr, 0, len);
	return 0;
}

static void good_copy(void *dst, const void *src, unsigned long len)
{
	move(dst, src, len);
}

static int nothing(void *addr, unsigned long len)
{
	(void)addr;
	(void)len;
	return 0;
}

static int skips_line(void *addr, unsigned long len)
{
	char *p = addr;

	if (len < 3 * LINE)
		return good_clear(addr, len);
	set(p, 0, 2 * LINE);
	set(p + 3 * LINE, 0, len - 3 * LINE);
	return 0;
}

static int misses_last_byte(void *addr, unsigned long len)
{
	return good_clear(addr, len ? len - 1 : 0);
}

static int misses_last_granule(void *addr, unsigned long len)
{
	return good_clear(addr, len ? len - LINE : 0);
}

static int writes_before(void *addr, unsigned long len)
{
	if (len)
		((char *)addr)[-1] = 0;
	return good_clear(addr, len);
}

static int writes_past(void *addr, unsigned long len)
{
	return good_clear(addr, len + 1);
}

static int writes_far(void *addr, unsigned long len)
{
	if (len == 512)
		((char *)addr)[5000] = 0;
	return good_clear(addr, len);
}

/* Only what is unmapped can tell: a read of the byte past the end. */
static int reads_past(void *addr, unsigned long len)
{
	(void)((volatile char *)addr)[len];
	return good_clear(addr, len);
}

static void reads_source_before(void *dst, const void *src, unsigned long len)
{
	(void)((const volatile char *)src)[-1];
	move(dst, src, len);
}

static int wrong_at_one_alignment(void *addr, unsigned long len)
{
	return good_clear(addr, (uintptr_t)addr % LINE == 33 && len ? len - 1 : len);
}

static int wrong_when_long(void *addr, unsigned long len)
{
	return good_clear(addr, len > 8000 ? len - 1 : len);
}

static int writes_ones(void *addr, unsigned long len)
{
	set(addr, 1, len);
	return 0;
}

static int truncates(void *addr, unsigned long len)
{
	return good_clear(addr, (unsigned)len);
}

static void copy_truncates(void *dst, const void *src, unsigned long len)
{
	move(dst, src, (unsigned)len);
}

static void copies_wrong_offset(void *dst, const void *src, unsigned long len)
{
	const char *s = src;

	if (len >= 2 * LINE) {
		move(dst, s, len - LINE);
		move((char *)dst + len - LINE, s + len - LINE - 1, LINE);
	} else {
		move(dst, s, len);
	}
}

static void changes_source(void *dst, const void *src, unsigned long len)
{
	char *source;

	/* Past the const. */
	memcpy(&source, &src, sizeof(source));
	move(dst, src, len);
	if (len)
		source[len / 2] = 0;
}

static void clears_instead(void *dst, const void *src, unsigned long len)
{
	(void)src;
	set(dst, 0, len);
}

/* An address that main() sees to it that nothing is at. */
static char *volatile nowhere;

static int strays(void *addr, unsigned long len)
{
	(void)addr;
	if (len)
		*nowhere = 0;
	return 0;
}

struct broken {
	const char *name;
	clp_clear_fn *clear;
	clp_copy_fn *copy;
	unsigned granule, needs;
	bool compiled, large;
	const char *expect; /* NULL: passes; else part of the report */
};

static const struct broken cases[] = {
	{ "good-clear", good_clear, NULL, 1, 0, true, true, NULL },
	{ "good-copy", NULL, good_copy, 1, 0, true, true, NULL },
	{ "good-granule", good_clear, NULL, LINE, 0, true, false, NULL },
	{ "nothing", nothing, NULL, 1, 0, true, false, "first wrong byte at offset 0 " },
	{ "skips-line", skips_line, NULL, 1, 0, true, false, "first wrong byte at offset 128 " },
	{ "misses-last-byte", misses_last_byte, NULL, 1, 0, true, false, "first wrong byte at offset 0 " },
	{ "misses-last-granule", misses_last_granule, NULL, LINE, 0, true, false, "first wrong byte at offset 0 " },
	{ "writes-before", writes_before, NULL, 1, 0, true, false, "changed the byte 1 byte before the destination" },
	{ "writes-past", writes_past, NULL, 1, 0, true, false, "changed the byte right past the end of the destination" },
	{ "writes-far", writes_far, NULL, LINE, 0, true, false, "changed bytes far outside" },
	{ "reads-past", reads_past, NULL, 1, 0, true, false,
	  "touched what is not mapped, right past the end of the destination" },
	{ "reads-source-before", NULL, reads_source_before, 1, 0, true, false,
	  "touched what is not mapped, 1 byte before the source" },
	{ "one-alignment", wrong_at_one_alignment, NULL, 1, 0, true, false, "alignment 33," },
	{ "when-long", wrong_when_long, NULL, 1, 0, true, false, "first wrong byte at offset 8190 " },
	{ "writes-ones", writes_ones, NULL, 1, 0, true, false, "(0x1, not 0)" },
	{ "truncates-4-gib", truncates, NULL, 1, 0, true, true, "length 4295004161" },
	{ "copy-truncates-4-gib", NULL, copy_truncates, 1, 0, true, true, "length 4295004161" },
	{ "copies-wrong-offset", NULL, copies_wrong_offset, 1, 0, true, false, "first wrong byte at offset " },
	{ "changes-source", NULL, changes_source, 1, 0, true, false, "of the source" },
	{ "clears-instead", NULL, clears_instead, 1, 0, true, false, "first wrong byte at offset 0 (0, not 0x" },
	{ "strays", strays, NULL, 1, 0, true, false, "SIGSEGV: touched what is not mapped, at address 0x" },
#if defined(__x86_64__)
	{ "direction-flag", broken_direction, NULL, 1, 0, false, false, "direction flag" },
	{ "rbx", broken_rbx, NULL, 1, 0, false, false, "rbx was not preserved" },
	{ "rbp", broken_rbp, NULL, 1, 0, false, false, "rbp was not preserved" },
	{ "r12", broken_r12, NULL, 1, 0, false, false, "r12 was not preserved" },
	{ "r15", broken_r15, NULL, 1, 0, false, false, "r15 was not preserved" },
	{ "stack", broken_stack, NULL, 1, 0, false, false, "stack pointer was not preserved (off by 16)" },
	{ "alignment-check", broken_alignment_check, NULL, 1, 0, false, false, "system flag was left set" },
	{ "mxcsr", broken_mxcsr, NULL, 1, 0, false, false, "MXCSR was changed (from 0x5f80 to 0x1f80)" },
	{ "x87", broken_x87, NULL, 1, 0, false, false, "x87 control word was changed" },
	{ "mmx", broken_mmx, NULL, 1, 0, false, false, "MMX without EMMS" },
	{ "result", broken_result, NULL, 1, 0, false, false, "returned 7, not 0" },
	{ "instruction", broken_instruction, NULL, 1, 0, false, false, "illegal instruction 0f 0b" },
	{ "upper-dirty", broken_upper_dirty, NULL, 1, CLP_NEED_AVX2, false, false, "mm3 was left dirty" },
	{ "upper-changed", broken_upper_changed, NULL, 1, CLP_NEED_AVX2, false, false, "mm0 was changed" },
	{ "aligned-store", broken_aligned_store, NULL, 1, 0, false, false, "alignment fault" },
	{ "aligned-zmm", broken_aligned_zmm, NULL, 1, CLP_NEED_AVX512, false, false, "alignment fault" },
	{ "aligned-movdir64b", broken_aligned_movdir64b, NULL, 1, CLP_NEED_MOVDIR64B, false, false, "alignment fault" },
	{ "clzero-below", broken_clzero_below, NULL, 1, CLP_NEED_CLZERO, false, false, "before the destination" },
	{ "zmm-part", broken_zmm_part, NULL, LINE, CLP_NEED_AVX512, false, false, "first wrong byte at offset 16 " },
	{ "zmm-dirty", NULL, broken_zmm_dirty, LINE, CLP_NEED_AVX512, false, false, "was left dirty" },
#endif
};

static unsigned passed, failed, skipped;

static void judge(const char *name, bool right, const char *detail)
{
	printf("%s %s%s%s\n", right ? "ok  " : "FAIL", name, *detail ? ": " : "", detail);
	*(right ? &passed : &failed) += 1;
}

/* What is written in C goes through libc, which may use AVX. */
static void make_target(struct target *t, const struct clp_variant *v, bool emulated)
{
	target_variant(t, v, -1, emulated);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (cases[i].compiled &&
		    (v->op == CLP_OP_CLEAR ? cases[i].clear == v->fn.clear : cases[i].copy == v->fn.copy))
			t->entry[0].upper = CALL_UPPER_EITHER;
}

static void run_case(const struct broken *b, const struct clp_cpu *cpu)
{
	struct clp_variant v = {
		.name = b->name, .description = "", .granule = b->granule, .alignment = 1, .needs = b->needs
	};
	bool lacking = clp_cpu_missing(cpu, b->needs) != NULL;
	const char *reason = lacking ? emulate_missing(cpu, b->needs) : NULL;
	struct plan plan = { .seed = 1, .quick = true, .large = b->large };
	struct verdict verdict;
	struct target t;

	if (reason) {
		printf("skip %s: %s\n", b->name, reason);
		skipped++;
		return;
	}
	/* The routine that says it has no need of AVX has to be believed. */
	if (b->expect && strstr(b->expect, "mm0 was changed"))
		v.needs = CLP_NEED_NONE;
	if (b->clear) {
		v.op = CLP_OP_CLEAR;
		v.fn.clear = b->clear;
	} else {
		v.op = CLP_OP_COPY;
		v.fn.copy = b->copy;
	}
	make_target(&t, &v, lacking);
	harness_open(&plan);
	harness_check(&t, &verdict);
	harness_close();
	if (!b->expect)
		judge(b->name, !verdict.failed, verdict.what);
	else
		judge(b->name, verdict.failed && strstr(verdict.what, b->expect),
		      verdict.failed ? verdict.what : "was not seen");
}

/* After failures of all kinds the harness must still judge rightly in one go. */
static void mixed(void)
{
	static const struct plan plan = { .seed = 7, .quick = true };
	struct clp_variant v = { .name = "mixed", .description = "", .granule = 1, .alignment = 1, .op = CLP_OP_CLEAR };
	clp_clear_fn *const bad[] = { writes_past, strays, nothing, writes_before };
	struct verdict verdict;
	bool right = true;
	struct target t;

	harness_open(&plan);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		v.fn.clear = bad[i];
		make_target(&t, &v, false);
		harness_check(&t, &verdict);
		right = right && verdict.failed;
		v.fn.clear = good_clear;
		make_target(&t, &v, false);
		harness_check(&t, &verdict);
		right = right && !verdict.failed;
	}
	harness_close();
	judge("bad and good in turn", right, "");
}

/* The same seed, the same report. */
static void repeats(void)
{
	struct clp_variant v = { .name = "repeats", .description = "", .granule = 1, .alignment = 1, .op = CLP_OP_CLEAR };
	struct verdict first, second, other;
	struct plan plan = { .seed = 5, .quick = true };
	struct target t;

	v.fn.clear = wrong_when_long;
	make_target(&t, &v, false);
	harness_open(&plan);
	harness_check(&t, &first);
	harness_check(&t, &second);
	harness_close();
	plan.seed = 6;
	harness_open(&plan);
	harness_check(&t, &other);
	harness_close();
	judge("the same seed, the same report", !strcmp(first.what, second.what) && strcmp(first.what, other.what) != 0, "");
}

#if defined(__x86_64__)
/* The part of the shim that fills zmm registers, on machines without them through the emulator. */
static void shim_zmm(const struct clp_cpu *cpu)
{
	const char *reason = clp_cpu_missing(cpu, CLP_NEED_AVX512) ? emulate_missing(cpu, CLP_NEED_AVX512) : NULL;
	uint8_t buffer[64];
	uint64_t rng = 3;
	struct fault fault;
	struct call c;
	char text[96];
	bool kept, changed;

	if (reason) {
		printf("skip shim-zmm: %s\n", reason);
		skipped++;
		return;
	}
	fault_open();
	call_init(&c, &rng);
	c.emulated = c.level != CALL_LEVEL_ZMM;
	c.level = CALL_LEVEL_ZMM;
	c.fn = (uintptr_t)broken_result; /* leaves all vector registers alone */
	c.args[0] = (uintptr_t)buffer;
	c.args[1] = sizeof(buffer);
	kept = fault_call(&c, &fault) && !call_broken(&c, CALL_UPPER_KEPT, text, sizeof(text));
	c.fn = (uintptr_t)broken_upper_changed;
	changed = fault_call(&c, &fault) && call_broken(&c, CALL_UPPER_KEPT, text, sizeof(text)) &&
		  !call_broken(&c, CALL_UPPER_ZERO, text, sizeof(text));
	fault_close();
	judge("shim-zmm", kept && changed, "");
}
#endif

int main(void)
{
	struct clp_cpu cpu;

	setvbuf(stdout, NULL, _IOLBF, 0);
	/* A reserved page in the midst of others, so that nothing is ever mapped there. */
	nowhere = (char *)mmap(NULL, NOWHERE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) + NOWHERE / 2;
	clp_cpu_detect(&cpu);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		run_case(&cases[i], &cpu);
	mixed();
	repeats();
#if defined(__x86_64__)
	shim_zmm(&cpu);
#endif
	printf("%u passed, %u failed, %u skipped\n", passed, failed, skipped);
	return failed != 0;
}
