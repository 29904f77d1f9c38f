/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.c - the rules of each plan: for every size the routine with the least regret over the situations that the plan is
 * for, in as few rules as the figures support.
 *
 * Regrets are logarithms of time over the best routine's time, so that their mean is a geometric one. A change of routine
 * from one size to the next costs CHANGE, so that noise does not make rules. Solved exactly by dynamic programming.
 */
#include <math.h>
#include <string.h>

#include "tune.h"

#define CHANGE 0.05
/* What the built-in defaults choose is ahead by this much: a tie is not a reason to depart from them. */
#define INCUMBENT 0.02
/* Of "just in cache" for hot clears between L2 and half the L3: possible, not the rule. */
#define L3_WEIGHT (1.0 / 3)

static bool wants(enum clp_plan plan, const struct matrix *m, size_t s, bool cached, unsigned t, const struct scope *scope,
		  double *weight)
{
	size_t size = m->sizes[s];
	bool all = t == TOUCHES - 1;

	*weight = 1;
	if (!matrix_has(m, s, cached, t))
		return false;
	switch (plan) {
	case CLP_PLAN_HOT:
		if (scope->hot_min && size >= scope->hot_min && size <= scope->hot_max)
			return all && cached;
		if (cached && size > scope->l2)
			*weight = size <= scope->l3 / 2 ? L3_WEIGHT : 0;
		return all && *weight > 0;
	case CLP_PLAN_HOT_UNCACHED:
		return all && !cached;
	case CLP_PLAN_COPY_HOT:
		return all;
	case CLP_PLAN_COLD:
		return !cached && t <= 1;
	case CLP_PLAN_COPY_COLD:
		return !cached && t == 0;
	case CLP_PLAN_CACHED:
		return cached;
	case CLP_PLAN_UNCACHED:
		return !cached;
	default:
		return !cached || size <= scope->l2;
	}
}

/* A plain routine for any length and alignment: such a one serves all short clears, and heads and tails. */
static bool plain(const struct matrix *m, size_t method)
{
	struct clp_variant_info info = { .sz = sizeof(info) };

	clp_variant_get(m->op, m->methods[method].index, &info);
	return info.granule == 1 && !info.traits;
}

static bool nontemporal(const struct matrix *m, size_t method)
{
	struct clp_variant_info info = { .sz = sizeof(info) };

	clp_variant_get(m->op, m->methods[method].index, &info);
	return info.traits & CLP_TRAIT_NONTEMPORAL;
}

/* May the routine stand in the plan at this size? Up to a page, the short way's routine does all that is temporal. */
static bool fits(const struct matrix *m, enum clp_plan plan, size_t s, size_t method)
{
	if (m->op == CLP_OP_COPY || m->sizes[s] > 4096 || method == m->short_method)
		return true;
	return (plan == CLP_PLAN_COLD || plan == CLP_PLAN_UNCACHED || plan == CLP_PLAN_HOT_UNCACHED) &&
	       nontemporal(m, method);
}

static int method_row(const struct matrix *m, size_t method)
{
	return clp_variant_row(m->op, m->methods[method].index);
}

/* The row that the defaults give a length. */
static int built_in(enum clp_plan plan, size_t size)
{
	static struct clp_tuning defaults;
	static bool known;
	struct clp_cpu cpu;
	unsigned r = 0;

	/* Once: CPUID traps in a virtual machine. */
	if (!known) {
		clp_cpu_detect(&cpu);
		clp_defaults(&cpu, &defaults);
		known = true;
	}
	while (size > CLP_RULE_UPTO(defaults.plan[plan][r]))
		r++;
	return (int)CLP_RULE_ROW(defaults.plan[plan][r]);
}

