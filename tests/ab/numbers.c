/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * numbers.c - prints what ab's statistics make of some samples, for beside-r.sh to hold against R's.
 *
 * Input: lines "NAME paired|unpaired N X... M Y...", or "NAME holm N P..."; output: "NAME VALUE" lines.
 */
#include <stdio.h>
#include <string.h>

#include "../../cli/ab/verdict.h"

#define MOST 256

static size_t read_values(double *x)
{
	size_t n = 0;

	if (scanf("%zu", &n) != 1 || n > MOST)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (scanf("%lf", &x[i]) != 1)
			return 0;
	return n;
}

static void print(const char *name, const struct effect *e)
{
	double low, high;

	effect_interval(e, 0.95, &low, &high);
	printf("%s.mean %.12g\n%s.p %.12g\n%s.df %.12g\n%s.low %.12g\n%s.high %.12g\n%s.wilcoxon %.12g\n", name, e->mean,
	       name, e->p, name, e->df, name, low, name, high, name, e->wilcoxon_p);
}

int main(void)
{
	double x[MOST], y[MOST];
	char name[64], what[16];

	while (scanf("%63s %15s", name, what) == 2) {
		struct effect e;
		size_t n = read_values(x), m;

		if (!n)
			return 1;
		if (!strcmp(what, "holm")) {
			holm(x, y, n);
			for (size_t i = 0; i < n; i++)
				printf("%s.%zu %.12g\n", name, i + 1, y[i]);
			continue;
		}
		m = read_values(y);
		if (!m)
			return 1;
		if (!strcmp(what, "paired"))
			effect_paired(&e, x, y, n);
		else
			effect_unpaired(&e, x, n, y, m);
		print(name, &e);
	}
	return 0;
}
