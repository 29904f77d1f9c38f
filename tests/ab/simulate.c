/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simulate.c - how often does ab's verdict err? Sessions are drawn from models of a machine, with and without a planted
 * effect, and judged by the very code of the command. docs/comparing.md has the table.
 *
 * Usage: simulate            the acceptance runs, small: fails where a rate is outside its bound
 *        simulate full       the same with the full counts
 *        simulate table [N]  error rates and powers in each situation, N tables each (10000)
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../cli/ab/verdict.h"
#include "bench/bench.h"

#define SIDES_MAX 4
#define ROWS_MAX 10
#define SESSIONS_MAX 64
#define THRESHOLD 0.01

/* In per cent, of the figure. */
struct model {
	const char *name;
	unsigned sessions, sides;
	double base_sd, cand_sd; /* session to session */
	double linear;		 /* from the first session to the last */
	double walk;		 /* a random walk's step from block to block */
	double step;		 /* half-way, once */
	double block;		 /* a level of each block's own */
	double outliers;	 /* share of the sessions that are 20% slower */
	bool unpaired;		 /* judged as stored files without blocks */
};

static const struct model models[] = {
	{ "no drift", 8, 2, 1, 1, 0, 0, 0, 0, 0, false },
	{ "no drift, 4 sessions", 4, 2, 1, 1, 0, 0, 0, 0, 0, false },
	{ "no drift, 16 sessions", 16, 2, 1, 1, 0, 0, 0, 0, 0, false },
	{ "no drift, unpaired", 8, 2, 1, 1, 0, 0, 0, 0, 0, true },
	{ "no drift, 3 candidates", 8, 4, 1, 1, 0, 0, 0, 0, 0, false },
	{ "spread 0.3%", 8, 2, 0.3, 0.3, 0, 0, 0, 0, 0, false },
	{ "spread 3%", 8, 2, 3, 3, 0, 0, 0, 0, 0, false },
	{ "spread 3%, 4 sessions", 4, 2, 3, 3, 0, 0, 0, 0, 0, false },
	{ "spread 3%, 16 sessions", 16, 2, 3, 3, 0, 0, 0, 0, 0, false },
	{ "spread 0.5% and 2%", 8, 2, 0.5, 2, 0, 0, 0, 0, 0, false },
	{ "linear drift of 5%", 8, 2, 1, 1, 5, 0, 0, 0, 0, false },
	{ "the same, 3 candidates", 8, 4, 1, 1, 5, 0, 0, 0, 0, false },
	{ "the same, 16 sessions", 16, 2, 1, 1, 5, 0, 0, 0, 0, false },
	{ "the same, spread 3%", 8, 2, 3, 3, 5, 0, 0, 0, 0, false },
	{ "random walk, 1% a block", 8, 2, 1, 1, 0, 1, 0, 0, 0, false },
	{ "a step of 5% half-way", 8, 2, 1, 1, 0, 0, 5, 0, 0, false },
	{ "blocks 1% apart", 8, 2, 1, 1, 0, 0, 0, 1, 0, false },
	{ "blocks 5% apart", 8, 2, 1, 1, 0, 0, 0, 5, 0, false },
	{ "spread 3%, blocks 10% apart", 8, 2, 3, 3, 0, 0, 0, 10, 0, false },
	{ "10% outlier sessions", 8, 2, 1, 1, 0, 0, 0, 0, 0.1, false },
	{ "outliers, linear drift", 8, 2, 1, 1, 5, 0, 0, 0, 0.1, false },
};
#define MODELS (sizeof(models) / sizeof(models[0]))

/* What the acceptance runs draw: all that goes wrong at once. */
static const struct model rough = { "session effects, drift, outliers", 8, 2, 1, 1, 3, 0.5, 0, 0.5, 0.1, false };
static const struct model rough_3 = { "the same, spread 3%", 8, 2, 3, 3, 3, 0.5, 0, 0.5, 0.1, false };

static double uniform(struct random *r)
{
	return ((double)(random_next(r) >> 11) + 0.5) * 0x1p-53;
}

static double normal(struct random *r)
{
	double radius = sqrt(-2 * log(uniform(r)));

	return radius * cos(2 * 3.14159265358979323846 * uniform(r));
}

/* Logs of sessions: side by side and block by block, in random order, as the live run takes them. */
static void draw(const struct model *m, struct random *r, double effect, double logs[SIDES_MAX][SESSIONS_MAX])
{
	unsigned order[SIDES_MAX], turns = m->sessions * m->sides, turn = 0;
	double walk = 0;

	for (unsigned k = 0; k < m->sides; k++)
		order[k] = k;
	for (unsigned block = 0; block < m->sessions; block++) {
		double level = m->block * normal(r);

		shuffle(r, order, m->sides);
		for (unsigned k = 0; k < m->sides; k++, turn++) {
			unsigned side = order[k];
			double time = turns > 1 ? (double)turn / (turns - 1) : 0, x;

			walk += m->walk / sqrt(m->sides) * normal(r);
			x = (side ? m->cand_sd : m->base_sd) * normal(r) + m->linear * time + walk + level;
			if (time > 0.5)
				x += m->step;
			x /= 100;
			if (uniform(r) < m->outliers)
				x += log(1.2);
			logs[side][block] = x + (side == 1 ? effect : 0);
		}
	}
}

struct rates {
	unsigned long tables, comparisons;
	unsigned long flagged;		     /* comparisons without an effect that read R or I */
	unsigned long any;		     /* tables with one */
	unsigned long same;		     /* comparisons that read ~ */
	unsigned long planted, found, wrong; /* rows with an effect: all, read R, read I */
	unsigned long covered;		     /* 95% intervals that hold the true effect */
};