static double cost_of(const struct matrix *m, enum clp_plan plan, size_t s, size_t method, const struct scope *scope)
{
	double sum = 0, weights = 0, weight;

	if (!fits(m, plan, s, method))
		return 1e6;
	for (unsigned cached = 0; cached < 2; cached++) {
		for (unsigned t = 0; t < TOUCHES; t++) {
			if (!wants(plan, m, s, cached, t, scope, &weight))
				continue;
			sum += weight * matrix_regret(m, s, cached, t, method);
			weights += weight;
		}
	}
	return (weights > 0 ? sum / weights : 0) - (built_in(plan, m->sizes[s]) == method_row(m, method) ? INCUMBENT : 0);
}

static void short_method(struct matrix *m)
{
	double least = INFINITY;

	for (size_t i = 0; i < m->n_methods; i++) {
		double sum = 0;

		if (!plain(m, i))
			continue;
		for (size_t s = 0; s < m->n_sizes && m->sizes[s] <= 4096; s++)
			for (unsigned t = 0; t < TOUCHES; t++)
				sum += matrix_regret(m, s, true, t, i) + matrix_regret(m, s, false, t, i);
		if (sum < least) {
			least = sum;
			m->short_method = i;
		}
	}
}

/* Between two measured sizes, strictly: to the cache line, for neighbours may lie less than a page apart. */
static uint64_t boundary(size_t below, size_t above)
{
	return (uint64_t)sqrt((double)below * (double)above) & ~(uint64_t)63;
}

void plan_make(const struct matrix *m, enum clp_plan plan, const struct scope *scope, uint64_t rules[CLP_RULES])
{
	/* least[s][k][i]: of sizes 0 to s, in k + 1 rules, the last with method i; from[][][]: the method before. */
	static double least[TUNE_SIZES_MAX][CLP_RULES][METHODS_MAX];
	static size_t from[TUNE_SIZES_MAX][CLP_RULES][METHODS_MAX];
	size_t chosen[TUNE_SIZES_MAX], last = m->n_sizes - 1, k = 0, r = 0;
	double total = INFINITY;

	for (size_t s = 0; s <= last; s++) {
		for (size_t rule = 0; rule < CLP_RULES; rule++) {
			for (size_t i = 0; i < m->n_methods; i++) {
				double best = s ? least[s - 1][rule][i] : rule ? INFINITY : 0;
				size_t before = i;

				for (size_t j = 0; s && rule && j < m->n_methods; j++) {
					if (j != i && least[s - 1][rule - 1][j] + CHANGE < best) {
						best = least[s - 1][rule - 1][j] + CHANGE;
						before = j;
					}
				}
				least[s][rule][i] = best + cost_of(m, plan, s, i, scope);
				from[s][rule][i] = before;
			}
		}
	}
	for (size_t rule = 0; rule < CLP_RULES; rule++) {
		for (size_t i = 0; i < m->n_methods; i++) {
			if (least[last][rule][i] < total) {
				total = least[last][rule][i];
				k = rule;
				chosen[last] = i;
			}
		}
	}
	for (size_t s = last; s > 0; s--) {
		chosen[s - 1] = from[s][k][chosen[s]];
		k -= chosen[s - 1] != chosen[s];
	}
	for (size_t s = 0; s <= last; s++) {
		int row = method_row(m, chosen[s]);

		if (s < last && chosen[s + 1] == chosen[s])
			continue;
		rules[r++] = CLP_RULE(s == last ? CLP_RULE_MAX : boundary(m->sizes[s], m->sizes[s + 1]), row);
	}
	for (; r < CLP_RULES; r++)
		rules[r] = rules[r - 1];
}

/* The method that a plan's rules give for a size. */
static size_t method_of(const struct matrix *m, const uint64_t *rules, size_t size)
{
	unsigned r = 0;

	while (size > CLP_RULE_UPTO(rules[r]))
		r++;
	for (size_t i = 0; i < m->n_methods; i++)
		if (method_row(m, i) == (int)CLP_RULE_ROW(rules[r]))
			return i;
	return 0;
}

