/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench.c - `kernel bench`: cycles per page in kernel context, through the module's file in debugfs; routines interleaved.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../bench/bench.h"
#include "kernel.h"

#define ORDER_MOST 10
#define BLOCKS_MOST 4096
#define REPETITIONS_MOST 100000
#define EXTENT_MOST ((uint64_t)1 << 30)

struct options {
	const char *ops, *orders, *output;
	unsigned blocks, repetitions, rounds;
	bool cached, uncached, json;
	uint64_t seed;
};

enum { OPT_OP = OPT_LONG, OPT_ORDER, OPT_BLOCKS, OPT_REPETITIONS, OPT_ROUNDS, OPT_STATE, OPT_SEED, OPT_JSON };

static const struct argp_option argp_options[] = {
	{ "op", OPT_OP, "LIST", 0, "Routines, and kernel for the kernel's own (default: all that can be used)", 0 },
	{ "order", OPT_ORDER, "LIST", 0, "Orders of the blocks, 0 to 10 (default: 0,9)", 0 },
	{ "blocks", OPT_BLOCKS, "N", 0, "Blocks that are swept as one extent (default: 1)", 0 },
	{ "repetitions", OPT_REPETITIONS, "N", 0, "Clears in a round (default: 64)", 0 },
	{ "rounds", OPT_ROUNDS, "N", 0, "Rounds, in each all routines in random order (default: 5)", 0 },
	{ "state", OPT_STATE, "STATE", 0, "Where the memory is before: cached, uncached or both (default)", 0 },
	{ "seed", OPT_SEED, "N", 0, "Seed of the order (default: the time)", 0 },
	{ "json", OPT_JSON, NULL, 0, "JSON Lines on standard output instead of text", 0 },
	{ "output", 'o', "FILE", 0, "JSON Lines into FILE, beside the text", 0 },
	{ 0 },
};

