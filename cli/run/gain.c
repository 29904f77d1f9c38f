/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gain.c - what our calls gained over libc's, from pairs of calls that were timed side by side: the mean difference and its interval.
 */
#include <math.h>

#include "run.h"

void gain_of(struct gain *g, const struct preload_cell *cell, unsigned class)
{
	double n = (double)cell->pairs.n, squares = (double)cell->pairs.squares * (double)(1u << (class & ~1u));

	*g = (struct gain){ .known = cell->pairs.n > 1, .each = NAN, .libc = NAN, .se = NAN, .df = NAN, .faulted = NAN };
	if (!g->known)
		return;
	g->libc = (double)cell->pairs.libc_ns / n;
	g->each = (double)(int64_t)cell->pairs.sum / n;
	g->se = sqrt(fmax(0, squares - n * g->each * g->each) / (n - 1) / n);
	g->df = n - 1;
	g->faulted = (double)cell->pairs.faulted / (n + (double)cell->pairs.faulted);
}

void gain_add(struct gain_sum *sum, const struct gain *g, uint64_t calls)
{
	double n, variance;

	sum->calls += calls;
	if (!g->known) {
		sum->missed += calls;
		return;
	}
	n = (double)calls * (1 - g->faulted);
	variance = n * n * g->se * g->se;
	sum->faulted += (uint64_t)llround((double)calls * g->faulted);
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
	/* No spread at all: the clock is too coarse to show one. */
	return sum->df_terms > 0 ? t_quantile(0.975, sum->variance * sum->variance / sum->df_terms) * sqrt(sum->variance) : 0;
}
