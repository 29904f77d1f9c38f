/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cycles.c - counter cycles per 4 KiB page, minimum and maximum beside the median: the figure of 2005.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../cli.h"
#include "report.h"

/* The micro-benchmark of 2005 cleared 1 MiB. */
#define USUAL_SIZE 1048576.0
#define PAGE 4096.0
#define STATES_MAX 2

/* One family of charts at one size: a column for each cache state. */
struct cycles {
	const struct chart *chart[STATES_MAX];
	size_t n;
	double size;
};

static bool counts(const struct chart *c, size_t machine)
{
	return c->machine == machine && (c->section == SECTION_CLEAR || c->section == SECTION_COPY) && c->n &&
	       (!strncmp(c->key, "clear|", 6) || !strncmp(c->key, "copy|", 5)) && c->series[0].points[0].ghz > 0;
}

static double usual_size(const struct chart *c)
{
	double best = c->series[0].points[0].x;

	for (size_t i = 1; i < c->series[0].n; i++) {
		double x = c->series[0].points[i].x;

		if (fabs(log(x / USUAL_SIZE)) < fabs(log(best / USUAL_SIZE)))
			best = x;
	}
	return best;
}

static const struct point *point_of(const struct chart *c, const char *series, double size)
{
	for (size_t s = 0; s < c->n; s++)
		for (size_t i = 0; i < c->series[s].n && !strcmp(c->series[s].name, series); i++)
			if (c->series[s].points[i].x == size)
				return &c->series[s].points[i];
	return NULL;
}

static double cycles(const struct point *at, double gbps)
{
	return PAGE * at->ghz / gbps;
}

static json_t *state_json(const struct cycles *y, size_t state)
{
	const struct chart *c = y->chart[state];
	json_t *points = json_array();

	for (size_t s = 0; s < y->chart[0]->n; s++) {
		const struct point *at = point_of(c, y->chart[0]->series[s].name, y->size);
		json_t *quarter, *three;

		if (!at)
			continue;
		quarter = isfinite(at->q3) ? json_real(cycles(at, at->q3)) : json_null();
		three = isfinite(at->q1) ? json_real(cycles(at, at->q1)) : json_null();
		json_array_append_new(points, json_pack("[i,f,o,o,f,f]", (int)s, cycles(at, at->median), quarter, three,
							cycles(at, at->max), cycles(at, at->min)));
	}
	return json_pack("{s:s,s:o}", "name", *c->state ? c->state : "cycles", "points", points);
}

static json_t *cycles_json(const struct cycles *y)
{
	json_t *categories = json_array(), *series = json_array();

	for (size_t s = 0; s < y->chart[0]->n; s++)
		json_array_append_new(categories, json_string(y->chart[0]->series[s].name));
	for (size_t i = 0; i < y->n; i++)
		json_array_append_new(series, state_json(y, i));
	return json_pack("{s:o,s:o,s:s}", "categories", categories, "series", series, "unit", "cycles per page");
}

static void cycles_table(struct page *p, const struct cycles *y)
{
	fputs("<thead><tr><td></td>", p->html);
	for (size_t i = 0; i < y->n; i++) {
		elementf(p->html, "th scope=\"col\"", "%s: minimum", y->chart[i]->state);
		elementf(p->html, "th scope=\"col\"", "%s: median", y->chart[i]->state);
		elementf(p->html, "th scope=\"col\"", "%s: maximum", y->chart[i]->state);
	}
	fputs("</tr></thead>\n<tbody>\n", p->html);
	for (size_t s = 0; s < y->chart[0]->n; s++) {
		fputs("<tr>", p->html);
		element(p->html, "th scope=\"row\"", y->chart[0]->series[s].name);
		for (size_t i = 0; i < y->n; i++) {
			const struct point *at = point_of(y->chart[i], y->chart[0]->series[s].name, y->size);

			element(p->html, "td", at ? show_count(cycles(at, at->max)) : "–");
			element(p->html, "td", at ? show_count(cycles(at, at->median)) : "–");
			element(p->html, "td", at ? show_count(cycles(at, at->min)) : "–");
		}
		fputs("</tr>\n", p->html);
	}
}

static void cycles_figure(struct page *p, const struct cycles *y)
{
	const struct chart *c = y->chart[0];
	struct figure f = { .kind = "bars", .detail = c->detail };
	char *title, *alt;

	title = text_of("Cycles per page, %s %s", c->section == SECTION_COPY ? "copying" : "clearing", show_size(y->size));
	alt = text_of(
	    "Bar chart of counter cycles per 4 KiB page for %zu routines; less is better. The table holds all figures.",
	    c->n);
	f.title = title;
	f.alt = alt;
	f.data = cycles_json(y);
	figure_begin(p, &f);
	figure_table(p, title);
	cycles_table(p, y);
	figure_end(p);
	free(title);
	free(alt);
}

static bool family_seen(const struct report *r, size_t before, size_t machine)
{
	for (size_t i = 0; i < before; i++)
		if (counts(&r->charts[i], machine) && !strcmp(r->charts[i].family, r->charts[before].family))
			return true;
	return false;
}

void write_cycles(struct page *p, size_t machine)
{
	const struct report *r = p->report;
	bool begun = false;

	for (size_t i = 0; i < r->n_charts; i++) {
		struct cycles y = { .chart = { &r->charts[i] }, .n = 1 };

		if (!counts(&r->charts[i], machine) || family_seen(r, i, machine))
			continue;
		y.size = usual_size(&r->charts[i]);
		for (size_t k = i + 1; k < r->n_charts && y.n < STATES_MAX; k++)
			if (counts(&r->charts[k], machine) && !strcmp(r->charts[k].family, r->charts[i].family))
				y.chart[y.n++] = &r->charts[k];
		if (!begun) {
			section_begin(
			    p, "Cycles per page",
			    "Ticks of the time stamp counter for each 4 KiB page, less is better: median, with minimum "
			    "and maximum over all tries.");
			fputs("<div class=\"grid\">\n", p->html);
		}
		begun = true;
		cycles_figure(p, &y);
	}
	if (!begun)
		return;
	fputs("</div>\n", p->html);
	section_end(p);
}
