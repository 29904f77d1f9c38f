/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare.c - the rows of base and candidates are matched, and each pair is judged; p is adjusted over a machine's table.
 */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "cli.h"
#include "match.h"

/* Logs of the sessions' medians, in the order of the sessions. */
struct logs {
	double *at;
	unsigned long *session;
	size_t n;
};

static int by_number(const void *a, const void *b)
{
	unsigned long x = ((const struct session *)a)->number, y = ((const struct session *)b)->number;

	return (x > y) - (x < y);
}

static void *some(size_t n, size_t size)
{
	void *p = calloc(n + !n, size);

	if (!p)
		die(EXIT_FAILED, "out of memory");
	return p;
}

static struct logs logs_of(const struct series *s)
{
	struct logs l = { some(s->n, sizeof(double)), some(s->n, sizeof(unsigned long)), s->n };

	qsort(s->sessions, s->n, sizeof(*s->sessions), by_number);
	for (size_t i = 0; i < s->n; i++) {
		l.at[i] = log(median(s->sessions[i].values, s->sessions[i].n));
		l.session[i] = s->sessions[i].number;
	}
	return l;
}

static void logs_free(struct logs *l)
{
	free(l->at);
	free(l->session);
}

/* Only blocks that have both. */
static void pair(struct logs *a, struct logs *b)
{
	size_t n = 0;

	for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
		if (a->session[i] == b->session[k]) {
			a->at[n] = a->at[i++];
			b->at[n++] = b->at[k++];
		} else if (a->session[i] < b->session[k]) {
			i++;
		} else {
			k++;
		}
	}
	a->n = b->n = n;
}

/* False where there are too few sessions. */
static bool measure(const struct machine *m, const struct series *base, const struct series *cand, struct effect *effect,
		    double *level)
{
	struct logs b = logs_of(base), c = logs_of(cand);
	bool enough;

	if (m->blocks)
		pair(&b, &c);
	enough = b.n >= 2 && c.n >= 2;
	if (enough && m->blocks)
		effect_paired(effect, b.at, c.at, b.n);
	else if (enough)
		effect_unpaired(effect, b.at, b.n, c.at, c.n);
	logs_free(&b);
	if (enough) {
		/* The base figure is that of all its sessions, whichever candidate it stands beside. */
		b = logs_of(base);
		*level = 0;
		for (size_t i = 0; i < b.n; i++)
			*level += b.at[i] / (double)b.n;
		*level = exp(*level);
		logs_free(&b);
	}
	logs_free(&c);
	return enough;
}

static enum better direction(const struct series *s, enum better better)
{
	if (better == BETTER_UNKNOWN)
		better = s->unit.better;
	if (better == BETTER_UNKNOWN)
		die(EXIT_USAGE,
		    "'%s' in '%s': the unit does not tell which way is better; add --lower-is-better or --higher-is-better",
		    s->row, s->unit.name);
	return better;
}

static struct row *row_for(struct table *t, const struct series *base, enum better better, unsigned labels)
{
	struct row *row;

	for (size_t i = 0; i < t->n; i++)
		if (t->rows[i].id == base->row)
			return &t->rows[i];
	t->rows = grow(t->rows, t->n, &t->room, sizeof(*t->rows));
	row = &t->rows[t->n++];
	*row = (struct row){ .id = base->row, .unit = base->unit };
	row->unit.better = direction(base, better);
	row->changes = some(labels, sizeof(*row->changes));
	return row;
}

static void judge_table(struct table *t, unsigned labels, double threshold)
{
	double *p = some(t->n * labels, sizeof(*p)), *adjusted = some(t->n * labels, sizeof(*p));
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		for (unsigned k = 1; k < labels; k++)
			if (t->rows[i].changes[k].have)
				p[n++] = t->rows[i].changes[k].effect.p;
	holm(p, adjusted, n);
	t->family = n;
	n = 0;
	for (size_t i = 0; i < t->n; i++) {
		for (unsigned k = 1; k < labels; k++) {
			struct change *c = &t->rows[i].changes[k];

			if (!c->have)
				continue;
			c->p_holm = adjusted[n++];
			c->verdict = judge(&c->effect, c->p_holm, threshold, t->rows[i].unit.better == BETTER_HIGHER);
			c->can_reject = wilcoxon_can_reject(&c->effect, t->family);
			if (c->verdict == VERDICT_UNSURE)
				c->needed = sessions_needed(&c->effect, threshold, t->family);
		}
	}
	free(p);
	free(adjusted);
}

