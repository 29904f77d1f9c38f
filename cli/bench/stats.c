/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats.c - medians and means of samples.
 */
#include <math.h>
#include <stdlib.h>

#include "bench.h"

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Linear interpolation between the closest ranks. */
double percentile(double *samples, size_t n, double share)
{
	double at = share * (double)(n - 1);
	size_t below = (size_t)at;

	if (!n)
		return NAN;
	qsort(samples, n, sizeof(*samples), compare);
	if (below + 1 >= n)
		return samples[n - 1];
	return samples[below] + (at - (double)below) * (samples[below + 1] - samples[below]);
}

double median(double *samples, size_t n)
{
	return percentile(samples, n, 0.5);
}

/* The mean of the central half: as robust as a median, and not bound to the clock's step. */
double midmean(double *samples, size_t n)
{
	size_t cut = n / 4, kept = n - 2 * cut;
	double sum = 0;

	qsort(samples, n, sizeof(*samples), compare);
	for (size_t i = cut; i < n - cut; i++)
		sum += samples[i];
	return n ? sum / (double)kept : NAN;
}

double geomean(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += log(values[i]);
	return n ? exp(sum / (double)n) : NAN;
}
