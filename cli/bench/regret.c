/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * regret.c - `bench regret`: the time of a policy over the time of the best single method, situation by situation.
 *
 * Every round runs every method once, in random order. Odd rounds choose the best single method, even rounds score. In
 * each even round the method that leads so far runs a second time: that copy's time over the original's is the A/A
 * regret, the floor below which nothing can be told apart, and the test of the run's validity.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define KiB ((size_t)1 << 10)
#define MiB ((size_t)1 << 20)
#define GiB ((size_t)1 << 30)

#define CELLS_MAX 512
#define PAIRS_MAX 1024
#define OFF_GRID 3
#define AA_GEOMEAN 1.02
#define AA_MAX 1.05
/*
 * A cell goes on, up to so many times its pairs, until its A/A regret is known this well. The error decides, never the
 * regret, so stopping favours nobody. With a standard error of 1.2% the largest of 150 cells stays below AA_MAX.
 */
#define AA_ERROR 0.012
#define PAIRS_FACTOR 4
/* A single method this many times slower than the leader after so many odd rounds is no contender: drop it from the cell.
 * Large regions take long and vary less. */
#define DROP_FACTOR 1.6
#define DROP_FACTOR_LARGE 1.3
#define LARGE (8 * MiB)
#define DROP_ROUNDS 4
#define SMALL (64 * KiB)

/* Which cells a policy is scored on: docs/measuring.md. */
enum policy { AUTO, HOT, COLD, MEMSET, AA, POLICIES };
static const char *const policy_names[POLICIES] = { "auto", "hot", "cold", "memset", "aa" };

struct score {
	double regrets[CELLS_MAX];
	size_t n;
	double max_small, max_large; /* below 64 KiB; from there */
};

struct run {
	struct bench b;
	struct output out;
	struct method methods[METHODS_MAX]; /* singles; then auto, hot, cold */
	size_t singles, n;
	size_t libc;
	double odd[METHODS_MAX][PAIRS_MAX];
	double even[METHODS_MAX][PAIRS_MAX];
	double copy[PAIRS_MAX], original[PAIRS_MAX];
	struct score scores[POLICIES];
	bool quick;
	unsigned samples;
	size_t done, cells;
};

struct options {
	struct common common;
	bool quick;
	const char *profile;
};

enum { OPT_QUICK = OPT_LONG, OPT_PROFILE };

