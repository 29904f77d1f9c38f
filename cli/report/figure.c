/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * figure.c - one chart: a frame for the script to draw in, the same figures as a table, and in words.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../cli.h"
#include "report.h"

void figure_begin(struct page *p, const struct figure *f)
{
	unsigned id = ++p->ids;

	fprintf(p->html, "<figure class=\"chart\" id=\"f%u\" data-kind=\"%s\">\n<figcaption><h4 id=\"f%u-title\">", id,
		f->kind, id);
	html_text(p->html, f->title);
	fputs("</h4>", p->html);
	element(p->html, "p", f->detail);
	fprintf(p->html,
		"</figcaption>\n<div class=\"canvas\"><canvas role=\"img\" tabindex=\"0\" aria-labelledby=\"f%u-title\" "
		"aria-describedby=\"f%u-alt\"></canvas></div>\n<p class=\"unseen\" id=\"f%u-alt\">",
		id, id, id);
	html_text(p->html, f->alt);
	fputs("</p>\n<div class=\"legend\" role=\"group\" aria-label=\"What is shown\"></div>\n", p->html);
	json_object_set_new(f->data, "id", json_sprintf("f%u", id));
	json_object_set_new(f->data, "kind", json_string(f->kind));
	json_array_append_new(p->charts, f->data);
}

void table_begin(struct page *p, const char *class, const char *caption)
{
	fputs("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"", p->html);
	html_text(p->html, caption);
	fprintf(p->html, "\"><table class=\"%s\">\n", class);
	element(p->html, "caption", caption);
}

void table_end(struct page *p)
{
	fputs("</tbody></table></div>\n", p->html);
}

void figure_table(struct page *p, const char *caption)
{
	fputs("<details><summary>The figures as a table</summary>\n", p->html);
	table_begin(p, "figures", caption);
}

void figure_end(struct page *p)
{
	table_end(p);
	fputs("</details>\n</figure>\n", p->html);
}

/* Sizes keep all their digits, which the six of a real number would cut. */
static json_t *number(double value)
{
	if (!isfinite(value))
		return json_null();
	return value == floor(value) && fabs(value) < 1e15 ? json_integer((json_int_t)value) : json_real(value);
}

json_t *series_json(const struct chart *c)
{
	json_t *all = json_array();

	for (size_t s = 0; s < c->n; s++) {
		const struct series *series = &c->series[s];
		json_t *points = json_array(), *one = json_object();

		for (size_t i = 0; i < series->n; i++) {
			const struct point *at = &series->points[i];
			const double values[] = { at->x, at->median, at->q1, at->q3, at->min, at->max, at->to };
			json_t *point = json_array();

			for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++)
				json_array_append_new(point, number(values[v]));
			json_array_append_new(points, point);
		}
		json_object_set_new(one, "name", json_string(series->name));
		json_object_set_new(one, "points", points);
		json_array_append_new(all, one);
	}
	return all;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The distinct places of a chart's points, ascending; to be freed. */
static double *places(const struct chart *c, size_t *n)
{
	size_t all = 0;
	double *x;

	for (size_t s = 0; s < c->n; s++)
		all += c->series[s].n;
	x = calloc(all + 1, sizeof(*x));
	if (!x)
		die(EXIT_FAILED, "out of memory");
	all = 0;
	for (size_t s = 0; s < c->n; s++)
		for (size_t i = 0; i < c->series[s].n; i++)
			x[all++] = c->series[s].points[i].x;
	qsort(x, all, sizeof(*x), ascending);
	*n = 0;
	for (size_t i = 0; i < all; i++)
		if (!*n || x[i] != x[*n - 1])
			x[(*n)++] = x[i];
	return x;
}

static const struct point *point_at(const struct series *s, double x)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->points[i].x == x)
			return &s->points[i];
	return NULL;
}

static bool lower_is_better(const struct chart *c)
{
	return !strcmp(c->unit, "ns") || !strncmp(c->unit, "cycles", 6);
}

static const struct series *best_at(const struct chart *c, double x)
{
	const struct series *best = NULL;
	double value = 0;

	for (size_t s = 0; s < c->n; s++) {
		const struct point *at = point_at(&c->series[s], x);

		if (at && (!best || (lower_is_better(c) ? at->median < value : at->median > value))) {
			best = &c->series[s];
			value = at->median;
		}
	}
	return best;
}

static const char *place_name(const struct chart *c, double x)
{
	if (c->size > 0)
		return show_share(x);
	return c->section == SECTION_FAULTS ? show_count(x) : show_size(x);
}

