/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.c - the rules of each plan: for every size the routine with the least regret over the situations that the plan is for,
 * in as few rules as the figures support.
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

static bool wants(enum clp_plan plan, const struct matrix *m, size_t s, bool cached, unsigned t, size_t l2, size_t l3, double *weight)
{
	size_t size = m->sizes[s];
	bool all = t == TOUCHES - 1;

	*weight = 1;
	if (!matrix_has(m, s, cached, t))
		return false;
	switch (plan) {
	case CLP_PLAN_HOT:
	case CLP_PLAN_COPY_HOT:
		if (cached && size > l2)
			*weight = size <= l3 / 2 ? L3_WEIGHT : 0;
		return all && *weight > 0;
	case CLP_PLAN_COLD:
		return !cached && t <= 1;
	case CLP_PLAN_COPY_COLD:
		return !cached && t == 0;
	case CLP_PLAN_CACHED:
		return cached;
	case CLP_PLAN_UNCACHED:
		return !cached;
	default:
		return !cached || size <= l2;
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
	return (plan == CLP_PLAN_COLD || plan == CLP_PLAN_UNCACHED) && nontemporal(m, method);
}

static int method_row(const struct matrix *m, size_t method)
{
	return clp_variant_row(m->op, m->methods[method].index);
}

/* The row that the defaults give a length. */
static int built_in(enum clp_plan plan, size_t size)
{
	struct clp_tuning defaults;
	struct clp_cpu cpu;
	unsigned r = 0;

	clp_cpu_detect(&cpu);
	clp_defaults(&cpu, &defaults);
	while (size > CLP_RULE_UPTO(defaults.plan[plan][r]))
		r++;
	return (int)CLP_RULE_ROW(defaults.plan[plan][r]);
}

static double cost_of(const struct matrix *m, enum clp_plan plan, size_t s, size_t method, size_t l2, size_t l3)
{
	double sum = 0, weights = 0, weight;

	if (!fits(m, plan, s, method))
		return 1e6;
	for (unsigned cached = 0; cached < 2; cached++) {
		for (unsigned t = 0; t < TOUCHES; t++) {
			if (!wants(plan, m, s, cached, t, l2, l3, &weight))
				continue;
			sum += weight * matrix_regret(m, s, cached, t, method);
			weights += weight;
		}
	}
	return (weights > 0 ? sum / weights : 0) - (built_in(plan, m->sizes[s]) == method_row(m, method) ? INCUMBENT : 0);
}

void plan_short_method(struct matrix *m)
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

static uint64_t boundary(size_t below, size_t above)
{
	uint64_t middle = (uint64_t)sqrt((double)below * (double)above);

	return above <= 4096 ? middle : (middle + 4095) & ~(uint64_t)4095;
}

void plan_make(const struct matrix *m, enum clp_plan plan, size_t l2, size_t l3, uint64_t rules[CLP_RULES])
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
				least[s][rule][i] = best + cost_of(m, plan, s, i, l2, l3);
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

/* Mean plus twice the maximum of a size's regrets; with a probe, its ticks are added to each situation's time. */
static double badness(const struct matrix *m, size_t s, size_t if_cached, size_t if_not, double probe_cached, double probe_uncached)
{
	double sum = 0, max = 0;
	unsigned n = 0;

	for (unsigned cached = 0; cached < 2; cached++) {
		for (unsigned t = 0; t < TOUCHES; t++) {
			size_t method = cached ? if_cached : if_not;
			double time, regret;

			if (!matrix_has(m, s, cached, t))
				continue;
			time = m->ticks[s][cached][t][method];
			regret = matrix_regret(m, s, cached, t, method) + log(1 + (cached ? probe_cached : probe_uncached) / time);
			sum += regret;
			max = fmax(max, regret);
			n++;
		}
	}
	return n ? sum / n + 2 * max : 0;
}

static bool pays(const struct matrix *m, const struct clp_tuning *tuning, size_t s, double probe_cached, double probe_uncached)
{
	size_t length_alone = method_of(m, tuning->plan[CLP_PLAN_AUTO], m->sizes[s]);
	size_t cached = method_of(m, tuning->plan[CLP_PLAN_CACHED], m->sizes[s]);
	size_t uncached = method_of(m, tuning->plan[CLP_PLAN_UNCACHED], m->sizes[s]);

	return m->sizes[s] > 4096 && matrix_has(m, s, true, 0) && cached != uncached &&
	       badness(m, s, cached, uncached, probe_cached, probe_uncached) < badness(m, s, length_alone, length_alone, 0, 0);
}

/* The longest row of neighbouring sizes at which the probe pays. */
void plan_probe_range(const struct matrix *m, struct clp_tuning *tuning, double probe_cached, double probe_uncached)
{
	size_t from = 0, longest = 0;

	tuning->probe_min = tuning->probe_max = 0;
	for (size_t s = 0; s < m->n_sizes; s++) {
		if (!pays(m, tuning, s, probe_cached, probe_uncached)) {
			from = s + 1;
			continue;
		}
		if (s + 1 - from <= longest)
			continue;
		longest = s + 1 - from;
		/* From just above the largest size at which it did not pay. */
		tuning->probe_min = (from ? m->sizes[from - 1] : 4096) + 1;
		tuning->probe_max = m->sizes[s];
	}
}