static const struct argp_option argp_options[] = {
	{ "quick", OPT_QUICK, NULL, 0, "A part of the grid, in about a minute", 0 },
	{ "profile", OPT_PROFILE, "FILE", 0, "Judge the policy with this profile; 'none': with the built-in defaults", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->common;
		return 0;
	case OPT_QUICK:
		o->quick = true;
		return 0;
	case OPT_PROFILE:
		o->profile = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static bool scored(enum policy p, const struct cell *c, size_t l2)
{
	/* "Just written" but larger than the L2: shown, not scored. */
	if (c->cached && c->size > l2)
		return false;
	switch (p) {
	case HOT:
		return c->touch == 1;
	case COLD:
		return !c->cached && (c->touch == 0 || c->touch == 64);
	default:
		return true;
	}
}

/* Marks the copy in a round's order. */
#define COPY 0x80000000u

/* Pairs of an odd and an even round. */
static unsigned pairs_of(const struct run *run, size_t size)
{
	unsigned pairs = size <= 16 * KiB    ? 201
			 : size <= 64 * KiB  ? 101
			 : size <= MiB	     ? 61
			 : size <= 8 * MiB   ? 25
			 : size <= 32 * MiB  ? 15
			 : size <= 128 * MiB ? 11
					     : 7;

	if (run->samples)
		pairs = run->samples;
	else if (run->quick)
		pairs = (pairs + 1) / 2;
	return pairs > PAIRS_MAX ? PAIRS_MAX : pairs;
}

/* Round by round, so that what changes between rounds, a neighbour's load or the clock frequency, is in both times. */
static void log_ratios(const double *ticks, const double *base, size_t n, double *logs)
{
	for (size_t i = 0; i < n; i++)
		logs[i] = log(ticks[i] / base[i]);
}

static double regret(const double *ticks, const double *best, size_t n)
{
	double logs[PAIRS_MAX];

	log_ratios(ticks, best, n, logs);
	return exp(midmean(logs, n));
}

/* The standard error of the A/A regret's logarithm. */
static double aa_error(const struct run *run, size_t n)
{
	double logs[PAIRS_MAX];

	log_ratios(run->copy, run->original, n, logs);
	return midmean_error(logs, n);
}

/* The leader among the singles after n odd rounds. */
static size_t leader(const struct run *run, const bool *dropped, size_t n)
{
	size_t best = run->libc;

	for (size_t m = 0; m < run->singles; m++)
		if (!dropped[m] && midmean(run->odd[m], n) < midmean(run->odd[best], n))
			best = m;
	return best;
}

static void drop_slow(const struct run *run, const struct cell *c, bool *dropped, size_t n)
{
	double factor = c->size >= LARGE ? DROP_FACTOR_LARGE : DROP_FACTOR;
	double best = midmean(run->odd[leader(run, dropped, n)], n);

	for (size_t m = 0; m < run->singles; m++)
		if (m != run->libc && !dropped[m] && midmean(run->odd[m], n) > factor * best)
			dropped[m] = true;
}

static void sample_record(struct run *run, const struct cell *c, const struct method *m, unsigned round, bool copy,
			  double ticks)
{
	struct record r;

	record_begin(&r, "sample");
	record_cell(&r, "regret", c, m->name);
	record_whole(&r, "round", round);
	record_truth(&r, "copy", copy);
	record_real(&r, "ticks", ticks);
	output_record(&run->out, &r);
	record_end(&r);
}

/* One round: all that is not dropped, and the copy of `again` (none: METHODS_MAX), in random order. */
static void round_of(struct run *run, const struct cell *c, const bool *dropped, unsigned round, size_t again, size_t at)
{
	unsigned order[METHODS_MAX + 1];
	size_t n = 0;

	for (unsigned m = 0; m < run->n; m++)
		if (!dropped[m])
			order[n++] = m;
	if (again < METHODS_MAX)
		order[n++] = (unsigned)again | COPY;
	shuffle(&run->b.random, order, n);
	for (size_t i = 0; i < n && !interrupted; i++) {
		/* No branch before the sample may tell the copy from the original, or the branch predictor does: it was 7% faster. */
		size_t m = order[i] & ~COPY;
		double ticks = cell_sample(&run->b, c, &run->methods[m]);
		bool copy = order[i] & COPY;

		sample_record(run, c, &run->methods[m], round, copy, ticks);
		if (copy)
			run->copy[at] = ticks;
		else if (round & 1)
			run->odd[m][at] = ticks;
		else
			run->even[m][at] = ticks;
		if (!copy && m == again)
			run->original[at] = ticks;
	}
}

static void add_score(struct score *s, const struct cell *c, double regret)
{
	double *max = c->size < SMALL ? &s->max_small : &s->max_large;

	if (s->n < CELLS_MAX)
		s->regrets[s->n++] = regret;
	if (regret > *max)
		*max = regret;
}

static double regret_of(const struct run *run, enum policy p, size_t best, size_t pairs)
{
	if (p == AA)
		return regret(run->copy, run->original, pairs);
	return regret(run->even[p == MEMSET ? run->libc : run->singles + p], run->even[best], pairs);
}

static void cell_summary(struct run *run, const struct cell *c, size_t best, unsigned pairs)
{
	double time = midmean(run->even[best], pairs);
	struct record r;

	record_begin(&r, "cell");
	record_cell(&r, "regret", c, run->methods[best].name);
	record_whole(&r, "pairs", pairs);
	record_real(&r, "gbps", (double)c->size / time * clock_ghz());
	record_text(&r, "with", c->bystander ? "yes" : "no");
	for (unsigned i = 0; i < POLICIES; i++) {
		enum policy p = (enum policy)i;
		bool counts = scored(p, c, run->b.l2);

		/* Unscored regrets of auto and memset are shown; hot and cold were not run outside their cells. */
		if (!counts && p != AUTO && p != MEMSET)
			continue;
		record_real(&r, policy_names[p], regret_of(run, p, best, pairs));
		if (counts)
			add_score(&run->scores[p], c, regret_of(run, p, best, pairs));
	}
	record_truth(&r, "scored", scored(AUTO, c, run->b.l2));
	output_record(&run->out, &r);
	record_end(&r);
}

static void run_cell(struct run *run, const struct cell *c)
{
	bool dropped[METHODS_MAX] = { false };
	unsigned pairs = pairs_of(run, c->size);
	unsigned most = pairs, pair;
	char what[96];

	if (!run->samples && !run->quick && scored(AA, c, run->b.l2))
		most = pairs * PAIRS_FACTOR < PAIRS_MAX ? pairs * PAIRS_FACTOR : PAIRS_MAX;
	snprintf(what, sizeof(what), "regret %s %s", format_size(c->size), c->cached ? "cached" : "uncached");
	progress((double)run->done++, (double)run->cells, what);
	/* hot and cold run only where they are scored. */
	dropped[run->singles + 1] = !scored(HOT, c, run->b.l2);
	dropped[run->singles + 2] = !scored(COLD, c, run->b.l2);
	/* Untimed: instruction caches, branch predictors, page tables. */
	round_of(run, c, dropped, 1, METHODS_MAX, 0);
	for (pair = 0; pair < pairs || (pair < most && aa_error(run, pair) > AA_ERROR); pair++) {
		round_of(run, c, dropped, 2 * pair + 1, METHODS_MAX, pair);
		if (pair + 1 == DROP_ROUNDS)
			drop_slow(run, c, dropped, pair + 1);
		round_of(run, c, dropped, 2 * pair + 2, leader(run, dropped, pair + 1), pair);
		if (interrupted)
			return;
	}
	cell_summary(run, c, leader(run, dropped, pair), pair);
}

static size_t sizes_of(struct run *run, const struct options *o, uint64_t *sizes)
{
	static const size_t full[] = { 4 * KiB, 16 * KiB, 64 * KiB, 256 * KiB, MiB,
				       2 * MiB, 8 * MiB,  32 * MiB, 128 * MiB, GiB };
	static const size_t quick[] = { 4 * KiB, 16 * KiB, 64 * KiB, 256 * KiB, 2 * MiB, 32 * MiB };
	const size_t *grid = o->quick ? quick : full;
	size_t n = o->quick ? sizeof(quick) / sizeof(quick[0]) : sizeof(full) / sizeof(full[0]);
	uint64_t *given;

	if (o->common.sizes) {
		given = parse_size_list("--size", o->common.sizes, &n);
		memcpy(sizes, given, n * sizeof(*sizes));
		free(given);
		return n;
	}
	for (size_t i = 0; i < n; i++)
		sizes[i] = grid[i];
	/* Off the grid: evenly spread in the logarithm from 6 KiB to 48 MiB, in words, not pages. */
	for (size_t i = 0; i < (o->quick ? 1 : OFF_GRID); i++) {
		double share = (double)random_below(&run->b.random, 1 << 20) / (1 << 20);

		sizes[n++] = (uint64_t)(6.0 * (double)KiB * exp(share * log(8192))) & ~(uint64_t)7;
	}
	return n;
}

static void policy_summary(struct run *run, enum policy p)
{
	struct score *s = &run->scores[p];
	double max = fmax(s->max_small, s->max_large);
	double mean = geomean(s->regrets, s->n);
	struct record r;

	record_begin(&r, "summary");
	record_text(&r, "bench", "regret");
	record_text(&r, "policy", policy_names[p]);
	record_real(&r, "geomean", mean);
	record_real(&r, "max", max);
	record_whole(&r, "cells", (int64_t)s->n);
	if (s->max_small > 0)
		record_real(&r, "max_below_64K", s->max_small);
	if (s->max_large > 0)
		record_real(&r, "max_from_64K", s->max_large);
	if (p == AA)
		record_truth(&r, "valid", mean <= AA_GEOMEAN && max <= AA_MAX);
	output_record(&run->out, &r);
	record_end(&r);
}

static const struct column cell_columns[] = {
	{ "size", "size", 9, 0, true },	   { "state", "state", -8, 0, false },	 { "touch", "used", -5, 0, false },
	{ "with", "other", -5, 0, false }, { "variant", "best", -10, 0, false }, { "gbps", "GB/s", 6, 2, false },
	{ "auto", "auto", 5, 2, false },   { "hot", "hot", 5, 2, false },	 { "cold", "cold", 5, 2, false },
	{ "memset", "libc", 5, 2, false }, { "aa", "a/a", 5, 2, false },	 { 0 },
};

static const struct column policy_columns[] = {
	{ "policy", "policy", -7, 0, false },
	{ "geomean", "geomean", 8, 3, false },
	{ "max", "max", 6, 2, false },
	{ "max_below_64K", "< 64 KiB", 9, 2, false },
	{ "max_from_64K", ">= 64 KiB", 10, 2, false },
	{ "cells", "cells", 6, 0, false },
	{ 0 },
};

static void choose_methods(struct run *run, const char *list)
{
	run->singles = methods_beside_libc("--variant", list ? list : "all", CLP_OP_CLEAR, run->methods);
	/* Every installed peer is a candidate too. */
	if (run->singles < METHODS_MAX - 3 && method_find("pmem", CLP_OP_CLEAR, &run->methods[run->singles]))
		run->singles++;
	run->libc = 0;
	for (size_t m = 0; m < run->singles; m++) {
		if (run->methods[m].kind == METHOD_POLICY)
			die(EXIT_USAGE, "--variant: '%s' is a policy; regret compares policies with single methods",
			    run->methods[m].name);
		if (run->methods[m].kind == METHOD_LIBC)
			run->libc = m;
	}
	run->n = run->singles;
	method_find("auto", CLP_OP_CLEAR, &run->methods[run->n++]);
	method_find("hot", CLP_OP_CLEAR, &run->methods[run->n++]);
	method_find("cold", CLP_OP_CLEAR, &run->methods[run->n++]);
}

static void run_grid(struct run *run, const uint64_t *sizes, size_t n)
{
	static const unsigned touches[] = { 0, 64, 8, 1 };

	run->cells = n * 16;
	for (size_t s = 0; s < n; s++) {
		for (unsigned cached = 0; cached < 2; cached++) {
			/* Cached above the L2 is for show: up to 8 MiB, and not in a quick run. */
			if (cached && sizes[s] > run->b.l2 && (run->quick || sizes[s] > 8 * MiB)) {
				run->done += 8;
				continue;
			}
			for (unsigned t = 0; t < 4; t++) {
				for (unsigned other = 0; other < 2 && !interrupted; other++) {
					struct cell c = {
						.size = sizes[s], .cached = cached, .touch = touches[t], .bystander = other
					};

					run_cell(run, &c);
				}
			}
		}
	}
}

int bench_regret(int argc, char **argv)
{
	static const struct argp_child children[] = { { &common_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		argp_options,
		parse,
		NULL,
		"Measure the policy's regret: its time over that of the best single method (every routine, libc, libpmem if "
		"installed), "
		"for sizes, destinations in cache or not, and uses after. 1.00 is perfect.",
		children,
		NULL,
		NULL,
	};
	static struct run run;
	struct options o = { 0 };
	uint64_t sizes[256];
	size_t n, largest = 0;

	common_init(&o.common);
	parse_options(&argp, argc, argv, &o);
	run.quick = o.quick;
	run.samples = o.common.samples;
	run.b.random.state = o.common.seed;
	choose_methods(&run, o.common.variants);
	if (o.profile) {
		int err = clp_profile_load(strcmp(o.profile, "none") ? o.profile : NULL);

		if (err)
			die(EXIT_FAILED, "--profile: '%s': %s", o.profile, clp_strerror(err));
	}
	n = sizes_of(&run, &o, sizes);
	for (size_t i = 0; i < n; i++)
		if (sizes[i] > largest)
			largest = sizes[i];
	common_start(&o.common, &run.out, "regret", argc, argv);
	bench_open(&run.b, largest, 0, false, o.common.page, 0, o.common.seed);
	output_say(&run.out, "L2 as measured: %s. Regret: time over the best single method's; 1.00 is perfect.\n",
		   format_size(run.b.l2));
	output_columns(&run.out, cell_columns);
	run_grid(&run, sizes, n);
	output_say(&run.out, "%s", "");
	output_columns(&run.out, policy_columns);
	for (unsigned p = 0; p < POLICIES; p++)
		if (run.scores[p].n)
			policy_summary(&run, (enum policy)p);
	if (run.scores[AA].n) {
		double aa = geomean(run.scores[AA].regrets, run.scores[AA].n);
		double max = fmax(run.scores[AA].max_small, run.scores[AA].max_large);

		if (aa <= AA_GEOMEAN && max <= AA_MAX)
			output_say(&run.out, "\nvalid: the best method's own second copy (a/a) stays within %.2f and %.2f",
				   AA_GEOMEAN, AA_MAX);
		else
			output_say(&run.out,
				   "\nINVALID: the best method's own second copy (a/a) differs by %.3f (geomean), %.2f "
				   "(max); allowed are "
				   "%.2f and %.2f. The machine is too noisy now.",
				   aa, max, AA_GEOMEAN, AA_MAX);
	}
	bench_close(&run.b);
	return common_end(&run.out, "regret");
}
