/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * policy.c - which routine serves a call: publishes the words that the calls read, from the tuning in force (defaults or
 * profile), what is forced, what is disabled, and who is watching.
 *
 * Publishing is idempotent and lock-free: whoever changes an input counts a generation up and publishes; whoever published
 * under an older generation does it again. Before the constructor ran, the built-in defaults serve, without the probe.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "choose.h"
#include "lib.h"

#define NOT_FORCED 0xffu

struct clp_policy clp_policy = {
	.fast = clp_generic_clear,
	.slow = CLP_SLOW_UNSELECTED,
};

const char *const clp_plan_names[CLP_PLANS] = {
	"hot", "hot-uncached", "cold", "auto", "cached", "uncached", "copy-hot", "copy-cold", "copy-auto",
};

static uint64_t generation;
static uint64_t capable;	  /* by row: what the processor and system can run; 0: not yet known */
static struct clp_tuning builtin; /* the defaults for this processor; valid when capable is */
static uint64_t disabled;	  /* by row, from CLEARPAGES_DISABLE */
static uint64_t counting;
static uint64_t ticks_readable, probe_usable; /* set by the constructor alone */
static uint64_t tuned;			      /* `tuning` holds a profile */
static struct clp_tuning tuning;
static uint8_t forced[2][3] = { { NOT_FORCED, NOT_FORCED, NOT_FORCED }, { NOT_FORCED, NOT_FORCED, NOT_FORCED } };

#define WORDS (sizeof(struct clp_tuning) / sizeof(uint64_t))

static void load_words(struct clp_tuning *to, const struct clp_tuning *from)
{
	for (size_t i = 0; i < WORDS; i++)
		((uint64_t *)to)[i] = load(((const uint64_t *)from)[i]);
}

static void store_words(struct clp_tuning *to, const struct clp_tuning *from)
{
	for (size_t i = 0; i < WORDS; i++)
		store(((uint64_t *)to)[i], ((const uint64_t *)from)[i]);
}

unsigned clp_plan_op(enum clp_plan plan)
{
	return plan >= CLP_PLAN_COPY_HOT ? CLP_OP_COPY : CLP_OP_CLEAR;
}

/* The index into forced[][] that a plan obeys. */
static unsigned hint_of(enum clp_plan plan)
{
	switch (plan) {
	case CLP_PLAN_HOT:
	case CLP_PLAN_HOT_UNCACHED:
	case CLP_PLAN_COPY_HOT:
		return CLP_HOT;
	case CLP_PLAN_COLD:
	case CLP_PLAN_COPY_COLD:
		return CLP_COLD;
	default:
		return 0;
	}
}

/*
 * Ask the processor once: CPUID traps in a virtual machine, and costs microseconds. Threads that race here write the same
 * words. The portable routines need nothing, so that the mask is never 0 when known.
 */
static uint64_t capable_rows(void)
{
	uint64_t mask = __atomic_load_n(&capable, __ATOMIC_ACQUIRE);
	struct clp_tuning defaults;
	struct clp_cpu cpu;

	if (mask)
		return mask;
	clp_cpu_detect(&cpu);
	for (unsigned row = 0; row < clp_variants_total; row++)
		if (!clp_cpu_missing(&cpu, clp_variants[row].needs))
			mask |= (uint64_t)1 << row;
	clp_defaults(&cpu, &defaults);
	store_words(&builtin, &defaults);
	__atomic_store_n(&capable, mask, __ATOMIC_RELEASE);
	return mask;
}

bool clp_policy_usable(unsigned row)
{
	return (capable_rows() & ~load(disabled)) >> row & 1;
}

const char *clp_policy_missing(unsigned row)
{
	struct clp_cpu cpu;

	if (clp_policy_usable(row))
		return NULL;
	if (load(disabled) >> row & 1)
		return "disabled by CLEARPAGES_DISABLE";
	clp_cpu_detect(&cpu);
	return clp_cpu_missing(&cpu, clp_variants[row].needs);
}

/*
 * What takes the place of a routine that can't run here: the nearest usable row above it with the same traits, else the
 * nearest below, else the last plain one above it. The portable routines, rows 0 (clear) and 1 (copy), always run.
 */
