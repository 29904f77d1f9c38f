/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ranks.h - Wilcoxon's two tests, two-sided: signed ranks of differences, and the rank sum of two samples.
 */
#ifndef RANKS_H
#define RANKS_H

#include <stddef.h>

/* Exact up to 50 values (ties get their mean rank, and p is that of the nearest less extreme sum); normal above. */
double signed_rank_p(const double *differences, size_t n);
double rank_sum_p(const double *x, size_t nx, const double *y, size_t ny);
/* The smallest p that so many values can give. */
double signed_rank_least(size_t n);
double rank_sum_least(size_t nx, size_t ny);

#endif
