/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verdict.c - is a candidate faster, slower, the same, or is that not known yet? Welch's t test with the machine's drift
 * taken out, Holm's adjustment, an equivalence test. docs/comparing.md says why, with simulated error rates.
 */
#include "verdict.h"

#include <math.h>
#include <stdlib.h>

#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "cli.h"
#include "ranks.h"

#define ALPHA 0.05
#define POWER 0.9
/* Blocks whose neighbours differ beyond this chance jump rather than drift. */
#define EVIDENT 0.01

static double mean_of(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum / (double)n;
}

static double variance_of(const double *x, size_t n)
{
	double mean = mean_of(x, n), squares = 0;

	for (size_t i = 0; i < n; i++)
		squares += (x[i] - mean) * (x[i] - mean);
	return squares / (double)(n - 1);
}

/*
 * The variance of base + sign * cand from the differences of neighbours (von Neumann's mean square successive difference):
 * what drifts slowly is nearly the same in both of them.
 */
static double neighbours(const double *base, const double *cand, double sign, size_t n)
{
	double squares = 0;

	for (size_t i = 0; i + 1 < n; i++) {
		double step = base[i + 1] - base[i] + sign * (cand[i + 1] - cand[i]);

		squares += step * step;
	}
	return squares / (2 * (double)(n - 1));
}

static void set(struct effect *e, double squared_se, double df)
{
	e->se = sqrt(squared_se);
	e->df = df;
	if (e->se > 0)
		e->p = 2 * pt(fabs(e->mean) / e->se, df, 0, 0);
	else
		e->p = e->mean == 0 ? 1 : 0;
}

/*
 * Welch's variance s_b^2 + s_c^2 is that of c - b and, without drift, that of c + b too. The machine's drift cancels in the
 * first and counts twice in the second, so the second is taken from neighbouring blocks, which drift alike; each weighs as
 * much as it has degrees of freedom. Those of the whole are found as Satterthwaite did, for sides that scatter unevenly too.
 */
static double drift_free(struct effect *e, const double *base, const double *cand, size_t n, double differences)
{
	double freedom = (double)(n - 1), loss = (3 * (double)n - 4) / (2 * freedom);
	double sums = neighbours(base, cand, 1, n);
	double b = neighbours(base, cand, 0, n), c = neighbours(cand, base, 0, n);
	double uneven = b + c > 0 ? (c - b) / (c + b) : 0;

	e->variance = differences;
	/* Where even neighbours do not drift alike: the paired test. */
	if (sums > 0 && pf(sums / differences, freedom / loss, freedom, 0, 0) < EVIDENT)
		return freedom;
	e->variance = (loss * differences + sums) / (1 + loss);
	return freedom * (1 + loss) / loss / (1 + 2 * uneven * uneven / (1 + loss));
}

void effect_paired(struct effect *e, const double *base, const double *cand, size_t n)
{
	double *d = malloc(n * sizeof(*d)), df;

	if (!d)
		die(EXIT_FAILED, "out of memory");
	*e = (struct effect){ .n_base = n, .n_cand = n, .paired = true };
	for (size_t i = 0; i < n; i++)
		d[i] = cand[i] - base[i];
	e->mean = mean_of(d, n);
	df = drift_free(e, base, cand, n, variance_of(d, n));
	set(e, e->variance / (double)n, df);
	e->wilcoxon_p = signed_rank_p(d, n);
	e->wilcoxon_least = signed_rank_least(n);
	free(d);
}

void effect_unpaired(struct effect *e, const double *base, size_t n_base, const double *cand, size_t n_cand)
{
	double b = variance_of(base, n_base) / (double)n_base, c = variance_of(cand, n_cand) / (double)n_cand;
	double df = (double)(n_base + n_cand - 2);

	*e = (struct effect){ .n_base = n_base, .n_cand = n_cand };
	e->mean = mean_of(cand, n_cand) - mean_of(base, n_base);
	e->variance = b * (double)n_base + c * (double)n_cand;
	if (b + c > 0)
		df = (b + c) * (b + c) / (b * b / (double)(n_base - 1) + c * c / (double)(n_cand - 1));
	set(e, b + c, df);
	e->wilcoxon_p = rank_sum_p(base, n_base, cand, n_cand);
	e->wilcoxon_least = rank_sum_least(n_base, n_cand);
}

void effect_interval(const struct effect *e, double level, double *low, double *high)
{
	double half = e->se > 0 ? qt((1 + level) / 2, e->df, 1, 0) * e->se : 0;

	*low = e->mean - half;
	*high = e->mean + half;
}

void mean_interval(const double *x, size_t n, double level, double *mean, double *low, double *high)
{
	double half = INFINITY;

	if (n > 1)
		half = qt((1 + level) / 2, (double)(n - 1), 1, 0) * sqrt(variance_of(x, n) / (double)n);
	*mean = mean_of(x, n);
	*low = *mean - half;
	*high = *mean + half;
}

double effect_sd(const struct effect *e)
{
	return sqrt(e->variance / 2);
}

void holm(const double *p, double *adjusted, size_t n)
{
	double before = -1, most = 0;

	/* By rank, smallest first; the k-th is multiplied by n - k, and none is below one before it. Ties get the same. */
	for (size_t done = 0; done < n;) {
		double next = INFINITY;
		size_t same = 0;

		for (size_t i = 0; i < n; i++)
			if (p[i] > before && p[i] < next)
				next = p[i];
		most = fmax(most, fmin(1, next * (double)(n - done)));
		for (size_t i = 0; i < n; i++) {
			if (p[i] == next) {
				adjusted[i] = most;
				same++;
			}
		}
		if (!same)
			return;
		before = next;
		done += same;
	}
}

enum verdict judge(const struct effect *e, double p_adjusted, double threshold, bool up_is_good)
{
	double change = expm1(e->mean), low, high;

	if (p_adjusted < ALPHA && fabs(change) >= threshold)
		return (change > 0) == up_is_good ? VERDICT_IMPROVEMENT : VERDICT_REGRESSION;
	/* Two one-sided tests at 5%: the 90% interval lies within the threshold. */
	effect_interval(e, 1 - 2 * ALPHA, &low, &high);
	if (expm1(low) > -threshold && expm1(high) < threshold)
		return VERDICT_SAME;
	return VERDICT_UNSURE;
}

static double quantiles(double df, size_t rows)
{
	double significant = qt(1 - ALPHA / 2 / (double)rows, df, 1, 0) + qt(POWER, df, 1, 0);
	double same = qt(1 - ALPHA, df, 1, 0) + qt((1 + POWER) / 2, df, 1, 0);

	return fmax(significant, same);
}

unsigned long sessions_needed(const struct effect *e, double threshold, size_t rows)
{
	double now = (double)(e->n_base < e->n_cand ? e->n_base : e->n_cand);
	double a_block = e->df / ((double)(e->n_base + e->n_cand) / 2 - 1);
	double ratio = e->variance / (log1p(threshold) * log1p(threshold));
	double normal = quantiles(INFINITY, rows), n = fmax(now + 1, floor(normal * normal * ratio));

	/* t's quantiles are not far above the normal ones: a few steps from there. */
	while (n < 1e9 && pow(quantiles(a_block * (n - 1), rows), 2) * ratio > n)
		n++;
	return (unsigned long)fmin(n, 1e9);
}

bool wilcoxon_can_reject(const struct effect *e, size_t rows)
{
	return e->wilcoxon_least * (double)rows < ALPHA;
}
