/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clear.c - `bench clear` and `bench copy`: routines against sizes, beside libc's.
 */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define STATES_MAX 2
#define EXTENTS_MAX 16
#define THREADS_MAX 16

struct options {
	struct common common;
	unsigned op;
	bool cached[STATES_MAX];
	size_t states;
	size_t extents[EXTENTS_MAX]; /* 0: whole */
	size_t n_extents;
	unsigned threads[THREADS_MAX];
	size_t n_threads;
	bool year_2005, state_given, extent_given;
};

enum { OPT_EXTENT = OPT_LONG, OPT_STATE, OPT_THREADS, OPT_2005 };

/* `bench copy` has no threads: it begins at the second row. */
static const struct argp_option argp_options[] = {
	{ "threads", OPT_THREADS, "LIST", 0, "Numbers of threads, each with a CPU and memory of its own", 0 },
	{ "extent", OPT_EXTENT, "LIST", 0, "Bytes a call: whole (default), page, or sizes", 0 },
	{ "state", OPT_STATE, "LIST", 0, "Memory before: uncached (default), cached", 0 },
	{ "2005", OPT_2005, NULL, 0, "The micro-benchmark of 2005: a 1 MiB buffer page by page, 64 tries, cycles per page",
	  0 },
	{ 0 },
};

static void parse_states(struct options *o, const char *arg)
{
	size_t n;
	char **words = parse_words("--state", arg, &n);

	o->states = 0;
	for (size_t i = 0; i < n; i++) {
		bool cached = parse_cached("--state", words[i]);

		if (o->states < STATES_MAX)
			o->cached[o->states++] = cached;
	}
	free_words(words, n);
}

static void parse_extents(struct options *o, const char *arg)
{
	size_t n;
	char **words = parse_words("--extent", arg, &n);

	if (n > EXTENTS_MAX)
		die(EXIT_USAGE, "--extent: '%s' has more than %d items", arg, EXTENTS_MAX);
	o->n_extents = n;
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(words[i], "whole"))
			o->extents[i] = 0;
		else if (!strcmp(words[i], "page"))
			o->extents[i] = 4096;
		else
			o->extents[i] = parse_size("--extent", words[i]);
		if (o->extents[i] % 4096)
			die(EXIT_USAGE, "--extent: '%s' is not a multiple of the page size, 4096", words[i]);
	}
	free_words(words, n);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->common;
		return 0;
	case OPT_EXTENT:
		o->extent_given = true;
		parse_extents(o, arg);
		return 0;
	case OPT_STATE:
		o->state_given = true;
		parse_states(o, arg);
		return 0;
	case OPT_THREADS:
		o->n_threads = parse_threads(arg, o->threads, THREADS_MAX);
		return 0;
	case OPT_2005:
		o->year_2005 = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct column columns[] = {
	{ "size", "size", 9, 0, true },		  { "extent", "a call", 9, 0, true },
	{ "state", "state", -8, 0, false },	  { "variant", "routine", -10, 0, false },
	{ "gbps", "GB/s", 6, 2, false },	  { "cycles_page_min", "min cy/pg", 9, 0, false },
	{ "cycles_page", "median", 6, 0, false }, { "cycles_page_max", "max", 6, 0, false },
	{ "vs_libc", "x libc", 6, 2, false },	  { 0 },
};

static const struct column thread_columns[] = {
	{ "threads", "threads", 7, 0, false }, { "size", "size", 9, 0, true },
	{ "extent", "a call", 9, 0, true },    { "variant", "routine", -10, 0, false },
	{ "gbps", "GB/s", 7, 2, false },       { "gbps_min", "min", 6, 2, false },
	{ "gbps_max", "max", 6, 2, false },    { "x_one", "x one", 6, 2, false },
	{ "vs_libc", "x libc", 6, 2, false },  { 0 },
};

static const struct column columns_2005[] = {
	{ "variant", "routine", -10, 0, false },
	{ "state", "state", -8, 0, false },
	{ "cycles_page_min", "min cyc/page", 13, 0, false },
	{ "cycles_page", "median", 8, 0, false },
	{ "cycles_page_max", "max", 8, 0, false },
	{ "vs_libc", "x libc", 7, 2, false },
	{ 0 },
};

static void run_cell(const struct options *o, struct bench *b, struct output *out, const char *bench, const struct cell *c,
		     const struct method *methods, size_t n, unsigned threads, double *one)
{
	struct group g = { .cell = c,
			   .methods = methods,
			   .n = n,
			   .threads = threads,
			   .samples = o->common.samples ? o->common.samples : default_samples(c->size) };
	struct record r;

	if (threads && !o->common.samples && g.samples > 11)
		g.samples = 11;
	if (o->year_2005 && !o->common.samples)
		g.samples = 64;
	group_run(&g, b, out, bench);
	for (size_t m = 0; m < n && g.taken; m++) {
		double mid = median(g.ticks[m], g.taken);

		record_begin(&r, "summary");
		record_cell(&r, bench, c, methods[m].name);
		record_rates(&r, &g, m);
		if (threads == 1)
			one[m] = mid;
		if (threads && one[m] > 0)
			record_real(&r, "x_one", one[m] / mid);
		output_record(out, &r);
		record_end(&r);
	}
	group_free(&g);
}

