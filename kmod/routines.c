// SPDX-License-Identifier: GPL-2.0-only
/*
 * routines.c - the table of routines as the kernel sees them: which can be used here, and the calls to them.
 *
 * Each is called directly, never through a pointer: no retpoline, no IBT landing pad needed.
 */
#include "kmod.h"

#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/fpu/types.h>
#include <linux/instrumented.h>
#include <linux/kmsan-checks.h>
#include <linux/sizes.h>
#include <linux/string.h>

/* Preemption is off while the kernel uses vector registers: no longer than this many bytes take. */
#define VECTOR_SECTION SZ_64K

#define DECLARE_clear(name) asmlinkage int clp_x86_clear_##name(void *addr, unsigned long len);
#define DECLARE_copy(name)
#define VARIANT(name, op, ...) DECLARE_##op(name)
#include "lib/arch/x86/variants.def"
#ifdef CLEARPAGES_TEST
#include "broken.def"
#endif
#undef VARIANT

#define FACTS_clear(row_name, row_needs, row_traits, row_granule, row_alignment)                                         \
	[CLP_##row_name] = { .name = #row_name, .needs = CLP_NEED_##row_needs, .traits = row_traits, .granule = row_granule, \
			     .alignment = row_alignment },
#define FACTS_copy(...)
#define VARIANT(name, op, needs, traits, granule, alignment, description) FACTS_##op(name, needs, traits, granule, alignment)

struct clp_routine_facts clp_routines[CLP_ROUTINES] = {
	[CLP_KERNEL] = { .name = "kernel", .granule = 1, .alignment = 1 },
#include "lib/arch/x86/variants.def"
#ifdef CLEARPAGES_TEST
#include "broken.def"
#endif
#undef VARIANT
};

/* What a row may need: the processor's feature, and the registers that the kernel has to save and restore for it. */
static const struct {
	u8 need;
	u16 feature;
	u64 xfeatures;
	const char *lacking;
	const char *disabled;
} needs[] = {
	{ CLP_NEED_SSE2, X86_FEATURE_XMM2, 0, "the processor lacks sse2", NULL },
	{ CLP_NEED_AVX2, X86_FEATURE_AVX2, XFEATURE_MASK_SSE | XFEATURE_MASK_YMM, "the processor lacks avx2",
	  "the kernel does not save AVX registers" },
	{ CLP_NEED_AVX512, X86_FEATURE_AVX512F, XFEATURE_MASK_SSE | XFEATURE_MASK_YMM | XFEATURE_MASK_AVX512,
	  "the processor lacks avx512f", "the kernel does not save AVX-512 registers" },
	{ CLP_NEED_MOVDIR64B, X86_FEATURE_MOVDIR64B, 0, "the processor lacks movdir64b", NULL },
	{ CLP_NEED_CLZERO, X86_FEATURE_CLZERO, 0, "the processor lacks clzero", NULL },
};

static const char *missing(u8 wanted)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(needs); i++) {
		if (!(wanted & needs[i].need))
			continue;
		if (!boot_cpu_has(needs[i].feature))
			return needs[i].lacking;
		if (needs[i].xfeatures && !cpu_has_xfeatures(needs[i].xfeatures, NULL))
			return needs[i].disabled;
	}
	return NULL;
}

int clp_routines_init(void)
{
	enum clp_routine r;

	for (r = 0; r < CLP_ROUTINES; r++)
		clp_routines[r].unusable = missing(clp_routines[r].needs);
	return clp_selftest();
}

int clp_routine_find(const char *name)
{
	int r;

	for (r = 0; r < CLP_ROUTINES; r++)
		if (!strcmp(clp_routines[r].name, name))
			return r;
	return -EINVAL;
}

static enum clp_routine first_usable(const enum clp_routine *wanted, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!clp_routines[wanted[i]].unusable)
			return wanted[i];
	return CLP_KERNEL;
}

/* Used later, or in part: past the caches. */
enum clp_routine clp_default_far(void)
{
	static const enum clp_routine wanted[] = { CLP_clzero, CLP_movnti, CLP_mov };

	return first_usable(wanted, ARRAY_SIZE(wanted));
}

/* Used at once: into the caches, by what the kernel's own clear_page() would use. */
enum clp_routine clp_default_near(void)
{
	enum clp_routine wanted[] = { CLP_mov, CLP_mov };

	if (boot_cpu_has(X86_FEATURE_ERMS))
		wanted[0] = CLP_stosb;
	else if (boot_cpu_has(X86_FEATURE_REP_GOOD))
		wanted[0] = CLP_stosq;
	return first_usable(wanted, ARRAY_SIZE(wanted));
}

/*
 * A weakly ordered store that is not fenced may be overtaken by the one that maps the page, and another processor sees what was in the
 * page before: so each ends in SFENCE, here, where no caller can forget it.
 */
static void call(enum clp_routine routine, void *addr, size_t len)
{
	switch (routine) {
#define CALL_clear(name, traits)                   \
	case CLP_##name:                           \
		clp_x86_clear_##name(addr, len);   \
		if ((traits) & CLP_WEAK)           \
			wmb(); /* SFENCE */        \
		break;
#define CALL_copy(...)
#define VARIANT(name, op, needs, traits, ...) CALL_##op(name, traits)
#include "lib/arch/x86/variants.def"
#ifdef CLEARPAGES_TEST
#include "broken.def"
#endif
#undef VARIANT
	default:
		WARN_ONCE(1, "routine %d can't be called\n", routine);
		memset(addr, 0, len);
	}
}

/* KASAN, KCSAN and KMSAN don't see what assembler writes. */
static void announce(void *addr, size_t len)
{
	instrument_write(addr, len);
	kmsan_unpoison_memory(addr, len);
}

void clp_clear_scalar(enum clp_routine routine, void *addr, size_t len)
{
	announce(addr, len);
	call(routine, addr, len);
}

void clp_clear(enum clp_routine routine, void *addr, size_t len)
{
	size_t n;

	announce(addr, len);
	if (!(clp_routines[routine].traits & CLP_VECTOR)) {
		call(routine, addr, len);
		return;
	}
	for (; len; addr += n, len -= n) {
		n = min_t(size_t, len, VECTOR_SECTION);
		kernel_fpu_begin();
		call(routine, addr, n);
		kernel_fpu_end();
	}
}