static unsigned substitute(unsigned row)
{
	const struct clp_variant *v = &clp_variants[row];

	if (clp_policy_usable(row))
		return row;
	for (unsigned i = row; i-- > 0;)
		if (clp_variants[i].op == v->op && clp_variants[i].traits == v->traits && clp_policy_usable(i))
			return i;
	for (unsigned i = row + 1; i < clp_variants_total; i++)
		if (clp_variants[i].op == v->op && clp_variants[i].traits == v->traits && clp_policy_usable(i))
			return i;
	for (unsigned i = row; i-- > 0;)
		if (clp_variants[i].op == v->op && !clp_variants[i].traits && clp_policy_usable(i))
			return i;
	return v->op;
}

/* Up to which length the short way's routine is all that a plan asks for. */
static uint32_t alone(const uint64_t *plan, unsigned fast)
{
	uint64_t upto = CLP_RULE_UPTO(plan[0]);

	if (CLP_RULE_ROW(plan[0]) != fast)
		return 0;
	return upto > UINT32_MAX ? UINT32_MAX : (uint32_t)upto;
}

static void publish(void)
{
	struct clp_tuning next;
	uint32_t slow = 0;
	unsigned fast;

	capable_rows();
	load_words(&next, load(tuned) ? &tuning : &builtin);

	for (unsigned p = 0; p < CLP_PLANS; p++) {
		unsigned row = load(forced[clp_plan_op(p)][hint_of(p)]);

		for (unsigned r = 0; r < CLP_RULES; r++) {
			if (row != NOT_FORCED)
				next.plan[p][r] = CLP_RULE(CLP_RULE_MAX, row);
			else
				next.plan[p][r] =
				    CLP_RULE(CLP_RULE_UPTO(next.plan[p][r]), substitute(CLP_RULE_ROW(next.plan[p][r])));
		}
	}
	for (unsigned hint = 0; hint < 2; hint++)
		if (!load(probe_usable) || load(forced[CLP_OP_CLEAR][hint]) != NOT_FORCED)
			next.probe_min[hint] = next.probe_max[hint] = 0;

	/* The short way's routine: the hot plan's first, if it takes any length, else the last row that does. */
	fast = CLP_RULE_ROW(next.plan[CLP_PLAN_HOT][0]);
	if (clp_variants[fast].granule != 1 || clp_variants[fast].alignment != 1 || clp_variants[fast].traits) {
		fast = 0;
		for (unsigned i = 0; i < clp_variants_total; i++)
			if (clp_variants[i].op == CLP_OP_CLEAR && clp_variants[i].granule == 1 && !clp_variants[i].traits &&
			    clp_variants[i].needs != CLP_NEED_AVX512 && clp_policy_usable(i))
				fast = i;
	}

	if (load(counting))
		slow |= CLP_SLOW_COUNTERS | (load(ticks_readable) ? CLP_SLOW_TICKS : 0);
	if (clp_sanitizer_present())
		slow |= CLP_SLOW_SANITIZER;

	/* While the words change, every call goes the long way. */
	for (unsigned hint = 0; hint < 3; hint++)
		store(clp_policy.fast_max[hint], 0);
	for (unsigned hint = 0; hint < 2; hint++) {
		store(clp_policy.cached_max[hint], 0);
		store(clp_policy.probe_min[hint], (uint32_t)next.probe_min[hint]);
		store(clp_policy.probe_max[hint], (uint32_t)next.probe_max[hint]);
	}
	store(clp_policy.probe_limit, (uint32_t)next.probe_limit);
	store(clp_policy.fast, clp_variants[fast].fn.clear);
	for (unsigned p = 0; p < CLP_PLANS; p++)
		for (unsigned r = 0; r < CLP_RULES; r++)
			store(clp_policy.plan[p][r], next.plan[p][r]);
	__atomic_store_n(&clp_policy.slow, slow, __ATOMIC_RELEASE);
	if (slow)
		return;
	store(clp_policy.cached_max[0], alone(next.plan[CLP_PLAN_CACHED], fast));
	store(clp_policy.cached_max[1], alone(next.plan[CLP_PLAN_HOT], fast));
	for (unsigned hint = 0; hint < 3; hint++) {
		static const enum clp_plan plans[3] = { CLP_PLAN_AUTO, CLP_PLAN_HOT, CLP_PLAN_COLD };
		uint32_t max = alone(next.plan[plans[hint]], fast);

		/* Short of what is probed. */
		if (hint < 2 && next.probe_min[hint] && max >= next.probe_min[hint])
			max = (uint32_t)next.probe_min[hint] - 1;
		store(clp_policy.fast_max[hint], max);
	}
}