/* What a probe of one hint is judged by: the uses from `touch` on, the plans, and the probe's price in ticks. */
struct judge {
	unsigned touch;
	const uint64_t *plain, *cached, *uncached;
	double price[2]; /* [cached] */
};

/* Mean plus twice the maximum of a size's regrets; with a probe, its ticks are added to each situation's time. */
static double badness(const struct matrix *m, size_t s, const struct judge *j, bool probe)
{
	double sum = 0, max = 0;
	unsigned n = 0;

	for (unsigned cached = 0; cached < 2; cached++) {
		const uint64_t *rules = !probe ? j->plain : cached ? j->cached : j->uncached;
		size_t method = method_of(m, rules, m->sizes[s]);

		for (unsigned t = j->touch; t < TOUCHES; t++) {
			double regret;

			if (!matrix_has(m, s, cached, t))
				continue;
			regret = matrix_regret(m, s, cached, t, method);
			if (probe)
				regret += log(1 + j->price[cached] / m->ticks[s][cached][t][method]);
			sum += regret;
			max = fmax(max, regret);
			n++;
		}
	}
	return n ? sum / n + 2 * max : 0;
}

static bool pays(const struct matrix *m, size_t s, const struct judge *j)
{
	return m->sizes[s] > 4096 && matrix_has(m, s, true, TOUCHES - 1) &&
	       method_of(m, j->cached, m->sizes[s]) != method_of(m, j->uncached, m->sizes[s]) &&
	       badness(m, s, j, true) < badness(m, s, j, false);
}

/* The longest row of neighbouring sizes at which the probe pays. */
static void pay_range(const struct matrix *m, const struct judge *j, uint64_t *min, uint64_t *max)
{
	size_t from = 0, longest = 0;

	*min = *max = 0;
	for (size_t s = 0; s < m->n_sizes; s++) {
		if (!pays(m, s, j)) {
			from = s + 1;
			continue;
		}
		if (s + 1 - from <= longest)
			continue;
		longest = s + 1 - from;
		/* From just above the largest size at which it did not pay. */
		*min = (from && m->sizes[from - 1] > 4096 ? m->sizes[from - 1] : 4096) + 1;
		*max = m->sizes[s];
	}
}

void plan_clears(struct matrix *m, struct scope *scope, struct clp_tuning *tuning, const double price[2])
{
	uint64_t plain[CLP_RULES], cached[CLP_RULES];
	struct judge automatic = {
		0,
		tuning->plan[CLP_PLAN_AUTO],
		tuning->plan[CLP_PLAN_CACHED],
		tuning->plan[CLP_PLAN_UNCACHED],
		{ price[0], price[1] },
	};
	struct judge hot = { TOUCHES - 1, plain, cached, tuning->plan[CLP_PLAN_HOT_UNCACHED], { price[0], price[1] } };

	short_method(m);
	for (unsigned p = 0; p < CLP_PLANS; p++)
		if (clp_plan_op(p) == CLP_OP_CLEAR)
			plan_make(m, p, scope, tuning->plan[p]);
	tuning->probe_min[0] = tuning->probe_max[0] = tuning->probe_min[1] = tuning->probe_max[1] = 0;
	if (!tuning->probe_limit)
		return;
	pay_range(m, &automatic, &tuning->probe_min[0], &tuning->probe_max[0]);
	/* HOT's own plan depends on where it probes: once for nowhere, once for everywhere, then for where it pays. */
	memcpy(plain, tuning->plan[CLP_PLAN_HOT], sizeof(plain));
	scope->hot_min = 1;
	scope->hot_max = SIZE_MAX;
	plan_make(m, CLP_PLAN_HOT, scope, cached);
	pay_range(m, &hot, &tuning->probe_min[1], &tuning->probe_max[1]);
	scope->hot_min = tuning->probe_min[1];
	scope->hot_max = tuning->probe_max[1];
	plan_make(m, CLP_PLAN_HOT, scope, tuning->plan[CLP_PLAN_HOT]);
}