static void table_cell(struct page *p, const struct chart *c, const struct series *series, double x)
{
	const struct point *at = point_at(series, x);

	if (!at) {
		fputs("<td>–</td>", p->html);
		return;
	}
	fputs(c->n > 1 && best_at(c, x) == series ? "<td class=\"best\">" : "<td>", p->html);
	html_text(p->html, c->section == SECTION_FAULTS ? show_count(at->median) : show_number(at->median));
	if (at->max > at->min)
		elementf(p->html, "small", "%s–%s", show_number(at->min), show_number(at->max));
	fputs("</td>", p->html);
}

/* Series by places, or places by series where there are more of these: long tables can be read and printed, wide ones can't.
 */
static void table_of(struct page *p, const struct chart *c, const double *x, size_t n)
{
	bool tall = n > c->n;
	size_t rows = tall ? n : c->n, columns = tall ? c->n : n;

	fputs("<thead><tr><td></td>", p->html);
	for (size_t i = 0; i < columns; i++)
		element(p->html, "th scope=\"col\"", tall ? c->series[i].name : place_name(c, x[i]));
	fputs("</tr></thead>\n<tbody>\n", p->html);
	for (size_t k = 0; k < rows; k++) {
		fputs("<tr>", p->html);
		element(p->html, "th scope=\"row\"", tall ? place_name(c, x[k]) : c->series[k].name);
		for (size_t i = 0; i < columns; i++)
			table_cell(p, c, &c->series[tall ? i : k], x[tall ? k : i]);
		fputs("</tr>\n", p->html);
	}
}

/* What is fastest at both ends, in a sentence. */
static char *alt_of(const struct chart *c, const double *x, size_t n)
{
	const char *what = c->section == SECTION_RECYCLE ? "share of pages written" : c->size > 0 ? "share of lines used" : "size";
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		die(EXIT_FAILED, "out of memory");
	if (n == 1)
		fprintf(f, "Bar chart of %s for %zu series at %s %s.", c->unit, c->n, what, place_name(c, x[0]));
	else
		fprintf(f, "Line chart of %s against %s, %s to %s, for %zu series.", c->unit, what, place_name(c, x[0]),
			place_name(c, x[n - 1]), c->n);
	for (size_t i = 0; i < n; i = i || n == 1 ? n : n - 1) {
		const struct series *best = best_at(c, x[i]);
		const struct point *at = best ? point_at(best, x[i]) : NULL;

		if (at)
			fprintf(f, " %s at %s: %s, %s %s.", lower_is_better(c) ? "Least" : "Fastest", place_name(c, x[i]),
				best->name, show_number(at->median), c->unit);
	}
	fputs(" The table holds all figures.", f);
	fclose(f);
	return text;
}

/* A chart of one place: a bar for each series. */
static json_t *bars_json(const struct chart *c)
{
	json_t *categories = json_array(), *points = json_array();

	for (size_t s = 0; s < c->n; s++) {
		const struct point *at = &c->series[s].points[0];

		json_array_append_new(categories, json_string(c->series[s].name));
		json_array_append_new(points, json_pack("[i,f,o,o,f,f]", (int)s, at->median, number(at->q1), number(at->q3),
							at->min, at->max));
	}
	return json_pack("{s:o,s:[{s:s,s:o}]}", "categories", categories, "series", "name", c->unit, "points", points);
}

void figure_of_chart(struct page *p, const struct chart *c)
{
	struct figure f = { .title = c->title, .detail = c->detail };
	bool pages = c->section == SECTION_MEM && strstr(c->key, "|page");
	char *alt = NULL, *detail = NULL, *caption;
	size_t n;
	double *x = places(c, &n);

	f.kind = c->section == SECTION_FAULTS ? "histogram" : n == 1 ? "bars" : c->size > 0 ? "share" : "lines";
	f.data = strcmp(f.kind, "bars") ? json_pack("{s:o}", "series", series_json(c)) : bars_json(c);
	json_object_set_new(f.data, "unit", json_string(c->unit));
	if (c->section == SECTION_RECYCLE)
		json_object_set_new(f.data, "axis", json_string("pages written in a round"));
	else if (c->size > 0)
		json_object_set_new(f.data, "mark", crossover_json(c));
	if (pages)
		json_object_set_new(f.data, "axis", json_string("page size"));
	f.alt = alt = alt_of(c, x, n);
	if (n == 1 && strcmp(f.kind, "histogram") != 0)
		f.detail = detail = text_of(pages	  ? "%s, %s pages"
					    : c->section == SECTION_RECYCLE ? "%s, %s written"
					    : c->size > 0 ? "%s, %s used"
							  : "%s, size %s",
					    c->detail, place_name(c, x[0]));
	figure_begin(p, &f);
	caption = text_of("%s: %s %s%s", c->title, c->section == SECTION_RECYCLE ? "mean" : "median", c->unit,
			  c->section == SECTION_FAULTS ? " by latency in ns" : " (minimum–maximum)");
	figure_table(p, caption);
	table_of(p, c, x, n);
	figure_end(p);
	free(caption);
	free(detail);
	free(alt);
	free(x);
}
