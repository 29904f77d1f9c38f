// SPDX-License-Identifier: GPL-2.0-only
/*
 * selftest.c - at load: does each routine clear what it is told, all of it and nothing else, on this processor?
 *
 * In a buffer from vmalloc, which ends at an unmapped page: what writes beyond it is not overlooked. What fails is refused; the
 * others serve.
 */
#include "kmod.h"

#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/vmalloc.h>

#define SPACE  (2 * SZ_64K + 3 * PAGE_SIZE) /* more than two sections of a vector routine */
#define DIRTY  0xa5a5a5a5a5a5a5a5ull
#define GUARDS 16 /* words looked at before and after */

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

/* Is what lies in [from, from + len) cleared, and the words around it not? All are multiples of 8. */
static bool cleared(const u64 *space, size_t from, size_t len)
{
	size_t first = from / 8, last = (from + len) / 8, i;

	for (i = first - min_t(size_t, first, GUARDS); i < min_t(size_t, last + GUARDS, SPACE / 8); i++)
		if (space[i] != (i >= first && i < last ? 0 : DIRTY))
			return false;
	return true;
}

static bool passes(enum clp_routine routine, u64 *space)
{
	static const size_t lengths[] = { 64, 128, 192, 256, 320, 448, 512, 1024, SZ_4K - 64, SZ_4K, SZ_4K + 64, SZ_8K, SZ_64K - 64,
					  SZ_64K, SZ_64K + 64, SZ_128K + 64, SPACE };
	static const size_t offsets[] = { 0, 64, 128, 192, 320, 1024, SZ_4K - 64, SZ_4K };
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		for (j = 0; j < 2 * ARRAY_SIZE(offsets); j++) {
			size_t len = lengths[i], from = offsets[j / 2];

			if (from + len > SPACE)
				continue;
			/* The same distance from the start, and from the end, where the unmapped page is. */
			if (j & 1)
				from = SPACE - len - from;
			memset64(space, DIRTY, SPACE / 8);
			clp_clear(routine, (void *)space + from, len);
			if (!cleared(space, from, len))
				return false;
		}
		cond_resched();
	}
	return true;
}

int clp_selftest(void)
{
	u64 *space = vmalloc(SPACE);
	enum clp_routine r;

	if (!space)
		return -ENOMEM;
	for (r = CLP_KERNEL + 1; r < CLP_ROUTINES; r++) {
		struct clp_routine_facts *facts = &clp_routines[r];

		if (facts->unusable || passes(r, space))
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