static void parse_state(struct options *o, const char *text)
{
	o->cached = !strcmp(text, "cached") || !strcmp(text, "both");
	o->uncached = !strcmp(text, "uncached") || !strcmp(text, "both");
	if (!o->cached && !o->uncached)
		die(EXIT_USAGE, "--state: '%s' is none of cached, uncached, both", text);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case OPT_OP:
		o->ops = arg;
		return 0;
	case OPT_ORDER:
		o->orders = arg;
		return 0;
	case OPT_BLOCKS:
		o->blocks = (unsigned)parse_count("--blocks", arg, 1, BLOCKS_MOST);
		return 0;
	case OPT_REPETITIONS:
		o->repetitions = (unsigned)parse_count("--repetitions", arg, 1, REPETITIONS_MOST);
		return 0;
	case OPT_ROUNDS:
		o->rounds = (unsigned)parse_count("--rounds", arg, 1, 10000);
		return 0;
	case OPT_STATE:
		parse_state(o, arg);
		return 0;
	case OPT_SEED:
		o->seed = parse_count("--seed", arg, 0, INT64_MAX);
		return 0;
	case OPT_JSON:
		o->json = true;
		return 0;
	case 'o':
		if (!*arg)
			die(EXIT_USAGE, "--output: '' is not a file name");
		o->output = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* A routine in one situation, over all rounds. */
struct bench_cell {
	char routine[NAME_SIZE];
	unsigned order;
	bool cached;
	double *medians;
	double least, most;
	unsigned n;
};

struct cells {
	struct bench_cell *at;
	size_t n, room;
};

static void add_cell(struct cells *cells, const struct options *o, const char *routine, unsigned order, bool cached)
{
	struct bench_cell *cell;

	cells->at = grow(cells->at, cells->n, &cells->room, sizeof(*cells->at));
	cell = &cells->at[cells->n++];
	*cell = (struct bench_cell){ .order = order, .cached = cached };
	cell->medians = calloc(o->rounds, sizeof(double));
	if (!cell->medians)
		die(EXIT_FAILED, "out of memory");
	snprintf(cell->routine, sizeof(cell->routine), "%s", routine);
}

/* Orders and states outside, so that rows that are compared stand together. */
static void plan(struct cells *cells, const struct options *o, char *const *orders, size_t n_orders,
		 const struct routines *routines)
{
	char **ops = NULL;
	size_t n = 0;

	if (o->ops)
		ops = parse_words("--op", o->ops, &n);
	for (size_t i = 0; i < n; i++)
		routine_check(routines, "--op", ops[i], true);
	for (size_t k = 0; k < n_orders; k++) {
		unsigned order = (unsigned)parse_count("--order", orders[k], 0, ORDER_MOST);

		if (((uint64_t)KERNEL_PAGE << order) * o->blocks > EXTENT_MOST)
			die(EXIT_USAGE, "--blocks: %u of order %u are more than 1 GiB", o->blocks, order);
		for (int cached = 1; cached >= 0; cached--) {
			if (!(cached ? o->cached : o->uncached))
				continue;
			for (size_t i = 0; i < n; i++)
				add_cell(cells, o, ops[i], order, cached);
			if (n)
				continue;
			add_cell(cells, o, "kernel", order, cached);
			for (size_t i = 0; i < routines->n; i++)
				if (!routines->at[i].why)
					add_cell(cells, o, routines->at[i].name, order, cached);
		}
	}
	free_words(ops, n);
}

static _Noreturn void bench_refused(int err, const char *request, struct log *log)
{
	char said[1024], how[WORD_SIZE];

	log_last(log, said, sizeof(said));
	if (err == ENOENT && !path_exists(at_root("/sys/kernel/debug/clearpages")))
		die(EXIT_FAILED, "debugfs is not mounted, or can't be read: mount -t debugfs none /sys/kernel/debug");
	if (err == EPERM && *lockdown(how, sizeof(how)))
		die(EXIT_FAILED,
		    "the kernel is locked down (%s), and then nothing in debugfs can be written: bench can't run", how);
	if (err == EACCES || err == EPERM)
		die(EXIT_FAILED, "only root can use the module's bench: '%s' was refused", request);
	if (err == ENOMEM)
		die(EXIT_FAILED, "'%s': the kernel has no such blocks free; take fewer or smaller ones (--blocks, --order)",
		    request);
	die(EXIT_FAILED, "'%s' was refused by the module: %s%s%s", request, strerror(err),
	    *said ? "; the kernel's log: " : "", said);
}

static double figure(const char *answer, const char *name, const char *request)
{
	const char *at = strstr(answer, name);

	if (!at)
		die(EXIT_FAILED, "'%s': the module's answer has no '%s': '%s'", request, name, answer);
	return strtod(at + strlen(name), NULL);
}

static void run_cell(struct output *out, const struct options *o, struct bench_cell *cell, unsigned round)
{
	const char *path = at_root("/sys/kernel/debug/clearpages/bench"), *state = cell->cached ? "cached" : "uncached";
	char request[128], answer[LINE_MAX_KERNEL];
	double least, middle, most;
	struct record r;
	struct log log;
	ssize_t n;
	int fd, err;

	snprintf(request, sizeof(request), "%s %u %u %u %s", cell->routine, cell->order, o->blocks, o->repetitions, state);
	log_mark(&log);
	err = -module_write(path, request);
	if (err == EINTR && interrupted)
		return;
	if (err)
		bench_refused(err, request, &log);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	n = fd < 0 ? -1 : read(fd, answer, sizeof(answer) - 1);
	if (n < 0)
		bench_refused(errno, request, &log);
	close(fd);
	if (log.fd >= 0)
		close(log.fd);
	answer[n] = '\0';
	answer[strcspn(answer, "\n")] = '\0';
	least = figure(answer, " min=", request);
	middle = figure(answer, " median=", request);
	most = figure(answer, " max=", request);
	cell->least = cell->n && cell->least < least ? cell->least : least;
	cell->most = cell->n && cell->most > most ? cell->most : most;
	cell->medians[cell->n++] = middle;
	record_begin(&r, "sample");
	record_text(&r, "bench", "kernel");
	record_text(&r, "operation", "clear");
	record_text(&r, "variant", cell->routine);
	record_whole(&r, "order", cell->order);
	record_whole(&r, "blocks", o->blocks);
	record_whole(&r, "size", ((int64_t)KERNEL_PAGE << cell->order) * o->blocks);
	record_text(&r, "state", state);
	record_whole(&r, "round", round);
	record_real(&r, "value", middle);
	record_text(&r, "unit", "cycles/page");
	record_text(&r, "better", "lower");
	record_real(&r, "min", least);
	record_real(&r, "max", most);
	output_record(out, &r);
	record_end(&r);
}

static const struct column columns[] = {
	{ "variant", "routine", -11, 0, false }, { "order", "order", 5, 0, false },	    { "size", "size", 9, 0, true },
	{ "state", "state", -9, 0, false },	 { "median", "cycles/page", 11, 1, false }, { "min", "min", 9, 1, false },
	{ "max", "max", 10, 1, false },		 { "gbps", "GB/s", 7, 2, false },	    { 0 },
};

static void summarise(struct output *out, const struct options *o, struct bench_cell *cell)
{
	double middle;
	struct record r;

	if (!cell->n)
		return;
	middle = median(cell->medians, cell->n);
	record_begin(&r, "summary");
	record_text(&r, "bench", "kernel");
	record_text(&r, "variant", cell->routine);
	record_whole(&r, "order", cell->order);
	record_whole(&r, "size", ((int64_t)KERNEL_PAGE << cell->order) * o->blocks);
	record_text(&r, "state", cell->cached ? "cached" : "uncached");
	record_whole(&r, "rounds", cell->n);
	record_real(&r, "median", middle);
	record_real(&r, "min", cell->least);
	record_real(&r, "max", cell->most);
	if (middle > 0)
		record_real(&r, "gbps", KERNEL_PAGE * clock_ghz() / middle);
	output_record(out, &r);
	record_end(&r);
}

static void run_rounds(struct output *out, const struct options *o, const struct cells *cells)
{
	struct random random = { o->seed };
	unsigned *order = calloc(cells->n + 1, sizeof(*order));
	char what[96];

	if (!order)
		die(EXIT_FAILED, "out of memory");
	for (unsigned i = 0; i < cells->n; i++)
		order[i] = i;
	for (unsigned round = 1; round <= o->rounds && !interrupted; round++) {
		shuffle(&random, order, cells->n);
		for (size_t i = 0; i < cells->n && !interrupted; i++) {
			snprintf(what, sizeof(what), "round %u of %u: %s", round, o->rounds, cells->at[order[i]].routine);
			progress((double)((round - 1) * cells->n + i), (double)(o->rounds * cells->n), what);
			run_cell(out, o, &cells->at[order[i]], round);
		}
	}
	progress_clear();
	free(order);
}

int kernel_bench(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.doc = "Measure clearing in kernel context: cycles (of the TSC) per page of 4 KiB.",
	};
	struct options o = {
		.orders = "0,9",
		.blocks = 1,
		.repetitions = 64,
		.rounds = 5,
		.cached = true,
		.uncached = true,
		.seed = (uint64_t)time(NULL),
	};
	struct routines routines;
	struct cells cells = { 0 };
	struct output out;
	struct record header;
	size_t n_orders;
	char **orders;

	parse_options(&argp, argc, argv, &o);
	orders = parse_words("--order", o.orders, &n_orders);
	for (size_t i = 0; i < n_orders; i++)
		parse_count("--order", orders[i], 0, ORDER_MOST);
	module_require();
	routines_read(&routines);
	plan(&cells, &o, orders, n_orders, &routines);
	output_open(&out, o.json, o.output);
	record_begin(&header, "header");
	record_text(&header, "bench", "kernel");
	record_machine(&header, argc, argv, o.seed);
	record_whole(&header, "repetitions", o.repetitions);
	record_whole(&header, "rounds", o.rounds);
	output_record(&out, &header);
	record_end(&header);
	catch_interrupts();
	run_rounds(&out, &o, &cells);
	output_columns(&out, columns);
	for (size_t i = 0; i < cells.n; i++) {
		summarise(&out, &o, &cells.at[i]);
		free(cells.at[i].medians);
	}
	if (interrupted)
		output_say(&out, "interrupted: the table has what was measured");
	output_close(&out);
	free(cells.at);
	free_words(orders, n_orders);
	routines_free(&routines);
	return interrupted ? EXIT_INTERRUPTED : EXIT_OK;
}
