/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * effects.c - A/B comparisons: the change of each candidate with its interval and verdict.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../cli.h"
#include "../results.h"
#include "report.h"

/* As `clearpages ab` writes them. */
static const struct {
	const char *letter, *words;
} verdicts[] = {
	{ "R", "(R) regression" },
	{ "I", "(I) improvement" },
	{ "~", "~ no difference" },
	{ "?", "? undecided" },
};

static const char *verdict_words(const char *letter)
{
	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++)
		if (!strcmp(letter, verdicts[i].letter))
			return verdicts[i].words;
	return letter;
}

static json_t *real(const json_t *record, const char *key)
{
	double value = result_real(record, key, NAN);

	return isnan(value) ? json_null() : json_real(value);
}

/* What the rows of one comparison have in common, such as their size: rows of the same name may stand in several. */
static const char *common(const struct rows *rows, size_t i)
{
	return result_text(rows->at[i].record, "common", "");
}

/* Are two rows of one comparison on one machine? */
static bool together(const struct rows *rows, size_t i, size_t k)
{
	return rows->at[i].machine == rows->at[k].machine && !strcmp(common(rows, i), common(rows, k));
}

static json_t *effects_json(const struct rows *rows, size_t first)
{
	json_t *all = json_array();

	for (size_t i = 0; i < rows->n; i++) {
		const json_t *record = rows->at[i].record;

		if (!together(rows, i, first))
			continue;
		json_array_append_new(
		    all, json_pack("{s:s,s:s,s:o,s:o,s:o,s:s,s:o}", "row", result_text(record, "row", "?"), "label",
				   result_text(record, "label", "?"), "change", real(record, "change_percent"), "low",
				   real(record, "low_percent"), "high", real(record, "high_percent"), "verdict",
				   result_text(record, "verdict", "?"), "threshold", real(record, "threshold_percent")));
	}
	return json_pack("{s:o}", "rows", all);
}

static void percent(FILE *to, const json_t *record, const char *key, bool sign)
{
	double value = result_real(record, key, NAN);

	if (isnan(value))
		fputs("<td>–</td>", to);
	else
		elementf(to, "td", sign ? "%+.2f%%" : "%.2f%%", value);
}

static void chance(FILE *to, const json_t *record, const char *key, const char *note)
{
	double p = result_real(record, key, NAN);

	if (isnan(p))
		fputs("<td>–</td>", to);
	else
		elementf(to, "td", p < 0.001 ? "%.0e%s" : "%.3f%s", p, note);
}

static void base_cell(FILE *to, const json_t *record)
{
	double base = result_real(record, "base", NAN);
	const char *unit = result_text(record, "unit", "");

	if (isnan(base))
		element(to, "td", result_text(record, "base", "–"));
	else if (!strcmp(unit, "bytes/sec"))
		elementf(to, "td", "%s GB/s", show_number(base / 1e9));
	else
		elementf(to, "td", "%s %s", show_number(base), unit);
}

static void effect_row(FILE *to, const json_t *record)
{
	const json_t *can = json_object_get(record, "wilcoxon_can_reject");
	double low = result_real(record, "low_percent", NAN), high = result_real(record, "high_percent", NAN);

	fputs("<tr><th scope=\"row\">", to);
	html_text(to, result_text(record, "row", "?"));
	fputs("</th>", to);
	element(to, "td class=\"words\"", result_text(record, "label", "?"));
	base_cell(to, record);
	percent(to, record, "change_percent", true);
	elementf(to, "td", "%+.2f%% to %+.2f%%", low, high);
	percent(to, record, "sd_percent", false);
	chance(to, record, "p", "");
	chance(to, record, "p_holm", "");
	chance(to, record, "wilcoxon_p", json_is_false(can) ? " (cannot reject)" : "");
	element(to, "td", show_count((double)result_whole(record, "sessions", 0)));
	element(to, "td", verdict_words(result_text(record, "verdict", "?")));
	element(to, "td",
		!strcmp(result_text(record, "verdict", ""), "?") ? show_count((double)result_whole(record, "needed", 0))
								 : "");
	fputs("</tr>\n", to);
}

