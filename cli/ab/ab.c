/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ab.c - `ab`: compares a base with candidates, by running them or from stored results; shows it, and says it by its exit
 * status.
 */
#define _GNU_SOURCE
#include "ab.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "options.h"
#include "target.h"

#define EXIT_UNSURE 3

static void check_pin(int cpu)
{
	cpu_set_t set;

	if (cpu >= 0 && (sched_getaffinity(0, sizeof(set), &set) || !CPU_ISSET(cpu, &set)))
		die(EXIT_FAILED, "--pin: CPU %d can't be used: it is not among this process's CPUs", cpu);
}

/* Our benchmarks give figures of their own; of all else the time is taken, unless we are told what to look for. */
static void choose_metric(struct plan *p)
{
	struct metric m;
	bool ours = true;

	for (unsigned i = 0; i < p->n; i++)
		ours = target_is_ours(p->commands[i]) && ours;
	if (!p->metric && !ours)
		p->metric = copy_text("wall");
	/* Before anything runs. */
	metric_open(&m, p->metric, p->better);
	metric_close(&m);
}

static void default_path(char *path, size_t size)
{
	time_t now = time(NULL);
	struct utsname os;
	char date[32];
	struct tm utc;

	uname(&os);
	strftime(date, sizeof(date), "%Y%m%dT%H%M%SZ", gmtime_r(&now, &utc));
	snprintf(path, size, "ab-%s-%s.jsonl", os.nodename, date);
}

static void into_store(void *store, const struct record *r)
{
	store_record(store, r);
}

static void into_output(void *out, const struct record *r)
{
	output_record(out, r);
}

/* The records: on standard output where that is the format, and into the file of --output beside the tables. */
static void show(const struct options *o, const struct comparisons *c, const char *path, int argc, char **argv)
{
	struct output out;
	struct record r;

	output_open(&out, o->format == FORMAT_JSON, path);
	if (out.json) {
		record_begin(&r, "header");
		record_text(&r, "bench", "comparisons");
		record_machine(&r, argc, argv, o->plan.seed);
		output_record(&out, &r);
		record_end(&r);
		comparison_records(c, into_output, &out);
	}
	if (o->format != FORMAT_JSON)
		print_tables(c, o->format);
	output_close(&out);
}

static int gate(const struct options *o, const struct comparisons *c)
{
	bool found[4] = { false };

	for (size_t t = 0; t < c->n; t++)
		for (size_t i = 0; i < c->tables[t].n; i++)
			for (unsigned k = 1; k < c->data->n_labels; k++)
				if (c->tables[t].rows[i].changes[k].have)
					found[c->tables[t].rows[i].changes[k].verdict] = true;
	if (o->fail_regression && found[VERDICT_REGRESSION])
		return EXIT_FAILED;
	return o->fail_unsure && found[VERDICT_UNSURE] ? EXIT_UNSURE : EXIT_OK;
}

static int finish(const struct options *o, struct data *d, struct store *store, const char *path, int argc, char **argv)
{
	struct comparisons c;
	int status;

	compare(&c, d, o->threshold, o->plan.better);
	if (store) {
		comparison_records(&c, into_store, store);
		store_close(store);
	}
	show(o, &c, path, argc, argv);
	status = gate(o, &c);
	comparisons_free(&c);
	data_free(d);
	return status;
}

/* To the end, or until we are interrupted: then false. */
static bool run(const struct plan *p, const unsigned char *turns, struct store *store, struct data *d)
{
	unsigned done = live_run(p, turns, store, d), all = p->sessions * p->n;

	if (done == all)
		return true;
	store_close(store);
	complain("interrupted: %u of %u sessions are done and kept; go on with: clearpages ab --resume %s", done, all,
		 store->path);
	return false;
}

static int run_new(struct options *o, int argc, char **argv)
{
	struct data d = { 0 };
	char path[512];
	struct store store;

	if (!o->plan.n || strcmp(o->plan.labels[0], "base") != 0)
		die(EXIT_USAGE,
		    "what is to be compared? --base CMD --cand NAME=CMD, or two files of results; see '%s --help'", argv[0]);
	if (o->plan.n < 2)
		die(EXIT_USAGE, "--base: '%s' has nothing to be compared with; add --cand NAME=CMD", o->plan.commands[0]);
	check_pin(o->plan.pin);
	choose_metric(&o->plan);
	default_path(path, sizeof(path));
	store_create(&store, o->output ? o->output : path, &o->plan, argc, argv);
	if (!o->output)
		fprintf(stderr, "clearpages: runs are stored in %s\n", path);
	if (!run(&o->plan, NULL, &store, &d))
		return EXIT_INTERRUPTED;
	return finish(o, &d, &store, NULL, argc, argv);
}

static int run_on(struct options *o, int argc, char **argv)
{
	struct data d = { 0 };
	struct stored stored;
	struct store store;
	int status;

	if (o->output)
		die(EXIT_USAGE, "--output: '%s': a run goes on in the file that it was begun in; leave it out", o->output);
	store_read(o->resume, &stored);
	options_check_same(o, &stored.plan);
	check_pin(stored.plan.pin);
	load_live_file(&d, o->resume);
	store_append(&store, o->resume);
	if (!run(&stored.plan, stored.turns, &store, &d)) {
		status = EXIT_INTERRUPTED;
	} else if (stored.compared) {
		/* It was complete: the comparisons are in it already. */
		store_close(&store);
		status = finish(o, &d, NULL, NULL, argc, argv);
	} else {
		status = finish(o, &d, &store, NULL, argc, argv);
	}
	free(stored.turns);
	plan_free(&stored.plan);
	return status;
}

static int run_files(struct options *o, int argc, char **argv)
{
	struct data d = { 0 };

	options_refuse_live(o);
	load_files(&d, o->files, o->n_files);
	return finish(o, &d, NULL, o->output, argc, argv);
}
int cmd_ab(int argc, char **argv)
{
	struct options o;
	int status;

	options_parse(&o, argc, argv);
	if (o.n_files)
		status = run_files(&o, argc, argv);
	else if (o.resume)
		status = run_on(&o, argc, argv);
	else
		status = run_new(&o, argc, argv);
	plan_free(&o.plan);
	free(o.files);
	return status;
}
