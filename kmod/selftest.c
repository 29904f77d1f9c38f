// SPDX-License-Identifier: GPL-2.0-only
/*
 * selftest.c - at load: does each routine clear what it is told, all of it and nothing else, on this processor?
 *
 * In a buffer from vmalloc, which ends at an unmapped page: what writes beyond it is not overlooked. What fails is refused; the
 * others serve.
 */
#include "kmod.h"

#include <linux/module.h>
#include <linux/math.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#define SPACE (2 * SZ_64K + 3 * PAGE_SIZE) /* more than two sections of a vector routine */
#define DIRTY 0xa5
#define GUARD 256 /* bytes looked at before and after */

#ifdef CLEARPAGES_TEST
static char *trust = "";
module_param(trust, charp, 0444);
MODULE_PARM_DESC(trust, "For tests: routines, or all, that serve though they fail the self-test");

static bool trusted(const char *name)
{
	size_t len = strlen(name);
	const char *at = trust;

	if (!strcmp(trust, "all"))
		return true;
	for (; *at; at += strcspn(at, ","), at += *at == ',')
		if (strcspn(at, ",") == len && !strncmp(at, name, len))
			return true;
	return false;
}
#else
static bool trusted(const char *name)
{
	return false;
}
#endif

/* Is what lies in [from, from + len) cleared, and what lies around it not? */
static bool cleared(const u8 *space, size_t from, size_t len)
{
	size_t before = min_t(size_t, from, GUARD), after = min_t(size_t, SPACE - from - len, GUARD);

	return !memchr_inv(space + from - before, DIRTY, before) && !memchr_inv(space + from, 0, len) &&
	       !memchr_inv(space + from + len, DIRTY, after);
}

static bool clears(enum clp_routine routine, u8 *space, size_t from, size_t len)
{
	size_t first = from - min_t(size_t, from, GUARD), last = min_t(size_t, SPACE, from + len + GUARD);

	memset(space + first, DIRTY, last - first);
	clp_clear(routine, space + from, len);
	return cleared(space, from, len);
}

/* Lengths and offsets of which one is not a multiple of a row's granule or alignment are rounded down to it. */
static bool passes(const struct clp_routine_facts *facts, u8 *space)
{
	static const u32 lengths[] = { 1, 3, 7, 15, 16, 31, 33, 63, 64, 65, 127, 128, 129, 192, 255, 256, 257, 320, 448, 511, 512,
				       1023, SZ_4K - 64, SZ_4K, SZ_4K + 64, SZ_8K, SZ_64K - 64, SZ_64K, SZ_64K + 64, SZ_128K + 64,
				       SPACE };
	static const u16 offsets[] = { 0, 1, 7, 8, 17, 32, 63, 64, 128, 192, 320, 1024, SZ_4K - 64, SZ_4K };
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		size_t len = rounddown(lengths[i], facts->granule);

		for (j = 0; j < ARRAY_SIZE(offsets); j++) {
			size_t from = rounddown(offsets[j], facts->alignment);

			if (from + len > SPACE)
				continue;
			/* The same distance from the start, and from the end, where the unmapped page is. */
			if (!clears(facts - clp_routines, space, from, len) ||
			    !clears(facts - clp_routines, space, rounddown(SPACE - len - from, facts->alignment), len))
				return false;
		}
		cond_resched();
	}
	return true;
}

int clp_selftest(void)
{
	u8 *space = __vmalloc(SPACE, GFP_KERNEL | __GFP_NOWARN);
	enum clp_routine r;

	if (!space)
		return -ENOMEM;
	for (r = CLP_KERNEL + 1; r < CLP_ROUTINES; r++) {
		struct clp_routine_facts *facts = &clp_routines[r];

		if (facts->unusable || passes(facts, space))
			continue;
		if (trusted(facts->name)) {
			pr_err("%s: fails the self-test, and serves all the same (trust)\n", facts->name);
			continue;
		}
		pr_err("%s: fails the self-test: refused\n", facts->name);
		facts->unusable = "it failed the self-test";
	}
	vfree(space);
	return 0;
}
