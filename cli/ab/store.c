/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store.c - the file of a live run: nothing that was measured is lost, whatever happens, and a run can go on from it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ab.h"
#include "plan.h"
#include "results.h"

void plan_free(struct plan *p)
{
	for (unsigned i = 0; i < p->n; i++) {
		free(p->labels[i]);
		free(p->commands[i]);
	}
	free(p->metric);
	free(p->prepare);
}

void store_record(struct store *s, const struct record *r)
{
	json_line(s->file, r);
	if (fflush(s->file) || ferror(s->file))
		die(EXIT_FAILED, "'%s': writing failed: %s; what was written before is kept", s->path, strerror(errno));
}

static void begin(struct record *r, const char *type, const struct plan *p, unsigned label)
{
	record_begin(r, type);
	record_text(r, "bench", "ab");
	record_text(r, "label", p->labels[label]);
}

void store_create(struct store *s, const char *path, const struct plan *p, int argc, char **argv)
{
	struct stat about;
	struct record r;

	/* A night's work must not go by a slip. */
	if (!stat(path, &about) && S_ISREG(about.st_mode) && about.st_size)
		die(EXIT_FAILED, "--output: '%s' is there already; go on from it with --resume, or name another file", path);
	*s = (struct store){ path, fopen(path, "we") };
	if (!s->file)
		die(EXIT_FAILED, "--output: '%s' can't be written: %s", path, strerror(errno));
	record_begin(&r, "header");
	record_text(&r, "bench", "ab");
	record_machine(&r, argc, argv, p->seed);
	record_whole(&r, "labels", p->n);
	record_whole(&r, "sessions", p->sessions);
	record_whole(&r, "repeats", p->repeats);
	record_whole(&r, "warmup", p->warmup);
	record_whole(&r, "pin", p->pin);
	record_text(&r, "metric", p->metric ? p->metric : "");
	record_text(&r, "better", better_name(p->better));
	if (p->prepare)
		record_text(&r, "prepare", p->prepare);
	store_record(s, &r);
	record_end(&r);
	for (unsigned i = 0; i < p->n; i++) {
		begin(&r, "command", p, i);
		record_text(&r, "command", p->commands[i]);
		store_record(s, &r);
		record_end(&r);
	}
}

void store_append(struct store *s, const char *path)
{
	*s = (struct store){ path, fopen(path, "r+e") };
	if (!s->file)
		die(EXIT_FAILED, "--resume: '%s' can't be written: %s", path, strerror(errno));
	/* A line that was cut off stays one by itself. */
	if (!fseek(s->file, -1, SEEK_END) && fgetc(s->file) != '\n') {
		fseek(s->file, 0, SEEK_END);
		fputc('\n', s->file);
	}
	fseek(s->file, 0, SEEK_END);
}

static void turn(struct record *r, const struct turn *t)
{
	record_whole(r, "block", t->block);
	record_whole(r, "position", t->position);
}

void store_run(struct store *s, const struct plan *p, const struct turn *t, unsigned repeat, bool warmup,
	       const struct figure *figure)
{
	struct record r;

	begin(&r, "run", p, t->label);
	turn(&r, t);
	record_whole(&r, "repeat", repeat);
	record_truth(&r, "warmup", warmup);
	record_text(&r, "row", figure->row);
	record_real(&r, "value", figure->value);
	record_text(&r, "unit", figure->unit.name);
	record_text(&r, "better", better_name(figure->unit.better));
	store_record(s, &r);
	record_end(&r);
}

void store_failed(struct store *s, const struct plan *p, const struct turn *t, const struct outcome *outcome,
		  const char *reason)
{
	struct record r;

	begin(&r, "failed", p, t->label);
	turn(&r, t);
	record_whole(&r, "status", outcome->status);
	record_text(&r, "reason", reason);
	record_text(&r, "tail", outcome->tail);
	store_record(s, &r);
	record_end(&r);
}

void store_session(struct store *s, const struct plan *p, const struct turn *t, const char *type)
{
	struct record r;

	begin(&r, type, p, t->label);
	turn(&r, t);
	store_record(s, &r);
	record_end(&r);
}

void store_close(struct store *s)
{
	if (fclose(s->file))
		die(EXIT_FAILED, "'%s': writing failed: %s", s->path, strerror(errno));
}

static unsigned count(const json_t *record, const char *key, unsigned most)
{
	json_int_t n = result_whole(record, key, 0);

	return n < 0 || n > most ? 0 : (unsigned)n;
}

static void read_header(struct stored *stored, const json_t *header)
{
	struct plan *p = &stored->plan;
	const char *metric = result_text(header, "metric", ""), *prepare = result_text(header, "prepare", "");

	p->sessions = count(header, "sessions", SESSIONS_MAX);
	p->repeats = count(header, "repeats", REPEATS_MAX);
	p->warmup = count(header, "warmup", REPEATS_MAX);
	p->pin = (int)result_whole(header, "pin", -1);
	p->seed = (uint64_t)result_whole(header, "seed", 0);
	p->metric = *metric ? copy_text(metric) : NULL;
	p->better = better_named(result_text(header, "better", ""));
	p->prepare = *prepare ? copy_text(prepare) : NULL;
	stored->turns = calloc((size_t)p->sessions * LABELS_MAX + 1, 1);
	if (!stored->turns)
		die(EXIT_FAILED, "out of memory");
}

static void mark(struct stored *stored, const json_t *record, enum progress_of progress)
{
	const struct plan *p = &stored->plan;
	unsigned block = count(record, "block", p->sessions), label = 0;

	while (label < p->n && strcmp(p->labels[label], result_text(record, "label", "")) != 0)
		label++;
	if (block && label < p->n)
		stored->turns[(size_t)(block - 1) * LABELS_MAX + label] = (unsigned char)progress;
}

void store_read(const char *path, struct stored *stored)
{
	static const struct {
		const char *type;
		enum progress_of progress;
	} turns[] = { { "run", TURN_BEGUN }, { "again", TURN_NONE }, { "session", TURN_DONE }, { "failed", TURN_DONE } };
	struct plan *p = &stored->plan;
	struct results results;
	json_t *record;
	unsigned labels = 0, headers = 0;

	*stored = (struct stored){ 0 };
	results_open(&results, path);
	while ((record = results_next(&results))) {
		if (result_is(record, "header") && !strcmp(result_text(record, "bench", ""), "ab") && !headers++) {
			read_header(stored, record);
			labels = count(record, "labels", LABELS_MAX);
		} else if (result_is(record, "command") && p->n < labels) {
			p->labels[p->n] = copy_text(result_text(record, "label", ""));
			p->commands[p->n++] = copy_text(result_text(record, "command", ""));
		}
		for (size_t i = 0; i < sizeof(turns) / sizeof(turns[0]); i++)
			if (result_is(record, turns[i].type))
				mark(stored, record, turns[i].progress);
		stored->compared = stored->compared || result_is(record, "comparison");
		json_decref(record);
	}
	results_close(&results);
	if (headers != 1 || p->n < 2 || p->n != labels || p->sessions < 2 || !p->repeats)
		die(EXIT_FAILED, "--resume: '%s' is not the whole file of one live run of ab", path);
}
