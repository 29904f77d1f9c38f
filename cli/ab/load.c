/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load.c - stored results into data. Files of benchmarks are one side each, and every header in them begins a session; files
 * of live runs hold all sides, in blocks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ab.h"
#include "results.h"

/* Where in a file we are. */
struct place {
	struct data *d;
	const char *path, *label; /* of its own: files of benchmarks */
	size_t machine;
	unsigned long session; /* of benchmarks; of live runs: the number before the first block */
	bool live, headed;
	unsigned long figures, wrong;
};

static unsigned label_of(struct data *d, const char *label, const char *path)
{
	unsigned i = data_label(d, label);

	if (i == LABELS_MAX)
		die(EXIT_FAILED, "'%s': '%s' is one more than %d sides, which is the most that are compared", path, label,
		    LABELS_MAX);
	return i;
}

static void add(struct place *p, unsigned label, unsigned long session, const char *row, const struct unit *unit,
		double value)
{
	const struct unit *had;

	if (!(value > 0) || !isfinite(value)) {
		p->wrong++;
		return;
	}
	if (!data_add(&p->d->machines[p->machine], label, session, row, unit, value, &had))
		die(EXIT_FAILED, "'%s': mixed units: '%s' is in '%s'%s%s, and was in '%s'%s%s before", p->path, row,
		    unit->name, *better_name(unit->better) ? ", better " : "", better_name(unit->better), had->name,
		    *better_name(had->better) ? ", better " : "", better_name(had->better));
	p->figures++;
}

static void add_sample(struct place *p, const json_t *record)
{
	char row[ROW_SIZE];
	struct unit unit;
	double value;

	if (row_of_sample(record, row, &unit, &value))
		add(p, label_of(p->d, p->label, p->path), p->session, row, &unit, value);
}

static void add_run(struct place *p, const json_t *record)
{
	struct unit unit = { .better = better_named(result_text(record, "better", "")) };
	json_int_t block = result_whole(record, "block", 0);

	if (result_truth(record, "warmup") || block < 1)
		return;
	snprintf(unit.name, sizeof(unit.name), "%s", result_text(record, "unit", ""));
	add(p, label_of(p->d, result_text(record, "label", "?"), p->path), p->session + (unsigned long)block,
	    result_text(record, "row", "?"), &unit, result_real(record, "value", NAN));
}

/* On another machine a path may differ; whether the same is compared, only a person can tell. */
static void add_command(struct place *p, const json_t *record)
{
	const char *label = result_text(record, "label", "?"), *command = result_text(record, "command", "");
	unsigned i = label_of(p->d, label, p->path);

	if (!data_command(p->d, i, command))
		complain("'%s': '%s' is '%s' here, and '%s' in a file before: are these the same benchmark?", p->path, label,
			 command, p->d->commands[i]);
}

/* The session does not count: it failed, or it was run again. */
static void forget(struct place *p, const json_t *record)
{
	unsigned label = label_of(p->d, result_text(record, "label", "?"), p->path);
	struct machine *m = &p->d->machines[p->machine];

	data_forget(m, label, p->session + (unsigned long)result_whole(record, "block", 0));
	if (result_is(record, "failed"))
		m->failed[label]++;
}

static void begin(struct place *p, const json_t *header)
{
	bool live = !strcmp(result_text(header, "bench", ""), "ab");

	if (p->headed && live != p->live)
		die(EXIT_FAILED, "'%s' holds both benchmarks and live runs of ab, which can't be compared", p->path);
	p->headed = true;
	p->live = live;
	p->machine = data_machine(p->d, result_text(header, "host", "?"), result_text(header, "cpu", ""));
	if (!live) {
		p->session++;
		return;
	}
	p->d->machines[p->machine].blocks = true;
	/* A second run on a machine adds blocks. */
	p->session = data_last_session(&p->d->machines[p->machine]);
}

static void load(struct place *p)
{
	static const struct {
		const char *type;
		bool live;
		void (*take)(struct place *p, const json_t *record);
	} kinds[] = {
		{ "sample", false, add_sample }, { "command", true, add_command }, { "run", true, add_run },
		{ "failed", true, forget },	 { "again", true, forget },
	};
	struct results results;
	json_t *record;

	results_open(&results, p->path);
	while ((record = results_next(&results))) {
		if (result_is(record, "header"))
			begin(p, record);
		else if (!p->headed) /* its header is lost; what it measured is not */
			p->machine = data_machine(p->d, "?", "");
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			if (p->live == kinds[i].live && result_is(record, kinds[i].type))
				kinds[i].take(p, record);
		json_decref(record);
	}
	results_close(&results);
	if (p->wrong)
		complain("'%s': %lu figures are not above 0, and are left out", p->path, p->wrong);
}

void load_live_file(struct data *d, const char *path)
{
	struct place p = { .d = d, .path = path, .label = "?" };

	load(&p);
}

/* "NAME=FILE", unless there is a file of that whole name; else the file's name without its directory and ending. */
static const char *split(const char *argument, char *label, size_t size)
{
	const char *equals = strchr(argument, '='), *slash = strrchr(argument, '/');
	size_t len;

	if (equals && equals > argument && (!slash || slash > equals) && access(argument, F_OK) != 0) {
		snprintf(label, size, "%.*s", (int)(equals - argument), argument);
		return equals + 1;
	}
	snprintf(label, size, "%s", slash ? slash + 1 : argument);
	len = strlen(label);
	if (len > 6 && !strcmp(label + len - 6, ".jsonl"))
		label[len - 6] = '\0';
	return argument;
}

static bool is_live(const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	json_t *header;
	bool live;

	if (!f)
		return false;
	header = getline(&line, &size, f) > 0 ? json_loads(line, 0, NULL) : NULL;
	live = header && result_is(header, "header") && !strcmp(result_text(header, "bench", ""), "ab");
	json_decref(header);
	free(line);
	fclose(f);
	return live;
}

void load_files(struct data *d, char *const *files, size_t n)
{
	bool live = false, benches = false;
	unsigned long figures = 0;
	char label[128], other[128];

	for (size_t i = 0; i < n; i++)
		live = live || is_live(split(files[i], label, sizeof(label)));
	for (size_t i = 0; i < n; i++) {
		struct place p = { .d = d, .path = split(files[i], label, sizeof(label)), .label = label };

		for (size_t k = 0; k < i && !live; k++) {
			split(files[k], other, sizeof(other));
			if (!strcmp(label, other))
				die(EXIT_USAGE, "'%s': '%s' is called '%s' too; write NAME=FILE", files[i], files[k], label);
		}
		/* A machine that was lost loses no more than its table. */
		if (live && strcmp(p.path, "-") != 0 && access(p.path, R_OK)) {
			complain("'%s' can't be read, and is left out: %s", p.path, strerror(errno));
			continue;
		}
		load(&p);
		figures += p.figures;
		if (!p.figures && live)
			complain("'%s' holds no runs, and is left out", p.path);
		else if (!p.figures)
			die(EXIT_FAILED, "'%s' holds no samples: there is nothing to compare", p.path);
		else if (p.live)
			live = true;
		else
			benches = true;
	}
	if (!figures)
		die(EXIT_FAILED, "nothing is left to compare");
	if (live && benches)
		die(EXIT_FAILED, "files of benchmarks and of live runs of ab can't be compared with each other");
	if (!live && n < 2)
		die(EXIT_USAGE, "'%s' is one side; name the candidate's file too, or run both: --base CMD --cand NAME=CMD",
		    files[0]);
}
