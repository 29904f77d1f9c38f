/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quantile_rmath.c - quantiles of Student's t, through Rmath.
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "run.h"

double t_quantile(double p, double df)
{
	return qt(p, df, 1, 0);
}
