/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faults.c - how long a page fault takes: the middle, the tail and the worst, and the whole distribution.
 */
#include <math.h>

#include "../cli.h"
#include "../results.h"
#include "report.h"

static const struct {
	const char *key, *name;
} columns[] = {
	{ "p50_ns", "median" },
	{ "p99_ns", "99th percentile" },
	{ "max_ns", "maximum" },
};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static json_t *percentiles_json(const struct report *r, size_t machine)
{
	json_t *categories = json_array(), *series = json_array();

	for (size_t k = 0; k < COLUMNS; k++) {
		json_t *values = json_array();

		for (size_t i = 0; i < r->latencies.n; i++) {
			const json_t *record = r->latencies.at[i].record;
			double value = result_real(record, columns[k].key, NAN);

			if (r->latencies.at[i].machine != machine)
				continue;
			json_array_append_new(values, isnan(value) ? json_null() : json_real(value));
			if (!k)
				json_array_append_new(categories,
						      json_sprintf("%s, %s", result_text(record, "function", "?"),
								   result_text(record, "page", "?")));
		}
		json_array_append_new(series, json_pack("{s:s,s:o}", "name", columns[k].name, "values", values));
	}
	return json_pack("{s:o,s:o,s:s}", "categories", categories, "series", series, "unit", "ns");
}

static void percentiles_table(struct page *p, size_t machine)
{
	const struct report *r = p->report;

	fputs("<thead><tr><th scope=\"col\">fault</th><th scope=\"col\">page</th><th scope=\"col\">faults</th>", p->html);
	for (size_t k = 0; k < COLUMNS; k++)
		elementf(p->html, "th scope=\"col\"", "%s, ns", columns[k].name);
	fputs("</tr></thead>\n<tbody>\n", p->html);
	for (size_t i = 0; i < r->latencies.n; i++) {
		const json_t *record = r->latencies.at[i].record;

		if (r->latencies.at[i].machine != machine)
			continue;
		fputs("<tr>", p->html);
		element(p->html, "th scope=\"row\"", result_text(record, "function", "?"));
		element(p->html, "td", result_text(record, "page", "?"));
		element(p->html, "td", show_count(result_real(record, "faults", NAN)));
		for (size_t k = 0; k < COLUMNS; k++)
			element(p->html, "td", show_count(result_real(record, columns[k].key, NAN)));
		fputs("</tr>\n", p->html);
	}
}

void write_faults(struct page *p, size_t machine)
{
	const struct report *r = p->report;
	struct figure f = { .kind = "percentiles",
			    .title = "Latency of a page fault",
			    .detail = "median, 99th percentile and maximum",
			    .alt = "The median, 99th percentile and maximum of each kind of fault, on a logarithmic axis; "
				   "less is better. The table holds all figures." };
	size_t rows = 0, charts = 0;

	for (size_t i = 0; i < r->latencies.n; i++)
		rows += r->latencies.at[i].machine == machine;
	for (size_t i = 0; i < r->n_charts; i++)
		charts += r->charts[i].machine == machine && r->charts[i].section == SECTION_FAULTS;
	if (!rows && !charts)
		return;
	section_begin(p, "Fault latency", "What one access waits while the kernel finds and clears a page.");
	if (rows) {
		f.data = percentiles_json(r, machine);
		figure_begin(p, &f);
		figure_table(p, f.title);
		percentiles_table(p, machine);
		figure_end(p);
	}
	write_charts(p, machine, SECTION_FAULTS);
	section_end(p);
}
