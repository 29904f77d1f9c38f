/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verdict.h - the statistics of one comparison: numbers in, numbers out; no files, no output.
 */
#ifndef VERDICT_H
#define VERDICT_H

#include <stdbool.h>
#include <stddef.h>

/* One candidate against the base in one row. All in natural logarithms of sessions' medians. */
struct effect {
	size_t n_base, n_cand; /* sessions; the same number of blocks where paired */
	bool paired;
	double mean;	       /* of the candidate less the base */
	double variance;       /* of one candidate session less one base session, drift taken out */
	double se, df;	       /* of the mean */
	double p;	       /* two-sided, not adjusted */
	double wilcoxon_p;     /* signed-rank where paired, else rank-sum */
	double wilcoxon_least; /* the smallest p that so many sessions can give */
};

/* n blocks, each with a session of both, in the order in which they ran; n at least 2. */
void effect_paired(struct effect *e, const double *base, const double *cand, size_t n);
/* Sessions that have nothing to do with each other; at least 2 of each. */
void effect_unpaired(struct effect *e, const double *base, size_t n_base, const double *cand, size_t n_cand);

/* The interval of the mean at a level such as 0.95. */
void effect_interval(const struct effect *e, double level, double *low, double *high);
/* The mean of n values and its interval; with one value the interval is infinite. */
void mean_interval(const double *x, size_t n, double level, double *mean, double *low, double *high);
/* Standard deviation of one session, the mean of both sides'. */
double effect_sd(const struct effect *e);

/* Holm's adjustment of n p values. */
void holm(const double *p, double *adjusted, size_t n);

enum verdict { VERDICT_REGRESSION, VERDICT_IMPROVEMENT, VERDICT_SAME, VERDICT_UNSURE };
/* threshold: 0.01 for 1%. up_is_good: a larger figure is better. */
enum verdict judge(const struct effect *e, double p_adjusted, double threshold, bool up_is_good);

/*
 * Sessions at which a true effect as large as the threshold is significant in 9 of 10 comparisons, and the lack of one is
 * shown in as many, at this effect's spread and with so many rows. More than there are now.
 */
unsigned long sessions_needed(const struct effect *e, double threshold, size_t rows);
/* Can the rank test fall below 0.05 at all, with so many rows? */
bool wilcoxon_can_reject(const struct effect *e, size_t rows);

#endif
