/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats.c - medians and means of samples.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

double median_ratio(const double *over, const double *under, size_t n)
{
	double *ratios = malloc(n * sizeof(*ratios)), ratio;

	if (n && !ratios)
		die(EXIT_FAILED, "out of memory");
	for (size_t i = 0; i < n; i++)
		ratios[i] = over[i] / under[i];
	ratio = median(ratios, n);
	free(ratios);
	return ratio;
}

/* The mean of the central half: as robust as a median, and not bound to the clock's step. */
double midmean(const double *samples, size_t n)
{
	double *sorted = malloc(n * sizeof(*sorted) + !n);
	size_t quarter = n / 4;
	double sum = 0;

	if (!sorted)
		die(EXIT_FAILED, "out of memory");
	memcpy(sorted, samples, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare);
	for (size_t i = quarter; i < n - quarter; i++)
		sum += sorted[i];
	free(sorted);
	return n ? sum / (double)(n - 2 * quarter) : NAN;
}

/* The midmean's standard error, from the winsorized variance (Tukey and McLaughlin, 1963). Sorts the samples. */
double midmean_error(double *samples, size_t n)
{
	size_t quarter = n / 4;
	double mean = 0, squares = 0;

	if (n < 2)
		return INFINITY;
	qsort(samples, n, sizeof(*samples), compare);
	for (size_t i = 0; i < quarter; i++) {
		samples[i] = samples[quarter];
		samples[n - 1 - i] = samples[n - 1 - quarter];
	}
	for (size_t i = 0; i < n; i++)
		mean += samples[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (samples[i] - mean) * (samples[i] - mean);
	return sqrt(squares / (double)(n - 1) / (double)n) * (double)n / (double)(n - 2 * quarter);
}

double geomean(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += log(values[i]);
	return n ? exp(sum / (double)n) : NAN;
}
