/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live.c - the live run: blocks, in each a session of base and of every candidate in random order, in each session fresh
 * processes. A session that fails is kept as failed; the others go on.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ab.h"
#include "bench/bench.h"
#include "match.h"
#include "target.h"

struct live {
	const struct plan *plan;
	struct store *store;
	struct data *d;
	struct machine *machine;
	struct metric metric;
	struct target targets[LABELS_MAX];
	bool seen[LABELS_MAX]; /* it has given figures */
	bool resumed;
};

static void show_tail(const char *tail)
{
	const char *from = tail;
	unsigned lines = 0;

	/* The last few lines of it. */
	for (const char *at = tail + strlen(tail); at > tail && lines < 10; at--)
		if (at[-1] == '\n' && ++lines == 10)
			from = at;
	while (*from) {
		int len = (int)strcspn(from, "\n");

		fprintf(stderr, "  | %.*s\n", len, from);
		from += len + (from[len] != '\0');
	}
}

static const char *how_it_ended(int status, char *text, size_t size)
{
	if (status > 128)
		snprintf(text, size, "it was ended by signal %d (%s)", status - 128, strsignal(status - 128));
	else
		snprintf(text, size, "it ended with status %d", status);
	return text;
}

/* A file without a single figure would only be in the way of the next try. */
static void discard(const struct live *l)
{
	struct stat about;

	for (unsigned i = 0; i < l->plan->n; i++)
		if (l->seen[i])
			return;
	if (!l->resumed && !stat(l->store->path, &about) && S_ISREG(about.st_mode))
		unlink(l->store->path);
}

static bool cannot_run(const struct outcome *outcome)
{
	return outcome->status == 126 || outcome->status == 127;
}

static void session_failed(struct live *l, const struct turn *t, const struct outcome *outcome, const char *reason)
{
	store_failed(l->store, l->plan, t, outcome, reason);
	data_forget(l->machine, t->label, t->block);
	l->machine->failed[t->label]++;
	complain("'%s' failed in block %u: %s%s", l->plan->labels[t->label], t->block, reason,
		 *outcome->tail ? "; the end of what it said:" : "");
	show_tail(outcome->tail);
}

static void failed(struct live *l, const struct turn *t, const struct outcome *outcome, const char *reason)
{
	const char *label = l->plan->labels[t->label];
	bool missing = cannot_run(outcome);
	bool hopeless = missing || (!outcome->status && !l->seen[t->label]);

	session_failed(l, t, outcome, reason);
	/* It would be the same in every session. */
	if (hopeless)
		discard(l);
	if (missing)
		die(EXIT_FAILED, "'%s' can't be run: '%s'", label, l->plan->commands[t->label]);
	if (hopeless && l->metric.kind == METRIC_NUMBER)
		die(EXIT_FAILED, "--metric: '%s' gives no figure for '%s'; compare it with the output", l->metric.text,
		    label);
	if (hopeless)
		die(EXIT_FAILED, "'%s' gives no figures: '%s'", label, l->plan->commands[t->label]);
}

/* The first figures of each show whether they can be judged at all. */
static void check_first(const struct live *l, const struct turn *t, const struct figure *f)
{
	if (f->unit.better == BETTER_UNKNOWN) {
		discard(l);
		die(EXIT_USAGE,
		    "--metric: after its number stands '%s', which does not tell which way is better; add --lower-is-better "
		    "or --higher-is-better",
		    f->unit.name);
	}
	for (size_t i = 0; i < l->machine->n; i++) {
		const struct series *s = &l->machine->series[i];

		if (!strcmp(s->row, f->row) && strcmp(s->unit.name, f->unit.name) != 0)
			die(EXIT_FAILED, "mixed units: '%s' is in '%s' in '%s' and in '%s' in '%s'", f->row, s->unit.name,
			    l->plan->labels[s->label], f->unit.name, l->plan->labels[t->label]);
	}
}

/* Into the file, and into memory unless it was a warm-up. NULL, or what is wrong. */
static const char *keep(struct live *l, const struct turn *t, unsigned repeat, bool warmup, const struct figures *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct unit *had;

		store_run(l->store, l->plan, t, repeat, warmup, &f->at[i]);
		if (!warmup && !data_add(l->machine, t->label, t->block, f->at[i].row, &f->at[i].unit, f->at[i].value, &had))
			return "its figure has another unit than before";
	}
	return NULL;
}

enum ended { RUN_GOOD, RUN_FAILED, RUN_STOPPED };

static enum ended run_once(struct live *l, const struct turn *t, unsigned repeat, bool warmup)
{
	const char *reason = NULL;
	struct outcome outcome;
	struct figures f;
	char text[96];

	figures_begin(&f, &l->metric);
	command_run(&l->targets[t->label].line, figures_line, &f, &outcome);
	if (!outcome.stopped) {
		reason = outcome.status ? how_it_ended(outcome.status, text, sizeof(text)) : figures_end(&f, &outcome);
		if (!reason) {
			for (size_t i = 0; i < f.n && !l->seen[t->label]; i++)
				check_first(l, t, &f.at[i]);
			l->seen[t->label] = true;
			reason = keep(l, t, repeat, warmup, &f);
		}
		if (reason)
			failed(l, t, &outcome, reason);
	}
	figures_free(&f);
	if (outcome.stopped)
		return RUN_STOPPED;
	return reason ? RUN_FAILED : RUN_GOOD;
}