void clp_policy_select(void)
{
	uint64_t seen;

	do {
		seen = __atomic_load_n(&generation, __ATOMIC_ACQUIRE);
		publish();
	} while (__atomic_load_n(&generation, __ATOMIC_ACQUIRE) != seen);
}

static void changed(void)
{
	__atomic_fetch_add(&generation, 1, __ATOMIC_RELEASE);
	clp_policy_select();
}

void clp_policy_set(const struct clp_tuning *to)
{
	if (to)
		store_words(&tuning, to);
	__atomic_store_n(&tuned, to != NULL, __ATOMIC_RELEASE);
	changed();
}

int clp_choice(unsigned op, size_t len, unsigned flags, int resident, unsigned *index, int *probed)
{
	bool probes;

	if (op > CLP_OP_COPY || flags & ~CLP_FLAGS || (flags & CLP_HINTS) == CLP_HINTS)
		return -EINVAL;
	clp_policy_ensure();
	probes = op == CLP_OP_CLEAR && clp_policy_probes(len, flags);
	if (index)
		*index = clp_variant_index(clp_policy_row(clp_policy_plan(op, flags, probes, resident != 0), len));
	if (probed)
		*probed = probes;
	return 0;
}

int clp_variant_force(unsigned op, unsigned hint, const char *name)
{
	int row = NOT_FORCED;

	if (op > CLP_OP_COPY || hint & ~CLP_HINTS)
		return -EINVAL;
	if (name) {
		row = clp_variant_lookup(op, name, strlen(name));
		if (row < 0)
			return row;
		if (!clp_policy_usable((unsigned)row))
			return -ENOTSUP;
	}
	for (unsigned h = 0; h < 3; h++)
		if (hint == CLP_HINTS || h == hint)
			store(forced[op][h], (uint8_t)row);
	changed();
	return 0;
}

int clp_counters_enable(int on)
{
	int was = (int)__atomic_exchange_n(&counting, on != 0, __ATOMIC_RELAXED);

	changed();
	return was;
}

/* CLEARPAGES_DISABLE: names of routines and of processor features, separated by commas. */
static void read_disable(const char *list)
{
	uint64_t mask = 0;

	while (list && *list) {
		size_t len = strcspn(list, ",");
		uint64_t named = 0;

		for (unsigned row = 0; row < clp_variants_total; row++) {
			const struct clp_variant *v = &clp_variants[row];
			const char *need = clp_cpu_need_name(v->needs);

			if ((strlen(v->name) == len && !strncmp(v->name, list, len)) ||
			    (v->needs && strlen(need) == len && !strncmp(need, list, len)))
				named |= (uint64_t)1 << row;
		}
		if (!named)
			clp_warn("CLEARPAGES_DISABLE", list, len, "no such routine or feature; ignored");
		mask |= named;
		list += len;
		list += *list == ',';
	}
	/* The portable routines are what remains when all else is gone. */
	store(disabled, mask & ~UINT64_C(3));
}

/* CLEARPAGES_VARIANT: a routine for every hint; for copies too where one has the same name. */
static void read_variant(const char *name)
{
	int clear, copy;

	if (!name || !*name)
		return;
	clear = clp_variant_force(CLP_OP_CLEAR, CLP_HINTS, name);
	copy = clp_variant_force(CLP_OP_COPY, CLP_HINTS, name);
	if (clear == -ENOENT && copy == -ENOENT)
		clp_warn("CLEARPAGES_VARIANT", name, strlen(name), "no such routine; using the default");
	else if (clear == -ENOTSUP || copy == -ENOTSUP)
		clp_warn("CLEARPAGES_VARIANT", name, strlen(name), "not available on this machine; using the default");
}

static __attribute__((constructor)) void init(void)
{
	store(ticks_readable, clp_ticks_readable());
	store(probe_usable, clp_probe_usable());
	read_disable(secure_getenv("CLEARPAGES_DISABLE"));
	clp_profile_init();
	read_variant(secure_getenv("CLEARPAGES_VARIANT"));
	changed();
}
