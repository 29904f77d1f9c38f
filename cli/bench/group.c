/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * group.c - methods compared in one situation: interleaved rounds in random order, a record a sample, and their rates.
 */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

unsigned default_samples(size_t size)
{
	static const struct {
		size_t upto;
		unsigned samples;
	} table[] = {
		{ (size_t)64 << 10, 101 }, { (size_t)1 << 20, 41 }, { (size_t)32 << 20, 15 },
		{ (size_t)256 << 20, 7 },  { SIZE_MAX, 5 },
	};
	unsigned i = 0;

	while (size > table[i].upto)
		i++;
	return table[i].samples;
}

void record_cell(struct record *r, const char *bench, const struct cell *c, const char *method)
{
	record_text(r, "bench", bench);
	record_text(r, "operation", c->op == CLP_OP_COPY ? "copy" : "clear");
	record_text(r, "variant", method);
	record_whole(r, "size", (int64_t)c->size);
	record_whole(r, "extent", (int64_t)cell_extent(c));
	record_text(r, "state", c->cached ? "cached" : "uncached");
	record_text(r, "touch", touch_name(c->touch));
	if (c->touch)
		record_text(r, "use", c->write ? "write" : "read");
	record_whole(r, "delay", (int64_t)c->delay);
	record_truth(r, "bystander", c->bystander);
}

void group_run(struct group *g, struct bench *b, struct output *out, const char *bench)
{
	unsigned order[METHODS_MAX];
	struct record r;
	char what[96];

	for (size_t i = 0; i < g->n; i++) {
		g->ticks[i] = calloc(g->samples, sizeof(double));
		if (!g->ticks[i])
			die(EXIT_FAILED, "out of memory");
		order[i] = (unsigned)i;
	}
	g->taken = 0;
	snprintf(what, sizeof(what), "%s %s %s", bench, format_size(g->cell->size), g->cell->cached ? "cached" : "uncached");
	for (unsigned round = 0; round < g->samples && !interrupted; round++) {
		shuffle(&b->random, order, g->n);
		for (size_t i = 0; i < g->n && !interrupted; i++) {
			unsigned m = order[i];
			uint64_t bytes = g->cell->size;
			double ticks;

			if (g->threads)
				ticks = team_sample(b->team, g->cell, &g->methods[m], &bytes);
			else
				ticks = cell_sample(b, g->cell, &g->methods[m]);
			/* Ticks for one destination's bytes, however many the stretch held. */
			g->ticks[m][round] = ticks * (double)g->cell->size / (double)bytes;
			record_begin(&r, "sample");
			record_cell(&r, bench, g->cell, g->methods[m].name);
			if (g->threads)
				record_whole(&r, "threads", g->threads);
			record_whole(&r, "round", round);
			record_whole(&r, "bytes", (int64_t)bytes);
			record_real(&r, "ticks", ticks);
			record_real(&r, "gbps", (double)bytes / ticks * clock_ghz());
			output_record(out, &r);
			record_end(&r);
		}
		if (!interrupted)
			g->taken = round + 1;
		progress(round + 1, g->samples, what);
	}
}

void group_free(struct group *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->ticks[i]);
}

static double *copy_of(const double *ticks, size_t n)
{
	double *copy = malloc(n * sizeof(*copy) + !n);

	if (!copy)
		die(EXIT_FAILED, "out of memory");
	return memcpy(copy, ticks, n * sizeof(*copy));
}

double group_ratio(const struct group *g, size_t over, size_t under)
{
	return median_ratio(g->ticks[over], g->ticks[under], g->taken);
}

void record_rates(struct record *r, const struct group *g, size_t method)
{
	double bytes = (double)g->cell->size, pages = bytes / 4096;
	double *t = copy_of(g->ticks[method], g->taken);
	double mid = median(t, g->taken), least = t[0], most = t[g->taken - 1];

	free(t);

	if (g->threads)
		record_whole(r, "threads", g->threads);
	record_whole(r, "samples", g->taken);
	record_real(r, "gbps", bytes / mid * clock_ghz());
	record_real(r, "gbps_min", bytes / most * clock_ghz());
	record_real(r, "gbps_max", bytes / least * clock_ghz());
	record_real(r, "cycles_page_min", least / pages);
	record_real(r, "cycles_page", mid / pages);
	record_real(r, "cycles_page_max", most / pages);
	for (size_t i = 0; i < g->n; i++)
		if (g->methods[i].kind == METHOD_LIBC)
			record_real(r, "vs_libc", group_ratio(g, i, method));
}
