/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gain.c - ours against libc's, from the calls of both that were timed in the same run: differences of means, by Welch's method, since there
 * are 15 of ours to one of libc's and their spreads differ.
 */
#include <math.h>

#include "run.h"

/* The mean, and the square of its standard error. */
static double mean_of(const struct preload_cell *cell, enum preload_side side, unsigned class, double *error)
{
	double n = (double)cell->side[side].calls, mean = n ? (double)cell->side[side].ns / n : NAN;
	double squares = (double)cell->side[side].squares * (double)(1u << (class & ~1u));

	*error = n > 1 ? fmax(0, squares - n * mean * mean) / (n - 1) / n : NAN;
	return mean;
}

void gain_of(struct gain *g, const struct preload_cell *cell, unsigned class)
{
	double n_ours = (double)cell->side[PRELOAD_OURS].calls, n_libc = (double)cell->side[PRELOAD_LIBC].calls;
	double ours, libc;

	g->ours = mean_of(cell, PRELOAD_OURS, class, &ours);
	g->libc = mean_of(cell, PRELOAD_LIBC, class, &libc);
	g->each = g->libc - g->ours;
	g->known = n_ours > 1 && n_libc > 1;
	g->se = g->known ? sqrt(ours + libc) : NAN;
	/* Both without any spread: the clock is too coarse to see one. */
	g->df = g->se > 0 ? (ours + libc) * (ours + libc) / (ours * ours / (n_ours - 1) + libc * libc / (n_libc - 1)) : INFINITY;
}

void gain_add(struct gain_sum *sum, const struct gain *g, uint64_t calls)
{
	double n = (double)calls, variance = n * n * g->se * g->se;

	sum->calls += calls;
	if (!g->known) {
		sum->missed += calls;
		return;
	}
	sum->ns += n * g->each;
	sum->variance += variance;
	/* Welch and Satterthwaite: the parts' variances squared over their degrees of freedom. */
	sum->df_terms += variance * variance / g->df;
}

double gain_margin(const struct gain *g)
{
	return g->known ? t_quantile(0.975, g->df) * g->se : NAN;
}

double gain_sum_margin(const struct gain_sum *sum)
{
	if (sum->calls == sum->missed)
		return NAN;
	return t_quantile(0.975, sum->df_terms > 0 ? sum->variance * sum->variance / sum->df_terms : INFINITY) * sqrt(sum->variance);
}
