/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metric.c - from a run's lines and time to its figures. Of several matches in one run the last counts: totals come last.
 */
#include "metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "cli.h"
#include "data.h"
#include "results.h"

void metric_open(struct metric *m, const char *text, enum better better)
{
	char reason[128];
	int err;

	*m = (struct metric){ .kind = METRIC_RESULTS, .text = text, .better = better };
	if (!text)
		return;
	if (!strcmp(text, "wall")) {
		m->kind = METRIC_WALL;
		return;
	}
	m->kind = METRIC_NUMBER;
	err = regcomp(&m->regex, text, REG_EXTENDED);
	if (err) {
		regerror(err, &m->regex, reason, sizeof(reason));
		die(EXIT_USAGE, "--metric: '%s' is neither 'wall' nor a regular expression: %s", text, reason);
	}
	if (!m->regex.re_nsub)
		die(EXIT_USAGE, "--metric: '%s' has no group; put the number into parentheses: '([0-9.]+) GB/sec'", text);
}

void metric_close(struct metric *m)
{
	if (m->kind == METRIC_NUMBER)
		regfree(&m->regex);
}

void figures_begin(struct figures *f, const struct metric *m)
{
	*f = (struct figures){ .metric = m };
}

static struct figure *figure_of(struct figures *f, const char *row)
{
	for (size_t i = f->n; i-- > 0;)
		if (!strcmp(f->at[i].row, row))
			return &f->at[i];
	f->at = grow(f->at, f->n, &f->room, sizeof(*f->at));
	f->at[f->n] = (struct figure){ .value = NAN };
	snprintf(f->at[f->n].row, ROW_SIZE, "%s", row);
	return &f->at[f->n++];
}

static void add_result(struct figures *f, const char *text)
{
	json_t *record = json_loads(text, 0, NULL);
	struct figure *at;
	char row[ROW_SIZE];
	struct unit unit;
	double value;

	if (!record) {
		f->damaged = true;
		return;
	}
	if (result_is(record, "sample") && row_of_sample(record, row, &unit, &value)) {
		at = figure_of(f, row);
		f->damaged = f->damaged || (at->n && strcmp(at->unit.name, unit.name) != 0);
		at->unit = unit;
		at->samples = grow(at->samples, at->n, &at->room, sizeof(*at->samples));
		at->samples[at->n++] = value;
	}
	json_decref(record);
}

static void add_match(struct figures *f, const char *text)
{
	regmatch_t match[2];
	struct figure *at;
	const char *end;
	double value, factor;
	int flags = 0;

	while (!regexec(&f->metric->regex, text, 2, match, flags)) {
		if (match[1].rm_so >= 0 && read_figure(text + match[1].rm_so, &value, &end)) {
			at = figure_of(f, "metric");
			read_unit(end, &at->unit, &factor);
			at->value = value * factor;
		}
		/* Further on in the line; an empty match would stay where it is. */
		if (match[0].rm_eo == match[0].rm_so)
			return;
		text += match[0].rm_eo;
		flags = REG_NOTBOL;
	}
}

void figures_line(void *arg, enum stream from, char *text)
{
	struct figures *f = arg;

	if (from == STREAM_RESULTS)
		add_result(f, text);
	else if (f->metric->kind == METRIC_NUMBER)
		add_match(f, text);
}

static const char *finish(const struct metric *m, struct figure *at)
{
	if (at->n)
		at->value = median(at->samples, at->n);
	if (m->better != BETTER_UNKNOWN)
		at->unit.better = m->better;
	if (!(at->value > 0) || !isfinite(at->value))
		return "its figure is not a number above 0, so it can't be compared in per cent";
	return NULL;
}

const char *figures_end(struct figures *f, const struct outcome *outcome)
{
	static const char *const nothing[] = {
		[METRIC_RESULTS] = "it wrote no samples",
		[METRIC_NUMBER] = "--metric matches no number in its output",
	};

	if (f->metric->kind == METRIC_WALL) {
		struct figure *wall = figure_of(f, "wall");

		wall->value = outcome->seconds;
		wall->unit = (struct unit){ .name = "s", .better = BETTER_LOWER };
	}
	if (f->damaged)
		return "its results are damaged";
	if (!f->n)
		return nothing[f->metric->kind];
	for (size_t i = 0; i < f->n; i++) {
		const char *reason = finish(f->metric, &f->at[i]);

		if (reason)
			return reason;
	}
	return NULL;
}

void figures_free(struct figures *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->at[i].samples);
	free(f->at);
	*f = (struct figures){ 0 };
}