static void run_sizes(const struct options *o, struct bench *b, struct output *out, const char *bench, const uint64_t *sizes,
		      size_t n_sizes, const struct method *methods, size_t n, unsigned threads, double *one)
{
	for (size_t s = 0; s < n_sizes; s++) {
		for (size_t e = 0; e < o->n_extents; e++) {
			for (size_t state = 0; state < o->states && !interrupted; state++) {
				struct cell c = {
					.op = o->op, .size = sizes[s], .extent = o->extents[e], .cached = o->cached[state]
				};

				run_cell(o, b, out, bench, &c, methods, n, threads,
					 one + (s * o->n_extents + e) * METHODS_MAX);
			}
		}
	}
}

static int run(struct options *o, const char *bench, const char *defaults, int argc, char **argv)
{
	struct method methods[METHODS_MAX];
	size_t n, n_sizes, largest;
	uint64_t *sizes;
	struct output out;
	struct bench b = { 0 };
	double *one;

	n = methods_beside_libc("--variant", o->common.variants ? o->common.variants : "all,auto,hot,cold", o->op, methods);
	sizes = page_sizes(&o->common, o->year_2005 ? "1MB" : defaults, &n_sizes, &largest);
	if (o->n_threads && (o->states > 1 || o->cached[0]))
		die(EXIT_USAGE, "--state: 'cached' does not go with --threads, which sweeps memory larger than the caches");
	one = calloc(n_sizes * o->n_extents * METHODS_MAX, sizeof(*one));
	if (!one)
		die(EXIT_FAILED, "out of memory");

	common_start(&o->common, &out, bench, argc, argv);
	output_columns(&out, o->year_2005 ? columns_2005 : o->n_threads ? thread_columns : columns);
	if (!o->n_threads) {
		bench_open(&b, largest, 0, o->op == CLP_OP_COPY, o->common.page, 0, o->common.seed);
		run_sizes(o, &b, &out, bench, sizes, n_sizes, methods, n, 0, one);
		bench_close(&b);
	}
	b.random.state = o->common.seed;
	for (size_t t = 0; t < o->n_threads && !interrupted; t++) {
		b.team = team_open(o->threads[t], largest, o->common.page);
		run_sizes(o, &b, &out, bench, sizes, n_sizes, methods, n, o->threads[t], one);
		team_close(b.team);
	}
	free(one);
	free(sizes);
	return common_end(&out, bench);
}

static void init(struct options *o, unsigned op)
{
	memset(o, 0, sizeof(*o));
	common_init(&o->common);
	o->op = op;
	o->states = 1;
	o->n_extents = 1;
}

static void settle(struct options *o)
{
	if (!o->year_2005)
		return;
	if (o->common.sizes || o->n_threads || o->state_given || o->extent_given)
		die(EXIT_USAGE,
		    "--2005: it is one thread, a buffer of 1 MiB, page by page, in both states; leave out other shapes");
	/* In 2005 one buffer was cleared again and again, and was larger than most caches: today it has to be both. */
	o->cached[0] = true;
	o->cached[1] = false;
	o->states = 2;
	o->extents[0] = 4096;
	o->n_extents = 1;
}

static const struct argp_child children[] = { { &common_argp, 0, NULL, 0 }, { 0 } };

int bench_clear(int argc, char **argv)
{
	static const struct argp argp = {
		argp_options,
		parse,
		NULL,
		"Measure clearing: payload GB/s (10^9 bytes) as median, minimum and maximum, and TSC cycles per 4 KiB page, "
		"beside libc's memset.",
		children,
		NULL,
		NULL,
	};
	struct options o;

	init(&o, CLP_OP_CLEAR);
	parse_options(&argp, argc, argv, &o);
	settle(&o);
	return run(&o, "clear", "4KB,64KB,1MB,32MB,1GB", argc, argv);
}

int bench_copy(int argc, char **argv)
{
	static const struct argp argp = {
		argp_options + 1,
		parse,
		NULL,
		"Measure copying: payload GB/s (10^9 bytes written) as median, minimum and maximum, and TSC cycles per 4 "
		"KiB page, beside libc's memcpy.",
		children,
		NULL,
		NULL,
	};
	struct options o;

	init(&o, CLP_OP_COPY);
	parse_options(&argp, argc, argv, &o);
	settle(&o);
	return run(&o, "copy", "4KB,64KB,1MB,32MB,256MB", argc, argv);
}
