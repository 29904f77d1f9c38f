/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * regret.c - regret as coloured tables: sizes against situations, one table for each policy. The figure is always there, so
 * the colour is no more than a help.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../cli.h"
#include "../results.h"
#include "report.h"

static const struct {
	const char *key, *name;
} policies[] = {
	{ "auto", "AUTO" },
	{ "hot", "HOT" },
	{ "cold", "COLD" },
	{ "memset", "libc memset" },
	{ "aa", "A/A: the best method against itself" },
};
#define POLICIES (sizeof(policies) / sizeof(policies[0]))

static const double limits[] = { 1.02, 1.05, 1.10, 1.25, 1.50 };
#define CLASSES (sizeof(limits) / sizeof(limits[0]) + 1)

static unsigned class_of(double regret, bool either_way)
{
	unsigned class = 0;

	/* The copy may as well be the faster one: that is noise too. */
	if (either_way && regret < 1)
		regret = 1 / regret;
	while (class < CLASSES - 1 && regret > limits[class])
		class ++;
	return class;
}

/* The columns: every situation but the size. */
struct situation {
	const char *state, *touch;
	bool bystander;
};
#define SITUATIONS_MAX 64

struct matrix {
	const struct report *report;
	size_t run;
	struct situation columns[SITUATIONS_MAX];
	size_t n_columns;
	double sizes[POINTS_MAX];
	size_t n_sizes;
};

static struct situation situation_of(const json_t *cell)
{
	return (struct situation){ result_text(cell, "state", "?"), result_text(cell, "touch", "?"),
				   result_truth(cell, "bystander") };
}

