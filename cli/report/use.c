/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * use.c - where hot clearing overtakes cold: from which share of used lines on what leaves the lines in cache is the faster.
 *
 * The time of clear and use is linear in the share: so much for the clear, so much for each line. Between two measured
 * shares the crossing is therefore where the straight lines between the two methods' times meet.
 */
#include <math.h>
#include <string.h>

#include "../cli.h"
#include "report.h"

/* Methods closer than this are not told apart. */
#define SAME 0.02

struct crossover {
	const struct series *hot, *cold;
	enum { NOWHERE, HOT_FIRST, COLD_FIRST, CROSSES, CROSSES_BACK, NO_PAIR } kind;
	double from, to, share; /* between these; there */
};

static const struct series *named(const struct chart *c, const char *name)
{
	for (size_t s = 0; s < c->n; s++)
		if (!strcmp(c->series[s].name, name))
			return &c->series[s];
	return NULL;
}

/* The fastest at the first or last share of all. */
static const struct series *fastest(const struct chart *c, bool last)
{
	const struct series *best = NULL;
	double x = 0, rate = 0;

	for (size_t s = 0; s < c->n; s++) {
		const struct series *one = &c->series[s];
		const struct point *at = &one->points[last ? one->n - 1 : 0];
		bool further = best && (last ? at->x > x : at->x < x);

		if (!best || further || (at->x == x && at->median > rate)) {
			best = one;
			x = at->x;
			rate = at->median;
		}
	}
	return best;
}

/* How much longer hot takes than cold, and whether that is more than noise. */
static double difference(const struct point *hot, const struct point *cold, bool *clear)
{
	double d = 1 / hot->median - 1 / cold->median;

	*clear = fabs(d) > SAME / fmax(hot->median, cold->median);
	return d;
}

static void follow(struct crossover *x)
{
	double last = 0, last_share = 0;

	x->kind = NOWHERE;
	for (size_t i = 0; i < x->hot->n; i++) {
		const struct point *hot = &x->hot->points[i], *cold = NULL;
		bool clear;
		double d;

		for (size_t k = 0; k < x->cold->n; k++)
			if (x->cold->points[k].x == hot->x)
				cold = &x->cold->points[k];
		if (!cold)
			continue;
		d = difference(hot, cold, &clear);
		if (!clear)
			continue;
		if (last * d < 0) {
			x->kind = d < 0 ? CROSSES : CROSSES_BACK;
			x->from = last_share;
			x->to = hot->x;
			x->share = last_share + (hot->x - last_share) * last / (last - d);
			return;
		}
		x->kind = d < 0 ? HOT_FIRST : COLD_FIRST;
		last = d;
		last_share = hot->x;
	}
}

static struct crossover crossover(const struct chart *c)
{
	struct crossover x = { .hot = named(c, "hot"), .cold = named(c, "cold"), .kind = NO_PAIR };

	if (!x.hot || !x.cold) {
		x.cold = fastest(c, false);
		x.hot = fastest(c, true);
	}
	if (x.hot && x.cold && x.hot != x.cold)
		follow(&x);
	return x;
}

json_t *crossover_json(const struct chart *c)
{
	struct crossover x = crossover(c);

	if (x.kind != CROSSES && x.kind != CROSSES_BACK)
		return json_null();
	return json_pack("{s:f,s:o}", "x", x.share, "text",
			 json_sprintf("%s from %.0f%% of lines", (x.kind == CROSSES ? x.hot : x.cold)->name, 100 * x.share));
}

static void verdict(FILE *to, const struct crossover *x)
{
	static const char *const words[] = {
		[NOWHERE] = "no difference",
		[HOT_FIRST] = "%s ahead throughout",
		[COLD_FIRST] = "%s ahead throughout",
		[NO_PAIR] = "the same method",
	};
	const char *name =
	    x->kind == NO_PAIR ? "" : (x->kind == COLD_FIRST || x->kind == CROSSES_BACK ? x->cold : x->hot)->name;

	fputs("<td class=\"words\">", to);
	if (x->kind == CROSSES || x->kind == CROSSES_BACK) {
		element(to, "b", name);
		fprintf(to, " from %.0f%% of lines (between %s and %s)", 100 * x->share, show_share(x->from),
			show_share(x->to));
	} else if (x->kind == HOT_FIRST || x->kind == COLD_FIRST) {
		element(to, "b", name);
		fputs(words[x->kind] + strlen("%s"), to);
	} else {
		fputs(words[x->kind], to);
	}
	fputs("</td>", to);
}

static void end_cell(FILE *to, const struct chart *c, bool last)
{
	const struct series *best = fastest(c, last);
	const struct point *at = &best->points[last ? best->n - 1 : 0];

	fputs("<td class=\"words\">", to);
	html_text(to, best->name);
	elementf(to, "small", "%s GB/s, %s used", show_number(at->median), show_share(at->x));
	fputs("</td>", to);
}

void write_crossovers(struct page *p, size_t machine)
{
	bool begun = false;

	for (size_t i = 0; i < p->report->n_charts; i++) {
		const struct chart *c = &p->report->charts[i];
		struct crossover x;

		if (c->machine != machine || c->section != SECTION_USE || !c->n || !(c->size > 0))
			continue;
		if (!begun) {
			table_begin(p, "figures", "Where hot clearing overtakes cold");
			fputs("<thead><tr><th scope=\"col\">Situation</th><th scope=\"col\" class=\"words\">Fastest, least "
			      "used</th>"
			      "<th scope=\"col\" class=\"words\">Fastest, most used</th><th scope=\"col\" "
			      "class=\"words\">Hot against cold</th></tr></thead>\n<tbody>\n",
			      p->html);
		}
		begun = true;
		x = crossover(c);
		fputs("<tr>", p->html);
		element(p->html, "th scope=\"row\"", c->title);
		end_cell(p->html, c, false);
		end_cell(p->html, c, true);
		verdict(p->html, &x);
		fputs("</tr>\n", p->html);
	}
	if (begun)
		table_end(p);
}