/* One table: the first row's first candidate has the effect. */
static void one_table(const struct model *m, unsigned rows, double effect, struct random *r, struct rates *rates)
{
	struct effect effects[ROWS_MAX * SIDES_MAX];
	double p[ROWS_MAX * SIDES_MAX], adjusted[ROWS_MAX * SIDES_MAX], logs[SIDES_MAX][SESSIONS_MAX];
	bool any = false;
	size_t n = 0;

	for (unsigned row = 0; row < rows; row++) {
		draw(m, r, row ? 0 : effect, logs);
		for (unsigned side = 1; side < m->sides; side++) {
			if (m->unpaired)
				effect_unpaired(&effects[n], logs[0], m->sessions, logs[side], m->sessions);
			else
				effect_paired(&effects[n], logs[0], logs[side], m->sessions);
			p[n] = effects[n].p;
			n++;
		}
	}
	holm(p, adjusted, n);
	for (size_t i = 0; i < n; i++) {
		enum verdict v = judge(&effects[i], adjusted[i], THRESHOLD, false);
		bool planted = !i && effect != 0;
		double low, high, truth = planted ? effect : 0;

		effect_interval(&effects[i], 0.95, &low, &high);
		rates->covered += low <= truth && truth <= high;
		rates->same += v == VERDICT_SAME;
		rates->planted += planted;
		rates->found += planted && v == VERDICT_REGRESSION;
		rates->wrong += planted && v == VERDICT_IMPROVEMENT;
		if (!planted && (v == VERDICT_REGRESSION || v == VERDICT_IMPROVEMENT)) {
			rates->flagged++;
			any = true;
		}
	}
	rates->any += any;
	rates->comparisons += n;
	rates->tables++;
}

static struct rates simulate(const struct model *m, unsigned rows, double effect, unsigned long tables, uint64_t seed)
{
	struct random random = { seed };
	struct rates rates = { 0 };

	for (unsigned long i = 0; i < tables; i++)
		one_table(m, rows, effect, &random, &rates);
	return rates;
}

static double share(unsigned long part, unsigned long whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

static unsigned failures;

/* A bound on a rate. A small run may miss it by three standard errors; the full one by none. */
static void expect(const char *what, unsigned long part, unsigned long whole, double bound, bool at_least, bool full)
{
	double got = share(part, whole), slack = full ? 0 : 3 * sqrt(bound * (100 - bound) / (double)whole);
	bool good = at_least ? got >= bound - slack : got <= bound + slack;

	failures += !good;
	printf("%s - %s: %.2f%% of %lu, %s %.1f%%\n", good ? "ok" : "not ok", what, got, whole,
	       at_least ? "at least" : "at most", bound);
}

static void accept(bool full)
{
	unsigned long one = full ? 5000 : 2000, ten = full ? 1000 : 500;
	const struct model *calm = &models[0], *outliers = &models[19];
	struct rates r;

	r = simulate(&rough, 1, 0, one, 1);
	expect("A/A, one row, drift and outliers: flagged", r.flagged, r.comparisons, 5.5, false, full);
	r = simulate(&rough_3, 1, 0, one, 2);
	expect("A/A, one row, spread 3%: flagged", r.flagged, r.comparisons, 5.5, false, full);
	r = simulate(&models[6], 1, 0, one, 3);
	expect("A/A, one row, spread 3%, nothing else: flagged", r.flagged, r.comparisons, 5.5, false, full);
	r = simulate(&rough, 10, 0, ten, 4);
	expect("A/A, ten rows, drift and outliers: any flag", r.any, r.tables, 6, false, full);
	r = simulate(&models[6], 10, 0, ten, 5);
	expect("A/A, ten rows, spread 3%, nothing else: any flag", r.any, r.tables, 6, false, full);
	r = simulate(calm, 1, log(1.03), one, 6);
	expect("planted 3%, one row: found", r.found, r.planted, 98, true, full);
	r = simulate(calm, 10, log(1.03), full ? 5000 : 1000, 7);
	expect("planted 3%, ten rows: found", r.found, r.planted, 95, true, full);
	expect("the same, 95% intervals that hold the truth", r.covered, r.comparisons, 94, true, full);
	r = simulate(outliers, 1, log(1.03), one, 8);
	printf("# planted 3%%, one row, 10%% outlier sessions: found %.1f%% of %lu\n", share(r.found, r.planted), r.planted);
	r = simulate(outliers, 10, log(1.03), ten, 9);
	printf("# planted 3%%, ten rows, 10%% outlier sessions: found %.1f%% of %lu\n", share(r.found, r.planted),
	       r.planted);
}

/* Each cell seeded alike, so that a row can be repeated alone. */
static void print_table(unsigned long tables)
{
	printf("| sessions | flagged, A/A | ten rows: any flag | 3%% found | ten rows: found | interval holds | ~ in A/A |\n"
	       "|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < MODELS; i++) {
		const struct model *m = &models[i];
		struct rates one = simulate(m, 1, 0, tables, 11), ten = simulate(m, 10, 0, tables / 4, 12);
		struct rates found = simulate(m, 1, log(1.03), tables, 13),
			     of_ten = simulate(m, 10, log(1.03), tables / 4, 14);

		printf("| %s | %.1f%% | %.1f%% | %.1f%% | %.1f%% | %.1f%% | %.1f%% |\n", m->name,
		       share(one.flagged, one.comparisons), share(ten.any, ten.tables), share(found.found, found.planted),
		       share(of_ten.found, of_ten.planted), share(one.covered, one.comparisons),
		       share(one.same, one.comparisons));
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "table"))
		print_table(argc > 2 ? strtoul(argv[2], NULL, 10) : 10000);
	else
		accept(argc > 1 && !strcmp(argv[1], "full"));
	return failures ? 1 : 0;
}
