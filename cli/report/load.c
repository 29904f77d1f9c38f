/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load.c - files of results into a report: which run and which machine a record belongs to, and who takes it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../cli.h"
#include "../results.h"
#include "report.h"

/* Both say the same, or one of them nothing. */
static bool agree(const char *a, const char *b, bool *both)
{
	*both |= *a && !strcmp(a, b);
	return !*a || !*b || !strcmp(a, b);
}

/*
 * A host that runs another kernel is another machine: that is what its owner wants to compare. Some records say less than
 * others: those of bench/peers name no host, a comparison nothing else.
 */
static bool same_machine(const struct machine *m, const struct machine *other)
{
	bool both = !*m->host && !*m->cpu && !*m->kernel && !*other->host && !*other->cpu && !*other->kernel;

	return agree(m->host, other->host, &both) && agree(m->cpu, other->cpu, &both) &&
	       agree(m->kernel, other->kernel, &both) && both;
}

static size_t machine_get(struct report *r, json_t *header)
{
	struct machine wanted = { .host = result_text(header, "host", ""),
				  .cpu = result_text(header, "cpu", ""),
				  .kernel = result_text(header, "kernel", "") };

	wanted.header = header ? json_incref(header) : NULL;
	for (size_t i = 0; i < r->n_machines; i++) {
		struct machine *m = &r->machines[i];

		if (!same_machine(m, &wanted))
			continue;
		if ((*wanted.host && !*m->host) || (*wanted.cpu && !*m->cpu)) {
			wanted.caches = m->caches;
			json_decref(m->header);
			*m = wanted;
		} else {
			json_decref(wanted.header);
		}
		return i;
	}
	r->machines = grow(r->machines, r->n_machines, &r->machines_room, sizeof(*r->machines));
	r->machines[r->n_machines] = wanted;
	return r->n_machines++;
}

static void run_begin(struct report *r, json_t *header)
{
	r->runs = grow(r->runs, r->n_runs, &r->runs_room, sizeof(*r->runs));
	r->runs[r->n_runs] = (struct run){ .file = r->file->path,
					   .header = header ? json_incref(header) : NULL,
					   .machine = machine_get(r, header) };
	r->run = r->n_runs++;
}

static enum taken take_header(struct report *r, json_t *record)
{
	r->full = r->n_runs >= RUNS_MAX;
	if (r->full)
		return SURPLUS;
	run_begin(r, record);
	return PASSED;
}

static enum taken keep(struct report *r, struct rows *rows, size_t machine, json_t *record)
{
	(void)r;
	return rows_add(rows, machine, record) ? TAKEN : SURPLUS;
}

/* But for the last digits, which writing and reading again may change. */
static bool close_to(const json_t *a, const json_t *b, const char *key)
{
	double x = result_real(a, key, 0), y = result_real(b, key, 0);

	return fabs(x - y) <= 1e-6 * fabs(x) + 1e-9;
}

/* Files that were compared more than once hold the same comparison more than once. */
static bool same_comparison(const json_t *a, const json_t *b)
{
	static const char *const texts[] = { "row", "label", "base_label" };
	bool same = close_to(a, b, "change_percent") && close_to(a, b, "low_percent");

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && same; i++)
		same = !strcmp(result_text(a, texts[i], ""), result_text(b, texts[i], ""));
	return same;
}

static enum taken keep_once(struct report *r, struct rows *rows, size_t machine, json_t *record)
{
	for (size_t i = 0; i < rows->n; i++)
		if (rows->at[i].machine == machine && same_comparison(rows->at[i].record, record))
			return PASSED;
	return keep(r, rows, machine, record);
}

static enum taken take_cell(struct report *r, json_t *record)
{
	if (!(result_real(record, "size", 0) >= 1))
		return UNUSABLE;
	return keep(r, &r->cells, r->run, record);
}

static enum taken take_policy(struct report *r, json_t *record)
{
	if (!json_object_get(record, "policy"))
		return take_summary(r, record);
	return keep(r, &r->policies, r->run, record);
}

static enum taken take_latency(struct report *r, json_t *record)
{
	if (!(result_real(record, "p50_ns", -1) >= 0))
		return UNUSABLE;
	return keep(r, &r->latencies, r->runs[r->run].machine, record);
}

static enum taken take_comparison(struct report *r, json_t *record)
{
	if (!json_is_number(json_object_get(record, "change_percent")))
		return UNUSABLE;
	/* Compared here, perhaps, but measured elsewhere. */
	return keep_once(r, &r->comparisons,
			 *result_text(record, "host", "") ? machine_get(r, record) : r->runs[r->run].machine, record);
}

/* What `ab` says of a row over several machines. */
static enum taken take_fleet(struct report *r, json_t *record)
{
	if (!json_is_number(json_object_get(record, "change_percent")) || result_whole(record, "machines", 0) < 2)
		return take_summary(r, record);
	return keep_once(r, &r->fleet, 0, record);
}

static enum taken take_failed(struct report *r, json_t *record)
{
	(void)record;
	r->runs[r->run].failed++;
	return PASSED;
}

static enum taken take_cache(struct report *r, json_t *record)
{
	struct machine *m = &r->machines[r->runs[r->run].machine];
	double size = result_real(record, "measured", 0);
	char *caches;

