/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store.c - the results of many files in memory: charts, their series, their points. A sample costs eight bytes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../bench/bench.h"
#include "report.h"

struct chart *chart_get(struct report *r, enum section section, const char *key)
{
	size_t machine = r->runs[r->run].machine;
	struct chart *c;

	/* The samples of one chart come in a row. */
	for (size_t i = 0; i < r->n_charts; i++) {
		c = &r->charts[(r->last + i) % r->n_charts];
		if (c->machine == machine && c->section == section && !strcmp(c->key, key)) {
			r->last = (size_t)(c - r->charts);
			return c;
		}
	}
	if (r->n_charts == CHARTS_MAX)
		return NULL;
	r->charts = grow(r->charts, r->n_charts, &r->charts_room, sizeof(*r->charts));
	c = &r->charts[r->n_charts];
	*c = (struct chart){ .machine = machine, .section = section, .key = copy_text(key) };
	r->last = r->n_charts++;
	return c;
}

static struct series *series_get(struct chart *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->series[i].name, name))
			return &c->series[i];
	if (c->n == SERIES_MAX)
		return NULL;
	c->series = grow(c->series, c->n, &c->room, sizeof(*c->series));
	c->series[c->n] = (struct series){ .name = copy_text(name) };
	return &c->series[c->n++];
}

struct point *chart_point(struct chart *c, const char *series, double x)
{
	struct series *s = series_get(c, series);

	if (!s)
		return NULL;
	for (size_t i = s->n; i-- > 0;)
		if (s->points[i].x == x)
			return &s->points[i];
	if (s->n == POINTS_MAX)
		return NULL;
	s->points = grow(s->points, s->n, &s->room, sizeof(*s->points));
	s->points[s->n] = (struct point){ .x = x };
	return &s->points[s->n++];
}

bool rows_add(struct rows *rows, size_t machine, json_t *record)
{
	if (rows->n == ROWS_MAX)
		return false;
	rows->at = grow(rows->at, rows->n, &rows->room, sizeof(*rows->at));
	rows->at[rows->n++] = (struct row){ machine, json_incref(record) };
	return true;
}

void point_add(struct point *p, double value)
{
	p->samples = grow(p->samples, p->n, &p->room, sizeof(*p->samples));
	p->samples[p->n++] = value;
}

void point_give(struct point *p, double min, double median, double max, size_t n)
{
	point_add(p, min);
	point_add(p, median);
	point_add(p, max);
	p->stands_for += n;
}

static void settle_point(struct point *p)
{
	p->median = median(p->samples, p->n);
	p->min = p->samples[0];
	p->max = p->samples[p->n - 1];
	p->q1 = p->stands_for ? NAN : percentile(p->samples, p->n, 0.25);
	p->q3 = p->stands_for ? NAN : percentile(p->samples, p->n, 0.75);
}

static int by_x(const void *a, const void *b)
{
	double x = ((const struct point *)a)->x, y = ((const struct point *)b)->x;

	return (x > y) - (x < y);
}

/* What everything is compared with first, then the policy, then the rest by name. */
static int rank(const char *name)
{
	static const char *const first[] = { "libc", "default", "auto", "hot", "cold" };
	int i = 0;

	while (i < 5 && strcmp(first[i], name) != 0)
		i++;
	return i;
}

static int by_name(const void *a, const void *b)
{
	const char *x = ((const struct series *)a)->name, *y = ((const struct series *)b)->name;
	int order = rank(x) - rank(y);

	return order ? order : strcmp(x, y);
}

/* Uncached and cached stand side by side, in this order; else the order is that of the files. */
static void pair_states(struct report *r)
{
	for (size_t i = 0; i < r->n_charts; i++) {
		for (size_t k = i + 1; k < r->n_charts; k++) {
			struct chart *a = &r->charts[i], *b = &r->charts[k], moved = *b;

			if (a->machine != b->machine || a->section != b->section || strcmp(a->family, b->family) != 0)
				continue;
			if (strcmp(a->state, b->state) < 0) {
				*b = *a;
				*a = moved;
				moved = *b;
			}
			memmove(&r->charts[i + 2], &r->charts[i + 1], (k - i - 1) * sizeof(*r->charts));
			r->charts[++i] = moved;
			break;
		}
	}
}

void store_settle(struct report *r)
{
	pair_states(r);
	for (size_t c = 0; c < r->n_charts; c++) {
		qsort(r->charts[c].series, r->charts[c].n, sizeof(*r->charts[c].series), by_name);
		for (size_t s = 0; s < r->charts[c].n; s++) {
			struct series *series = &r->charts[c].series[s];

			for (size_t i = 0; i < series->n; i++)
				settle_point(&series->points[i]);
			qsort(series->points, series->n, sizeof(*series->points), by_x);
		}
	}
}

static void chart_free(struct chart *c)
{
	for (size_t s = 0; s < c->n; s++) {
		for (size_t i = 0; i < c->series[s].n; i++)
			free(c->series[s].points[i].samples);
		free(c->series[s].points);
		free(c->series[s].name);
	}
	free(c->series);
	free(c->key);
	free(c->title);
	free(c->detail);
	free(c->unit);
	free(c->family);
	free(c->state);
}

static void rows_free(struct rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		json_decref(rows->at[i].record);
	free(rows->at);
}

void store_free(struct report *r)
{
	for (size_t i = 0; i < r->n_charts; i++)
		chart_free(&r->charts[i]);
	for (size_t i = 0; i < r->n_runs; i++)
		json_decref(r->runs[i].header);
	for (size_t i = 0; i < r->n_machines; i++) {
		json_decref(r->machines[i].header);
		free(r->machines[i].caches);
	}
	rows_free(&r->cells);
	rows_free(&r->policies);
	rows_free(&r->latencies);
	rows_free(&r->comparisons);
	rows_free(&r->fleet);
	free(r->charts);
	free(r->runs);
	free(r->machines);
	free(r->files);
}
