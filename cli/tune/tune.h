/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tune.h - from measurements to a profile: what tune's files share.
 */
#ifndef TUNE_H
#define TUNE_H

#include "../../lib/lib.h"
#include "../bench/bench.h"

#define TUNE_SIZES_MAX 24
#define TOUCHES 4 /* none, 1/64, 1/8, all */

/* Median ticks of each method in each situation; 0: not measured. */
struct matrix {
	unsigned op;
	size_t sizes[TUNE_SIZES_MAX];
	size_t n_sizes;
	struct method methods[METHODS_MAX];
	size_t n_methods;
	size_t short_method;				       /* clears: the routine of short ones; set by plan_clears() */
	double ticks[TUNE_SIZES_MAX][2][TOUCHES][METHODS_MAX]; /* [cached] */
};

/* measure.c */
void matrix_measure(struct matrix *m, struct bench *b, struct output *out, unsigned op, double done, double share);
/* Over the cell's best, in logarithms; a method that was not measured there, for it was hopeless: of a factor HOPELESS. */
#define HOPELESS 3.0
double matrix_regret(const struct matrix *m, size_t size, bool cached, unsigned touch, size_t method);
bool matrix_has(const struct matrix *m, size_t size, bool cached, unsigned touch);

/* plan.c: the rules of one plan, by dynamic programming over the sizes. */
struct scope {
	size_t l2, l3;		 /* as measured */
	size_t hot_min, hot_max; /* lengths at which HOT probes: its plan is then for what is in cache; 0: none */
};
void plan_make(const struct matrix *m, enum clp_plan plan, const struct scope *scope, uint64_t rules[CLP_RULES]);
/* All plans of clears, and the lengths at which the probe is worth its price: ticks where the destination is not [0], is [1]
 * in cache. */
void plan_clears(struct matrix *m, struct scope *scope, struct clp_tuning *tuning, const double price[2]);

/* write.c */
size_t profile_text(char *text, size_t size, const struct clp_tuning *tuning, const struct caches *caches);
/* Die with status 1 now rather than after a minute of measuring. */
void profile_check_writable(const char *path);
void profile_write(const char *path, const char *text, size_t len);

#endif