	if (!(size >= 1))
		return PASSED;
	/* Of several `info` files the first. */
	if (m->caches && strstr(m->caches, result_text(record, "level", "?")))
		return PASSED;
	caches = text_of("%s%s%.16s %s", m->caches ? m->caches : "", m->caches ? ", " : "",
			 result_text(record, "level", "?"), show_size(size));
	free(m->caches);
	m->caches = caches;
	return PASSED;
}

/* Known, and of no use here: what it says is in other records, or of interest to programs alone. */
static enum taken pass(struct report *r, json_t *record)
{
	(void)r;
	(void)record;
	return PASSED;
}

/* The first row that fits; a NULL fits all. */
static const struct {
	const char *type, *bench;
	take *take;
} takers[] = {
	{ "header", NULL, take_header },
	{ "sample", "regret", pass }, /* its cells say it */
	{ "sample", "around", pass }, /* its summaries say it */
	{ "sample", "small", pass },  /* its summaries say it */
	{ "sample", "recycle", pass },  /* its summaries say it */
	{ "sample", "parallel", pass }, /* its summaries say it */
	{ "sample", "populate", pass }, /* its summaries say it */
	{ "sample", "mem/memset", take_mem },
	{ "sample", "mem/memcpy", take_mem },
	{ "sample", "mem/mmap", take_mem },
	{ "sample", "peers", take_peer },
	{ "sample", NULL, take_sample },
	{ "cell", NULL, take_cell },
	{ "summary", "regret", take_policy },
	{ "summary", "around", take_around },
	{ "summary", "small", take_small },
	{ "summary", "recycle", take_recycle },
	{ "summary", "parallel", take_ways },
	{ "summary", "populate", take_ways },
	{ "summary", "ab", take_fleet },
	{ "summary", NULL, take_summary },
	{ "latency", NULL, take_latency },
	{ "bucket", NULL, take_bucket },
	{ "comparison", NULL, take_comparison },
	{ "failed", NULL, take_failed },
	{ "cache", NULL, take_cache },
	{ NULL, "ab", pass },
	{ "hugepages", NULL, pass },
	{ "routine", NULL, pass },
	{ "choice", NULL, pass },
	{ "profile", NULL, pass },
	{ "probe", NULL, pass },
	{ "skipped", NULL, pass },
	{ "warmup", NULL, pass },
};

static void unknown(struct file *file, const char *type)
{
	if (!file->unknown++)
		snprintf(file->unknown_type, sizeof(file->unknown_type), "%.20s%s", type, strlen(type) > 20 ? "..." : "");
}

static void dispatch(struct report *r, json_t *record)
{
	const char *bench = result_text(record, "bench", "");
	enum taken taken;

	for (size_t i = 0; i < sizeof(takers) / sizeof(takers[0]); i++) {
		if ((takers[i].type && !result_is(record, takers[i].type)) ||
		    (takers[i].bench && strcmp(bench, takers[i].bench) != 0))
			continue;
		if (takers[i].take != take_header && r->full) {
			r->file->surplus++;
			return;
		}
		if (takers[i].take != take_header && r->run >= r->n_runs)
			run_begin(r, NULL);
		taken = takers[i].take(r, record);
		r->results += taken == TAKEN;
		r->file->unusable += taken == UNUSABLE;
		r->file->surplus += taken == SURPLUS;
		if (r->run < r->n_runs)
			r->runs[r->run].records++;
		return;
	}
	unknown(r->file, result_text(record, "type", ""));
}

static void load(struct report *r, const char *path)
{
	struct results results;
	json_t *record;

	results_open(&results, path);
	/* A file that lacks its header is no part of the file before it. */
	r->run = SIZE_MAX;
	r->full = r->n_runs >= RUNS_MAX;
	while ((record = results_next(&results))) {
		dispatch(r, record);
		json_decref(record);
		if (results.records % 1024 == 0)
			progress((double)(r->file - r->files), (double)r->n_files, "reading results");
	}
	r->file->damaged = results.damaged;
	if (r->file->unusable + r->file->surplus + r->file->unknown)
		complain("'%s': %lu records are of no use here and left out; the page's notes say why", path,
			 r->file->unusable + r->file->surplus + r->file->unknown);
	r->file->records = results_close(&results);
}

void report_load(struct report *r, char **paths, size_t n)
{
	unsigned long records = 0;

	r->files = calloc(n, sizeof(*r->files));
	if (!r->files)
		die(EXIT_FAILED, "out of memory");
	r->n_files = n;
	for (size_t i = 0; i < n; i++) {
		r->file = &r->files[i];
		r->file->path = strcmp(paths[i], "-") ? paths[i] : "standard input";
		load(r, paths[i]);
		records += r->file->records;
	}
	progress_clear();
	if (!records)
		die(EXIT_FAILED, "'%s'%s: no whole record is left; there is nothing to report", paths[0],
		    n > 1 ? " and the other files" : "");
	if (!r->results)
		die(EXIT_FAILED,
		    "'%s'%s: none of the %lu records is a result that a report shows; run a benchmark with --output FILE",
		    paths[0], n > 1 ? " and the other files" : "", records);
	store_settle(r);
}
