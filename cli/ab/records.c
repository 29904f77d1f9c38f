/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * records.c - comparisons as records, for JSON Lines, CSV and the report.
 */
#include "ab.h"

const char *const verdict_marks[4] = { "R", "I", "~", "?" };

static void comparison(const struct comparisons *c, const struct table *t, const struct row *row, unsigned label,
		       struct record *r)
{
	const struct change *cell = &row->changes[label];
	const struct effect *e = &cell->effect;
	double low, high;

	record_begin(r, "comparison");
	record_text(r, "bench", "ab");
	record_text(r, "host", t->machine->host);
	record_text(r, "cpu", t->machine->cpu);
	record_text(r, "row", row->name);
	record_text(r, "common", t->common);
	record_text(r, "id", row->id);
	record_text(r, "candidate_id", cell->id);
	record_text(r, "base_label", c->data->labels[0]);
	record_text(r, "label", c->data->labels[label]);
	record_real(r, "base", row->base);
	record_text(r, "unit", row->unit.name);
	record_text(r, "better", better_name(row->unit.better));
	record_truth(r, "paired", e->paired);
	record_whole(r, "sessions", (int64_t)e->n_cand);
	record_whole(r, "base_sessions", (int64_t)e->n_base);
	record_real(r, "change_percent", percent(e->mean));
	record_real(r, "sd_percent", percent(effect_sd(e)));
	effect_interval(e, 0.95, &low, &high);
	record_real(r, "low_percent", percent(low));
	record_real(r, "high_percent", percent(high));
	effect_interval(e, 0.90, &low, &high);
	record_real(r, "low90_percent", percent(low));
	record_real(r, "high90_percent", percent(high));
	record_real(r, "threshold_percent", 100 * c->threshold);
	record_real(r, "df", e->df);
	record_real(r, "p", e->p);
	record_real(r, "p_holm", cell->p_holm);
	record_whole(r, "comparisons", (int64_t)t->family);
	record_real(r, "wilcoxon_p", e->wilcoxon_p);
	record_truth(r, "wilcoxon_can_reject", cell->can_reject);
	record_text(r, "verdict", verdict_marks[cell->verdict]);
	record_whole(r, "needed", (int64_t)cell->needed);
}

static void summary(const struct comparisons *c, const struct fleet *f, struct record *r)
{
	record_begin(r, "summary");
	record_text(r, "bench", "ab");
	record_text(r, "row", f->row->name);
	record_text(r, "id", f->row->id);
	record_text(r, "label", c->data->labels[f->label]);
	record_text(r, "better", better_name(f->row->unit.better));
	record_whole(r, "machines", (int64_t)f->machines);
	record_real(r, "change_percent", percent(f->mean));
	record_real(r, "low_percent", percent(f->low));
	record_real(r, "high_percent", percent(f->high));
	record_real(r, "least_percent", percent(f->least));
	record_real(r, "most_percent", percent(f->most));
	record_whole(r, "regressions", (int64_t)f->marks[VERDICT_REGRESSION]);
	record_whole(r, "improvements", (int64_t)f->marks[VERDICT_IMPROVEMENT]);
	record_whole(r, "same", (int64_t)f->marks[VERDICT_SAME]);
	record_whole(r, "unsure", (int64_t)f->marks[VERDICT_UNSURE]);
}

void comparison_records(const struct comparisons *c, void (*take)(void *arg, const struct record *r), void *arg)
{
	struct record r;

	for (size_t t = 0; t < c->n; t++) {
		for (size_t i = 0; i < c->tables[t].n; i++) {
			for (unsigned label = 1; label < c->data->n_labels; label++) {
				if (!c->tables[t].rows[i].changes[label].have)
					continue;
				comparison(c, &c->tables[t], &c->tables[t].rows[i], label, &r);
				take(arg, &r);
				record_end(&r);
			}
		}
	}
	for (size_t f = 0; f < c->n_fleet; f++) {
		summary(c, &c->fleet[f], &r);
		take(arg, &r);
		record_end(&r);
	}
}