static void compare_label(const struct data *d, struct table *t, unsigned label, enum better better)
{
	const struct machine *m = t->machine;
	const struct series **with = some(m->n, sizeof(const struct series *));
	size_t few = 0;

	match_rows(d, m, label, with, false);
	for (size_t i = 0; i < m->n; i++) {
		struct effect effect;
		struct row *row;
		double base;

		if (!with[i])
			continue;
		if (strcmp(m->series[i].unit.name, with[i]->unit.name) != 0 ||
		    m->series[i].unit.better != with[i]->unit.better)
			die(EXIT_FAILED, "mixed units: '%s' is in '%s' in '%s' and in '%s' in '%s'", m->series[i].row,
			    m->series[i].unit.name, d->labels[0], with[i]->unit.name, d->labels[label]);
		if (!measure(m, &m->series[i], with[i], &effect, &base)) {
			few++;
			continue;
		}
		row = row_for(t, &m->series[i], better, d->n_labels);
		row->base = base;
		row->changes[label] = (struct change){ .have = true, .id = with[i]->row, .effect = effect };
	}
	if (few)
		complain("'%s' on %s: %zu row%s left out: fewer than 2 sessions of '%s' and of '%s'%s", d->labels[label],
			 m->host, few, plural(few), d->labels[0], d->labels[label],
			 m->blocks ? " in the same blocks" : "; each run of a benchmark is one: cat run*.jsonl >FILE");
	free((void *)(uintptr_t)with);
}

/* Is a field the same in all rows? Then it need not stand in each. Names and sizes stay where there is one row. */
static bool is_common(void *arg, const struct field *field)
{
	const struct table *t = arg;

	if (t->n == 1 && row_field_names(field->key))
		return false;
	for (size_t i = 0; i < t->n; i++) {
		struct row_parts parts;
		const char *value;

		row_split(&parts, t->rows[i].id);
		value = row_field(&parts, field->key);
		if (!value || strcmp(value, field->value) != 0)
			return false;
	}
	return true;
}

static bool is_not_common(void *arg, const struct field *field)
{
	return !is_common(arg, field);
}

static void name_rows(struct table *t)
{
	struct row_parts parts;

	for (size_t i = 0; i < t->n; i++) {
		row_split(&parts, t->rows[i].id);
		row_words(&parts, is_common, t, t->rows[i].name, sizeof(t->rows[i].name));
		if (!t->rows[i].name[0])
			row_words(&parts, NULL, NULL, t->rows[i].name, sizeof(t->rows[i].name));
		else if (!i)
			row_words(&parts, is_not_common, t, t->common, sizeof(t->common));
	}
}

static struct fleet *fleet_of(struct comparisons *c, const struct row *row, unsigned label)
{
	struct fleet *f;

	for (size_t i = 0; i < c->n_fleet; i++)
		if (c->fleet[i].label == label && !strcmp(c->fleet[i].row->id, row->id))
			return &c->fleet[i];
	c->fleet = grow(c->fleet, c->n_fleet, &c->room, sizeof(*c->fleet));
	f = &c->fleet[c->n_fleet++];
	*f = (struct fleet){ .row = row, .label = label, .least = INFINITY, .most = -INFINITY };
	return f;
}

/* Machines are what varies here: the interval is that of the mean of their effects. */
static void over_machines(struct comparisons *c)
{
	double *effects = some(c->n, sizeof(*effects));

	for (size_t i = 0; i < c->n; i++) {
		for (size_t k = 0; k < c->tables[i].n; k++) {
			for (unsigned l = 1; l < c->data->n_labels; l++) {
				const struct change *cell = &c->tables[i].rows[k].changes[l];
				struct fleet *f;

				if (!cell->have)
					continue;
				f = fleet_of(c, &c->tables[i].rows[k], l);
				f->machines++;
				f->marks[cell->verdict]++;
				f->least = fmin(f->least, cell->effect.mean);
				f->most = fmax(f->most, cell->effect.mean);
			}
		}
	}
	for (size_t f = 0; f < c->n_fleet; f++) {
		size_t n = 0;

		for (size_t i = 0; i < c->n; i++)
			for (size_t k = 0; k < c->tables[i].n; k++)
				if (c->tables[i].rows[k].changes[c->fleet[f].label].have &&
				    !strcmp(c->tables[i].rows[k].id, c->fleet[f].row->id))
					effects[n++] = c->tables[i].rows[k].changes[c->fleet[f].label].effect.mean;
		mean_interval(effects, n, 0.95, &c->fleet[f].mean, &c->fleet[f].low, &c->fleet[f].high);
	}
	free(effects);
}

void compare(struct comparisons *c, const struct data *d, double threshold, enum better better)
{
	*c = (struct comparisons){ .data = d, .threshold = threshold };
	c->tables = some(d->n, sizeof(*c->tables));
	for (size_t i = 0; i < d->n; i++) {
		struct table *t = &c->tables[c->n];

		*t = (struct table){ .machine = &d->machines[i] };
		for (unsigned label = 1; label < d->n_labels; label++)
			compare_label(d, t, label, better);
		if (!t->n)
			continue;
		judge_table(t, d->n_labels, threshold);
		name_rows(t);
		c->n++;
	}
	if (!c->n)
		die(EXIT_FAILED,
		    "there is nothing to compare: no row has 2 sessions of '%s' and of a candidate on one machine",
		    d->labels[0]);
	if (c->n > 1)
		over_machines(c);
}

void comparisons_free(struct comparisons *c)
{
	for (size_t i = 0; i < c->n; i++) {
		for (size_t k = 0; k < c->tables[i].n; k++)
			free(c->tables[i].rows[k].changes);
		free(c->tables[i].rows);
	}
	free(c->tables);
	free(c->fleet);
}
