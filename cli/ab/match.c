/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * match.c - rows that are the same, or that differ in nothing but what is being compared.
 */
#include "match.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "row.h"

struct match {
	const struct machine *m;
	unsigned label;
	const struct series **with;
	bool *taken; /* of the candidate's series */
};

static bool left(const struct match *x, size_t i, unsigned label)
{
	return x->m->series[i].label == label && (label ? !x->taken[i] : !x->with[i]);
}

static void match_by(struct match *x, char *const *keys, size_t n)
{
	char base[ROW_SIZE], cand[ROW_SIZE];

	for (size_t i = 0; i < x->m->n; i++) {
		if (!left(x, i, 0))
			continue;
		row_without(x->m->series[i].row, keys, n, base);
		for (size_t k = 0; k < x->m->n && !x->with[i]; k++) {
			if (!left(x, k, x->label))
				continue;
			row_without(x->m->series[k].row, keys, n, cand);
			if (strcmp(base, cand) != 0)
				continue;
			x->with[i] = &x->m->series[k];
			x->taken[k] = true;
		}
	}
}

static size_t count_left(const struct match *x, unsigned label, const char **example)
{
	size_t n = 0;

	for (size_t i = 0; i < x->m->n; i++) {
		if (left(x, i, label)) {
			n++;
			*example = x->m->series[i].row;
		}
	}
	return n;
}

/* The one value that a field has in all that is left of a side; false where there are several, or none. */
static bool one_value(const struct match *x, unsigned label, const char *key, char value[ROW_SIZE])
{
	bool any = false;

	for (size_t i = 0; i < x->m->n; i++) {
		struct row_parts parts;
		const char *here;

		if (!left(x, i, label))
			continue;
		row_split(&parts, x->m->series[i].row);
		here = row_field(&parts, key);
		if (!here || (any && strcmp(here, value) != 0))
			return false;
		if (!any)
			snprintf(value, ROW_SIZE, "%s", here);
		any = true;
	}
	return any;
}

static void match_the_rest(struct match *x, const char *example)
{
	char base[ROW_SIZE], cand[ROW_SIZE];
	char *keys[ROW_FIELDS];
	struct row_parts parts;
	size_t n = 0;

	row_split(&parts, example);
	for (size_t i = 0; i < parts.n; i++) {
		char *key = parts.fields[i].key;

		if (row_field_may_differ(key) && one_value(x, 0, key, base) && one_value(x, x->label, key, cand) &&
		    strcmp(base, cand) != 0)
			keys[n++] = key;
	}
	if (n)
		match_by(x, keys, n);
}

static bool has(const struct machine *m, unsigned label)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->series[i].label == label)
			return true;
	return false;
}

void match_rows(const struct data *d, const struct machine *m, unsigned label, const struct series **with, bool quiet)
{
	struct match x = { m, label, with, calloc(m->n + 1, sizeof(bool)) };
	const char *base = "", *cand = "";
	size_t n_base, n_cand, matched = 0;

	if (!x.taken)
		die(EXIT_FAILED, "out of memory");
	if (!has(m, 0) || !has(m, label)) {
		complain("%s: there is nothing of '%s': no table", m->host, d->labels[has(m, 0) ? label : 0]);
		free(x.taken);
		return;
	}
	match_by(&x, NULL, 0);
	if (count_left(&x, 0, &base) && count_left(&x, label, &cand))
		match_the_rest(&x, base);
	for (size_t i = 0; i < m->n; i++)
		matched += with[i] != NULL;
	n_base = count_left(&x, 0, &base);
	n_cand = count_left(&x, label, &cand);
	if (!matched)
		die(EXIT_FAILED, "different benchmarks can't be compared: '%s' has '%s', '%s' has '%s'", d->labels[0], base,
		    d->labels[label], cand);
	if (n_base + n_cand && !quiet)
		complain("%s: %zu of %zu rows of '%s' and '%s' have no counterpart and are left out, such as '%s'", m->host,
			 n_base + n_cand, n_base + n_cand + 2 * matched, d->labels[0], d->labels[label],
			 n_base ? base : cand);
	free(x.taken);
}