static void no_line(void *arg, enum stream from, char *text)
{
	(void)arg;
	(void)from;
	(void)text;
}

static enum ended prepare(struct live *l, const struct turn *t)
{
	char *const words[] = { (char[]){ "/bin/sh" }, (char[]){ "-c" }, l->plan->prepare, NULL };
	const struct command_line line = { .words = words, .pin = -1, .label = l->plan->labels[t->label] };
	struct outcome outcome;
	char text[96], reason[128];

	command_run(&line, no_line, NULL, &outcome);
	if (outcome.stopped)
		return RUN_STOPPED;
	if (!outcome.status)
		return RUN_GOOD;
	snprintf(reason, sizeof(reason), "--prepare: %s", how_it_ended(outcome.status, text, sizeof(text)));
	session_failed(l, t, &outcome, reason);
	if (cannot_run(&outcome)) {
		discard(l);
		die(EXIT_FAILED, "--prepare: '%s' can't be run", l->plan->prepare);
	}
	return RUN_FAILED;
}

/* False where we were interrupted. */
static bool run_session(struct live *l, const struct turn *t)
{
	unsigned warmup = l->plan->warmup;
	enum ended ended = l->plan->prepare ? prepare(l, t) : RUN_GOOD;

	for (unsigned i = 0; i < warmup + l->plan->repeats && ended == RUN_GOOD; i++)
		ended = run_once(l, t, i < warmup ? i + 1 : i - warmup + 1, i < warmup);
	if (ended == RUN_GOOD)
		store_session(l->store, l->plan, t, "session");
	return ended != RUN_STOPPED;
}

/* That different benchmarks can't be compared should not come out after a night of running them. */
static void check_rows(const struct live *l)
{
	const struct series **with;

	for (unsigned label = 1; label < l->plan->n; label++) {
		if (!l->seen[0] || !l->seen[label])
			continue;
		with = calloc(l->machine->n, sizeof(const struct series *));
		if (!with)
			die(EXIT_FAILED, "out of memory");
		match_rows(l->d, l->machine, label, with, true);
		free((void *)(uintptr_t)with);
	}
}

/* The same for a block of a seed, wherever the run goes on from. */
static void order_of(const struct plan *p, unsigned block, unsigned *order)
{
	struct random random = { p->seed };

	random.state = random_next(&random) + block;
	random_next(&random);
	for (unsigned i = 0; i < p->n; i++)
		order[i] = i;
	shuffle(&random, order, p->n);
}

static unsigned run_blocks(struct live *l, const unsigned char *turns)
{
	const struct plan *p = l->plan;
	unsigned order[LABELS_MAX], done = 0;
	char what[96];

	for (unsigned block = 1; block <= p->sessions && !interrupted; block++) {
		order_of(p, block, order);
		for (unsigned i = 0; i < p->n && !interrupted; i++) {
			struct turn t = { order[i], block, i + 1 };
			unsigned char how = turns ? turns[(size_t)(block - 1) * LABELS_MAX + t.label] : TURN_NONE;

			if (how == TURN_DONE) {
				done++;
				continue;
			}
			if (how == TURN_BEGUN) {
				store_session(l->store, p, &t, "again");
				data_forget(l->machine, t.label, t.block);
			}
			snprintf(what, sizeof(what), "block %u of %u: %s", block, p->sessions, p->labels[t.label]);
			progress((block - 1) * p->n + i, p->sessions * p->n, what);
			done += run_session(l, &t);
		}
		if (block == 1)
			check_rows(l);
	}
	progress_clear();
	return done;
}

unsigned live_run(const struct plan *p, const unsigned char *turns, struct store *store, struct data *d)
{
	struct live l = { .plan = p, .store = store, .d = d, .resumed = turns };
	struct record r;
	unsigned done;
	size_t at, before = d->n;

	record_begin(&r, "header");
	record_machine(&r, 0, NULL, 0);
	at = data_machine(d, record_find(&r, "host")->as.text, record_find(&r, "cpu")->as.text);
	if (turns && at == before)
		die(EXIT_USAGE, "--resume: '%s' was begun on another machine: %s, %s; go on there, or begin another run",
		    store->path, d->machines[0].host, d->machines[0].cpu);
	l.machine = &d->machines[at];
	record_end(&r);
	l.machine->blocks = true;
	metric_open(&l.metric, p->metric, p->better);
	for (unsigned i = 0; i < p->n; i++) {
		data_command(d, data_label(d, p->labels[i]), p->commands[i]);
		target_open(&l.targets[i], p->commands[i], l.metric.kind == METRIC_RESULTS, p->pin);
	}
	catch_interrupts();
	done = run_blocks(&l, turns);
	for (unsigned i = 0; i < p->n; i++)
		target_close(&l.targets[i]);
	metric_close(&l.metric);
	return done;
}
