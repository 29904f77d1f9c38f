/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure.c - the matrix behind a profile: every routine in every situation, interleaved.
 */
#include <math.h>
#include <string.h>

#include "tune.h"

#define KiB ((size_t)1 << 10)
#define MiB ((size_t)1 << 20)
#define ROUNDS_MAX 61
/* A method so much slower than the best after the first rounds is not measured further in its cell. */
#define TRIAL_ROUNDS 3
#define DROP_FACTOR 1.7

static const unsigned touches[TOUCHES] = { 0, 64, 8, 1 };

static unsigned rounds_of(size_t size)
{
	return size <= 64 * KiB ? 61 : size <= MiB ? 31 : size <= 8 * MiB ? 15 : size <= 128 * MiB ? 7 : 3;
}

static void measure_cell(struct matrix *m, struct bench *b, struct output *out, size_t s, bool cached, unsigned t)
{
	struct cell c = { .op = m->op, .size = m->sizes[s], .cached = cached, .touch = touches[t] };
	static double samples[METHODS_MAX][ROUNDS_MAX];
	bool dropped[METHODS_MAX] = { false };
	unsigned rounds = rounds_of(c.size);
	struct record r;

	for (unsigned round = 0; round < rounds; round++) {
		unsigned order[METHODS_MAX];

		for (unsigned i = 0; i < m->n_methods; i++)
			order[i] = i;
		shuffle(&b->random, order, m->n_methods);
		for (size_t i = 0; i < m->n_methods; i++) {
			if (interrupted)
				return;
			if (!dropped[order[i]])
				samples[order[i]][round] = cell_sample(b, &c, &m->methods[order[i]]);
		}
		if (round + 1 == TRIAL_ROUNDS) {
			double best = INFINITY;

			for (size_t i = 0; i < m->n_methods; i++)
				best = fmin(best, midmean(samples[i], TRIAL_ROUNDS));
			for (size_t i = 0; i < m->n_methods; i++)
				dropped[i] = midmean(samples[i], TRIAL_ROUNDS) > DROP_FACTOR * best;
		}
	}
	for (size_t i = 0; i < m->n_methods; i++) {
		double ticks = midmean(samples[i], dropped[i] ? TRIAL_ROUNDS : rounds);

		m->ticks[s][cached][t][i] = ticks;
		record_begin(&r, "sample");
		record_cell(&r, "tune", &c, m->methods[i].name);
		record_whole(&r, "rounds", dropped[i] ? TRIAL_ROUNDS : rounds);
		record_real(&r, "ticks", ticks);
		record_real(&r, "gbps", (double)c.size / ticks * clock_ghz());
		output_record(out, &r);
		record_end(&r);
	}
}

void matrix_measure(struct matrix *m, struct bench *b, struct output *out, unsigned op, double done, double share)
{
	static const size_t clear_sizes[] = {
		1 * KiB,   2 * KiB, 4 * KiB, 6 * KiB, 8 * KiB, 12 * KiB, 16 * KiB, 32 * KiB, 64 * KiB,	128 * KiB, 256 * KiB,
		512 * KiB, MiB,	    2 * MiB, 4 * MiB, 8 * MiB, 16 * MiB, 32 * MiB, 64 * MiB, 128 * MiB, 512 * MiB,
	};
	static const size_t copy_sizes[] = {
		4 * KiB, 16 * KiB, 64 * KiB, 256 * KiB, MiB, 4 * MiB, 16 * MiB, 64 * MiB, 256 * MiB,
	};
	bool copy = op == CLP_OP_COPY;

	memset(m, 0, sizeof(*m));
	m->op = op;
	m->n_sizes = copy ? sizeof(copy_sizes) / sizeof(copy_sizes[0]) : sizeof(clear_sizes) / sizeof(clear_sizes[0]);
	memcpy(m->sizes, copy ? copy_sizes : clear_sizes, m->n_sizes * sizeof(m->sizes[0]));
	/* Routines alone: a profile can name no others. "all" ends with libc. */
	m->n_methods = methods_parse("tune", "all", op, m->methods) - 1;
	for (size_t s = 0; s < m->n_sizes; s++) {
		char what[64];

		snprintf(what, sizeof(what), "measuring %s of %s", copy ? "copies" : "clears", format_size(m->sizes[s]));
		for (unsigned t = 0; t < TOUCHES; t++) {
			/* Large regions: the two ends tell. Copies: cold ones unused, hot ones used. */
			if ((copy || m->sizes[s] >= 64 * MiB) && touches[t] > 1)
				continue;
			progress(done + share * ((double)s + t / 4.0) / (double)m->n_sizes, 1, what);
			measure_cell(m, b, out, s, false, t);
			if (m->sizes[s] <= 8 * MiB && !interrupted)
				measure_cell(m, b, out, s, true, t);
			if (interrupted)
				return;
		}
	}
}

bool matrix_has(const struct matrix *m, size_t size, bool cached, unsigned touch)
{
	return m->ticks[size][cached][touch][0] > 0;
}

double matrix_regret(const struct matrix *m, size_t size, bool cached, unsigned touch, size_t method)
{
	const double *ticks = m->ticks[size][cached][touch];
	double best = ticks[0];

	for (size_t i = 1; i < m->n_methods; i++)
		best = fmin(best, ticks[i]);
	return fmin(log(ticks[method] / best), log(HOPELESS));
}
