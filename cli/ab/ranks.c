/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ranks.c - Wilcoxon's two tests. They ask nothing of the distribution, so they stand beside the t test as a check on it.
 */
#include "ranks.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "cli.h"

/* Above, the exact distributions take long and the normal one is as good. */
#define EXACT_MAX 50

/* A value, and on which side it counts. */
struct ranked {
	double value;
	bool counts;
};

static int compare(const void *a, const void *b)
{
	double x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;

	return (x > y) - (x < y);
}

/* The sum of the ranks, from 1, of those that count; equal values share the mean of their ranks. */
static double rank_sum(struct ranked *r, size_t n)
{
	double sum = 0;

	qsort(r, n, sizeof(*r), compare);
	for (size_t first = 0, end; first < n; first = end) {
		for (end = first + 1; end < n && r[end].value == r[first].value; end++)
			;
		for (size_t i = first; i < end; i++)
			if (r[i].counts)
				sum += (double)(first + 1 + end) / 2;
	}
	return sum;
}

/* Both tails, from P(W <= w) and P(W >= w). */
static double both(double below, double above)
{
	return fmin(1, 2 * fmin(below, above));
}

/* With a continuity correction of half a rank. */
static double normal_p(double w, double mean, double variance)
{
	double distance = fmax(0, fabs(w - mean) - 0.5);

	return variance > 0 ? fmin(1, 2 * pnorm(distance / sqrt(variance), 0, 1, 0, 0)) : 1;
}

double signed_rank_p(const double *differences, size_t n)
{
	struct ranked *r = malloc(n * sizeof(*r));
	size_t used = 0;
	double w, p, m;

	if (!r)
		die(EXIT_FAILED, "out of memory");
	/* Zeros say nothing about the sign: left out, as Wilcoxon did. */
	for (size_t i = 0; i < n; i++)
		if (differences[i] != 0)
			r[used++] = (struct ranked){ fabs(differences[i]), differences[i] > 0 };
	w = rank_sum(r, used);
	free(r);
	m = (double)used;
	if (!used)
		return 1;
	if (used > EXACT_MAX)
		return normal_p(w, m * (m + 1) / 4, m * (m + 1) * (2 * m + 1) / 24);
	p = both(psignrank(ceil(w), m, 1, 0), psignrank(floor(w) - 1, m, 0, 0));
	signrank_free();
	return p;
}

double rank_sum_p(const double *x, size_t nx, const double *y, size_t ny)
{
	double p, w, a = (double)nx, b = (double)ny;
	struct ranked *r = malloc((nx + ny) * sizeof(*r));

	if (!r)
		die(EXIT_FAILED, "out of memory");
	for (size_t i = 0; i < nx; i++)
		r[i] = (struct ranked){ x[i], true };
	for (size_t i = 0; i < ny; i++)
		r[nx + i] = (struct ranked){ y[i], false };
	w = rank_sum(r, nx + ny) - a * (a + 1) / 2;
	free(r);
	if (nx > EXACT_MAX || ny > EXACT_MAX)
		return normal_p(w, a * b / 2, a * b * (a + b + 1) / 12);
	p = both(pwilcox(ceil(w), a, b, 1, 0), pwilcox(floor(w) - 1, a, b, 0, 0));
	wilcox_free();
	return p;
}

double signed_rank_least(size_t n)
{
	return fmin(1, exp2(1 - (double)n));
}

double rank_sum_least(size_t nx, size_t ny)
{
	return fmin(1, 2 / choose((double)(nx + ny), (double)nx));
}