static void effects_table(struct page *p, size_t first)
{
	static const char *const headings[] = { "row", "candidate", "base",	  "change",   "95% interval", "sd",
						"p",   "p (Holm)",  "Wilcoxon p", "sessions", "verdict",      "needed" };
	const struct rows *rows = &p->report->comparisons;

	table_begin(p, "figures effects", "Changes against the base");
	fputs("<thead><tr>", p->html);
	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		element(p->html, "th scope=\"col\"", headings[i]);
	fputs("</tr></thead>\n<tbody>\n", p->html);
	for (size_t i = 0; i < rows->n; i++)
		if (together(rows, i, first))
			effect_row(p->html, rows->at[i].record);
	table_end(p);
}

/* The comparison that begins with row `first`. */
static void write_comparison(struct page *p, size_t first)
{
	const struct rows *rows = &p->report->comparisons;
	struct figure f = {
		.kind = "effects",
		.detail = "95% intervals around the mean; (R) regression, (I) improvement, ~ no difference, ? undecided"
	};
	char *title = text_of("Change against the base%s%s", *common(rows, first) ? ": " : "", common(rows, first));
	size_t n = 0, flagged = 0;
	char *alt;

	for (size_t i = 0; i < rows->n; i++) {
		if (!together(rows, i, first))
			continue;
		n++;
		flagged += !strcmp(result_text(rows->at[i].record, "verdict", ""), "R");
	}
	alt = text_of(
	    "A bar for the interval of each of %zu comparisons, and a line at no change. Regressions: %zu. The table "
	    "holds all figures.",
	    n, flagged);
	f.title = title;
	f.alt = alt;
	f.data = effects_json(rows, first);
	figure_begin(p, &f);
	/* This table is what the comparison is for: it is open. */
	effects_table(p, first);
	fputs("</figure>\n", p->html);
	free(title);
	free(alt);
}

void write_effects(struct page *p, size_t machine)
{
	const struct rows *rows = &p->report->comparisons;
	bool any = false;

	for (size_t i = 0; i < rows->n; i++) {
		bool first = rows->at[i].machine == machine;

		for (size_t k = 0; k < i && first; k++)
			first = !together(rows, i, k);
		if (!first)
			continue;
		if (!any)
			section_begin(p, "A/B comparisons",
				      "The change of each candidate in per cent of the base. Whether more or less is better "
				      "depends on the row; the verdict knows.");
		any = true;
		write_comparison(p, i);
	}
	if (any)
		section_end(p);
}

/* Over all machines: how the changes of a row spread, and how many machines say what. */
static void fleet_row(FILE *to, const json_t *record)
{
	static const char *const counts[] = { "machines", "regressions", "improvements", "same", "unsure" };
	double low = result_real(record, "low_percent", NAN), high = result_real(record, "high_percent", NAN);

	fputs("<tr>", to);
	element(to, "th scope=\"row\"", result_text(record, "row", "?"));
	element(to, "td class=\"words\"", result_text(record, "label", "?"));
	percent(to, record, "change_percent", true);
	elementf(to, "td", "%+.2f%% to %+.2f%%", low, high);
	percent(to, record, "least_percent", true);
	percent(to, record, "most_percent", true);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		element(to, "td", show_count((double)result_whole(record, counts[i], 0)));
	fputs("</tr>\n", to);
}

void write_fleet(struct page *p)
{
	static const char *const headings[] = { "row",	"candidate", "mean change", "95% interval", "least",
						"most", "machines",  "(R)",	    "(I)",	    "~",
						"?" };
	const struct rows *rows = &p->report->fleet;

	if (!rows->n)
		return;
	p->ids++;
	fprintf(p->html, "<section aria-labelledby=\"s%u\">\n<h2 id=\"s%u\">Over all machines</h2>\n", p->ids, p->ids);
	fprintf(p->nav, "<li><a href=\"#s%u\">Over all machines</a></li>\n", p->ids);
	table_begin(p, "figures", "Changes against the base: the mean over the machines, and how many machines say what");
	fputs("<thead><tr>", p->html);
	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		element(p->html, "th scope=\"col\"", headings[i]);
	fputs("</tr></thead>\n<tbody>\n", p->html);
	for (size_t i = 0; i < rows->n; i++)
		fleet_row(p->html, rows->at[i].record);
	table_end(p);
	section_end(p);
}
