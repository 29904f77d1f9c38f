/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * defaults.c - the tuning built in, by processor vendor: what a machine without a measured profile starts from.
 *
 * A row here may name routines that the processor lacks; policy.c puts the nearest usable one in their place.
 * Figures: docs/policy.md.
 */
#include <string.h>

#include "lib.h"

#define KiB ((uint64_t)1 << 10)
#define MiB ((uint64_t)1 << 20)
#define REST CLP_RULE_MAX

struct rule {
	uint64_t upto;
	const char *name;
};

struct defaults {
	const char *vendor;  /* NULL: any other */
	unsigned family;     /* from this family on */
	uint64_t probe_min[2], probe_max[2], probe_limit; /* AUTO, HOT */
	struct rule plan[CLP_PLANS][CLP_RULES];
};

static const struct defaults table[] = {
	/* Zen 5, from the published figures of 2025 alone (CLZERO 1.9 times rep stosb at 2 MiB): else as Zen 3. */
	{ "AuthenticAMD", 26, { 4 * KiB + 1, 64 * KiB }, { 4 * MiB, 4 * MiB }, 260,
	  { [CLP_PLAN_HOT] = { { 4 * MiB, "avx512" }, { REST, "clzero" } },
	    [CLP_PLAN_HOT_UNCACHED] = { { 160 * KiB, "avx512" }, { REST, "clzero" } },
	    [CLP_PLAN_COLD] = { { 1 * KiB, "avx512" }, { 12 * KiB, "avx512_nt" }, { REST, "clzero" } },
	    [CLP_PLAN_AUTO] = { { 64 * KiB, "avx512" }, { REST, "clzero" } },
	    [CLP_PLAN_CACHED] = { { REST, "avx512" } },
	    [CLP_PLAN_UNCACHED] = { { 12 * KiB, "avx512_nt" }, { REST, "clzero" } },
	    [CLP_PLAN_COPY_HOT] = { { 8 * MiB, "avx512" }, { REST, "avx512_nt" } },
	    [CLP_PLAN_COPY_COLD] = { { 1 * KiB, "avx512" }, { REST, "avx512_nt" } },
	    [CLP_PLAN_COPY_AUTO] = { { 256 * KiB, "avx512" }, { REST, "avx512_nt" } } } },
	/*
	 * Zen 3. CLZERO is the fastest but for its start. From about twice the L3 on, rep stosb, and with it libc, stops
	 * allocating lines and catches up. The probe tells L3 from memory as well as L2, and pays as far as a share of the L3
	 * is likely to be ours.
	 */
	{ "AuthenticAMD", 0, { 4 * KiB + 1, 64 * KiB }, { 4 * MiB, 4 * MiB }, 260,
	  { [CLP_PLAN_HOT] = { { 4 * MiB, "avx2" }, { REST, "clzero" } },
	    [CLP_PLAN_HOT_UNCACHED] = { { 512 * KiB, "sse2" }, { REST, "clzero" } },
	    [CLP_PLAN_COLD] = { { 1 * KiB, "avx2" }, { 12 * KiB, "avx2_nt" }, { REST, "clzero" } },
	    [CLP_PLAN_AUTO] = { { 64 * KiB, "avx2" }, { REST, "clzero" } },
	    [CLP_PLAN_CACHED] = { { REST, "avx2" } },
	    [CLP_PLAN_UNCACHED] = { { 12 * KiB, "avx2_nt" }, { REST, "clzero" } },
	    [CLP_PLAN_COPY_HOT] = { { 8 * MiB, "avx2" }, { REST, "avx2_nt" } },
	    [CLP_PLAN_COPY_COLD] = { { 1 * KiB, "avx2" }, { REST, "avx2_nt" } },
	    [CLP_PLAN_COPY_AUTO] = { { 256 * KiB, "avx2" }, { REST, "avx2_nt" } } } },
	/*
	 * Emerald Rapids, from earlier trials: streaming wins from 8 MiB even when every line is read after, is level below.
	 * And unknown processors, for which it is the cautious choice.
	 */
	{ NULL, 0, { 16 * KiB, 0 }, { 2 * MiB, 0 }, 300,
	  { [CLP_PLAN_HOT] = { { 4 * MiB, "avx2" }, { REST, "avx512_nt" } },
	    [CLP_PLAN_HOT_UNCACHED] = { { 4 * MiB, "avx2" }, { REST, "avx512_nt" } },
	    [CLP_PLAN_COLD] = { { 1 * KiB, "avx2" }, { REST, "avx512_nt" } },
	    [CLP_PLAN_AUTO] = { { 256 * KiB, "avx2" }, { REST, "avx512_nt" } },
	    [CLP_PLAN_CACHED] = { { REST, "avx2" } },
	    [CLP_PLAN_UNCACHED] = { { REST, "avx512_nt" } },
	    [CLP_PLAN_COPY_HOT] = { { 8 * MiB, "avx2" }, { REST, "avx512_nt" } },
	    [CLP_PLAN_COPY_COLD] = { { 1 * KiB, "avx2" }, { REST, "avx512_nt" } },
	    [CLP_PLAN_COPY_AUTO] = { { 256 * KiB, "avx2" }, { REST, "avx512_nt" } } } },
};

/* Where the architecture has no routine of that name: the portable one, row 0 (clear) or 1 (copy). */
static unsigned row_of(unsigned op, const char *name)
{
	int row = clp_variant_lookup(op, name, strlen(name));

	return row < 0 ? op : (unsigned)row;
}

void clp_defaults(const struct clp_cpu *cpu, struct clp_tuning *tuning)
{
	const struct defaults *d = table;

	while (d->vendor && (strcmp(d->vendor, cpu->vendor) != 0 || cpu->family < d->family))
		d++;
	for (unsigned hint = 0; hint < 2; hint++) {
		tuning->probe_min[hint] = d->probe_min[hint];
		tuning->probe_max[hint] = d->probe_max[hint];
	}
	tuning->probe_limit = d->probe_limit;
	for (unsigned p = 0; p < CLP_PLANS; p++) {
		unsigned last = 0;

		for (unsigned r = 0; r < CLP_RULES; r++) {
			if (d->plan[p][r].name)
				last = r;
			tuning->plan[p][r] = CLP_RULE(d->plan[p][last].upto, row_of(clp_plan_op(p), d->plan[p][last].name));
		}
	}
}