static int compare(const void *a, const void *b)
{
	const struct situation *x = a, *y = b;
	/* "uncached" first, as everywhere. */
	int state = -strcmp(x->state, y->state);
	double more = read_share(x->touch) - read_share(y->touch);

	if (state || x->bystander != y->bystander)
		return state ? state : x->bystander - y->bystander;
	return (more > 0) - (more < 0);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void matrix_add(struct matrix *m, const json_t *cell)
{
	struct situation s = situation_of(cell);
	double size = result_real(cell, "size", 0);
	size_t i = 0;

	while (i < m->n_columns && compare(&m->columns[i], &s) != 0)
		i++;
	if (i == m->n_columns && i < SITUATIONS_MAX)
		m->columns[m->n_columns++] = s;
	for (i = 0; i < m->n_sizes && m->sizes[i] != size;)
		i++;
	if (i == m->n_sizes && i < POINTS_MAX)
		m->sizes[m->n_sizes++] = size;
}

/* What a run says of one policy. */
static bool matrix_make(struct matrix *m, const struct report *r, size_t run, const char *key)
{
	*m = (struct matrix){ .report = r, .run = run };
	for (size_t i = 0; i < r->cells.n; i++)
		if (r->cells.at[i].machine == run && !isnan(result_real(r->cells.at[i].record, key, NAN)))
			matrix_add(m, r->cells.at[i].record);
	qsort(m->columns, m->n_columns, sizeof(m->columns[0]), compare);
	qsort(m->sizes, m->n_sizes, sizeof(m->sizes[0]), ascending);
	return m->n_columns;
}

static const json_t *cell_at(const struct matrix *m, double size, const struct situation *s)
{
	const struct rows *cells = &m->report->cells;

	for (size_t i = 0; i < cells->n; i++) {
		struct situation at;

		if (cells->at[i].machine != m->run || result_real(cells->at[i].record, "size", 0) != size)
			continue;
		at = situation_of(cells->at[i].record);
		if (!compare(&at, s))
			return cells->at[i].record;
	}
	return NULL;
}

static void matrix_head(FILE *to, const struct matrix *m)
{
	fputs("<thead><tr><td></td>", to);
	for (size_t i = 0, n; i < m->n_columns; i += n) {
		const struct situation *s = &m->columns[i];

		for (n = 1; i + n < m->n_columns && !strcmp(m->columns[i + n].state, s->state) &&
			    m->columns[i + n].bystander == s->bystander;)
			n++;
		fprintf(to, "<th scope=\"colgroup\" colspan=\"%zu\">", n);
		html_text(to, s->state);
		fputs(s->bystander ? ", beside other data</th>" : "</th>", to);
	}
	fputs("</tr>\n<tr><th scope=\"col\">size</th>", to);
	for (size_t i = 0; i < m->n_columns; i++)
		element(to, "th scope=\"col\"", m->columns[i].touch);
	fputs("</tr></thead>\n<tbody>\n", to);
}

static void matrix_row(FILE *to, const struct matrix *m, double size, const char *key)
{
	fputs("<tr>", to);
	element(to, "th scope=\"row\"", show_size(size));
	for (size_t i = 0; i < m->n_columns; i++) {
		const json_t *cell = cell_at(m, size, &m->columns[i]);
		double regret = cell ? result_real(cell, key, NAN) : NAN;
		bool scored = cell && result_truth(cell, "scored");

		if (isnan(regret)) {
			fputs("<td></td>", to);
			continue;
		}
		fprintf(to, "<td class=\"r%u%s\">", class_of(regret, !strcmp(key, "aa")), scored ? "" : " unscored");
		fprintf(to, scored ? "%.2f" : "(%.2f)", regret);
		fputs("</td>", to);
	}
	fputs("</tr>\n", to);
}

static void matrices(struct page *p, size_t run)
{
	static struct matrix m;

	for (size_t i = 0; i < POLICIES; i++) {
		char *caption;

		if (!matrix_make(&m, p->report, run, policies[i].key))
			continue;
		caption = text_of("Regret of %s, by size and share of lines used after", policies[i].name);
		fprintf(p->html, "<figure class=\"picture\" id=\"f%u\">\n", ++p->ids);
		table_begin(p, "matrix", caption);
		matrix_head(p->html, &m);
		for (size_t s = 0; s < m.n_sizes; s++)
			matrix_row(p->html, &m, m.sizes[s], policies[i].key);
		table_end(p);
		fputs("</figure>\n", p->html);
		free(caption);
	}
}

static void best_row(FILE *to, const struct matrix *m, double size)
{
	fputs("<tr>", to);
	element(to, "th scope=\"row\"", show_size(size));
	for (size_t i = 0; i < m->n_columns; i++) {
		const json_t *cell = cell_at(m, size, &m->columns[i]);

		fputs("<td>", to);
		html_text(to, cell ? result_text(cell, "variant", "–") : "");
		if (cell && result_real(cell, "gbps", 0) > 0)
			elementf(to, "small", "%s GB/s", show_number(result_real(cell, "gbps", 0)));
		fputs("</td>", to);
	}
	fputs("</tr>\n", to);
}

/* What the policy would have had to choose. */
static void best_methods(struct page *p, size_t run)
{
	static struct matrix m;

	if (!matrix_make(&m, p->report, run, "gbps"))
		return;
	fputs("<details><summary>The best single method of each situation</summary>\n", p->html);
	table_begin(p, "matrix", "The best single method, by size and share of lines used after, and its rate");
	matrix_head(p->html, &m);
	for (size_t s = 0; s < m.n_sizes; s++)
		best_row(p->html, &m, m.sizes[s]);
	table_end(p);
	fputs("</details>\n", p->html);
}

static void legend(FILE *to)
{
	fputs("<ul class=\"scale\" aria-label=\"Colours\">", to);
	for (unsigned i = 0; i < CLASSES; i++) {
		fprintf(to, "<li class=\"r%u\">", i);
		if (i < CLASSES - 1)
			fprintf(to, "to %.2f</li>", limits[i]);
		else
			fprintf(to, "above %.2f</li>", limits[i - 1]);
	}
	fputs("</ul>\n", to);
}

static void summary_row(FILE *to, const json_t *summary)
{
	static const char *const reals[] = { "geomean", "max", "max_below_64K", "max_from_64K" };

	fputs("<tr>", to);
	element(to, "th scope=\"row\"", result_text(summary, "policy", "?"));
	for (size_t k = 0; k < sizeof(reals) / sizeof(reals[0]); k++) {
		double value = result_real(summary, reals[k], NAN);

		if (isnan(value))
			fputs("<td>–</td>", to);
		else
			elementf(to, "td", k ? "%.2f" : "%.3f", value);
	}
	element(to, "td", show_count((double)result_whole(summary, "cells", 0)));
	fputs("</tr>\n", to);
}

static void summaries(struct page *p, size_t run)
{
	const struct rows *rows = &p->report->policies;
	const json_t *aa = NULL;
	bool begun = false;

	for (size_t i = 0; i < rows->n; i++) {
		if (rows->at[i].machine != run)
			continue;
		if (!begun) {
			table_begin(p, "figures", "Over all scored situations");
			fputs("<thead><tr><th scope=\"col\">policy</th><th scope=\"col\">mean (geometric)</th><th "
			      "scope=\"col\">maximum</th>"
			      "<th scope=\"col\">below 64K</th><th scope=\"col\">from 64K</th><th "
			      "scope=\"col\">situations</th></tr></thead>\n<tbody>\n",
			      p->html);
		}
		begun = true;
		summary_row(p->html, rows->at[i].record);
		if (!strcmp(result_text(rows->at[i].record, "policy", ""), "aa"))
			aa = rows->at[i].record;
	}
	if (begun)
		table_end(p);
	if (aa && result_truth(aa, "valid"))
		fputs("<p class=\"good\">Valid: the best method's own second copy (A/A) stays within its limits.</p>\n",
		      p->html);
	else if (aa)
		fputs("<p class=\"bad\">Invalid: even the best method's own second copy (A/A) differs too much. The machine "
		      "was too "
		      "noisy.</p>\n",
		      p->html);
	else
		fputs("<p class=\"bad\">The run did not come to its end: there is no summary and no test of its "
		      "validity.</p>\n",
		      p->html);
}

void write_regret(struct page *p, size_t machine)
{
	const struct rows *cells = &p->report->cells;
	bool begun = false;

	for (size_t i = 0; i < p->report->n_runs; i++) {
		const struct run *run = &p->report->runs[i];
		size_t first = 0;

		while (first < cells->n && cells->at[first].machine != i)
			first++;
		if (run->machine != machine || first == cells->n)
			continue;
		if (!begun) {
			section_begin(p, "Regret of the policy",
				      "Time over the time of the best single method in the same situation: 1.00 is perfect. "
				      "What is in "
				      "parentheses is shown, not scored.");
			legend(p->html);
		}
		begun = true;
		element(p->html, "h4", result_text(run->header, "arguments", run->file));
		summaries(p, i);
		matrices(p, i);
		best_methods(p, i);
	}
	if (begun)
		section_end(p);
}
