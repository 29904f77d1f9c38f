/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * use.c - `bench use`: clear, then read or write a share of the lines; the time of both together is what counts.
 */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define TOUCH_MAX 16

struct options {
	struct common common;
	unsigned touch[TOUCH_MAX];
	size_t n_touch;
	bool write, cached, bystander;
	size_t delay;
};

enum { OPT_TOUCH = OPT_LONG, OPT_WRITE, OPT_DELAY, OPT_STATE, OPT_BYSTANDER };

static const struct argp_option argp_options[] = {
	{ "touch", OPT_TOUCH, "LIST", 0, "Shares of the cache lines used: 0, 1/64, 1/8, 1 (default: these)", 0 },
	{ "write", OPT_WRITE, NULL, 0, "Use by writing (default: by reading)", 0 },
	{ "delay", OPT_DELAY, "BYTES", 0, "Read so much other memory between clearing and use, outside the timed part", 0 },
	{ "state", OPT_STATE, "STATE", 0, "Destination before: uncached (default) or cached", 0 },
	{ "bystander", OPT_BYSTANDER, NULL, 0, "Warm half an L2 of other data before, read it again after, timed", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	char **words;
	size_t n;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->common;
		return 0;
	case OPT_TOUCH:
		words = parse_words("--touch", arg, &n);
		if (n > TOUCH_MAX)
			die(EXIT_USAGE, "--touch: '%s' has more than %d items", arg, TOUCH_MAX);
		for (o->n_touch = 0; o->n_touch < n; o->n_touch++)
			o->touch[o->n_touch] = parse_share("--touch", words[o->n_touch]);
		free_words(words, n);
		return 0;
	case OPT_WRITE:
		o->write = true;
		return 0;
	case OPT_DELAY:
		o->delay = parse_size("--delay", arg);
		return 0;
	case OPT_STATE:
		o->cached = parse_cached("--state", arg);
		return 0;
	case OPT_BYSTANDER:
		o->bystander = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct column columns[] = {
	{ "size", "size", 9, 0, true },	    { "state", "state", -8, 0, false },
	{ "touch", "used", -5, 0, false },  { "variant", "routine", -10, 0, false },
	{ "gbps", "GB/s", 7, 2, false },    { "gbps_min", "min", 6, 2, false },
	{ "gbps_max", "max", 6, 2, false }, { "vs_libc", "x libc", 6, 2, false },
	{ "best", "best", -4, 0, false },   { 0 },
};

static void run_cell(const struct options *o, struct bench *b, struct output *out, const struct cell *c,
		     const struct method *methods, size_t n)
{
	struct group g = { .cell = c,
			   .methods = methods,
			   .n = n,
			   .samples = o->common.samples ? o->common.samples : default_samples(c->size) };
	struct record r;
	size_t best = 0;

	group_run(&g, b, out, "use");
	for (size_t m = 1; m < n && g.taken; m++)
		if (median(g.ticks[m], g.taken) < median(g.ticks[best], g.taken))
			best = m;
	for (size_t m = 0; m < n && g.taken; m++) {
		record_begin(&r, "summary");
		record_cell(&r, "use", c, methods[m].name);
		record_rates(&r, &g, m);
		record_truth(&r, "fastest", m == best);
		record_text(&r, "best", m == best ? "*" : "");
		output_record(out, &r);
		record_end(&r);
	}
	group_free(&g);
}

int bench_use(int argc, char **argv)
{
	static const struct argp_child children[] = { { &common_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		argp_options,
		parse,
		NULL,
		"Measure clearing and then using: payload GB/s of both together. What is fast to clear may be slow to use, "
		"and the other way round.",
		children,
		NULL,
		NULL,
	};
	struct options o = { .touch = { 0, 64, 8, 1 }, .n_touch = 4 };
	struct method methods[METHODS_MAX];
	size_t n, n_sizes, largest;
	struct output out;
	struct bench b;
	uint64_t *sizes;

	common_init(&o.common);
	parse_options(&argp, argc, argv, &o);
	n = methods_beside_libc("--variant", o.common.variants ? o.common.variants : "all,auto,hot,cold", CLP_OP_CLEAR,
				methods);
	sizes = page_sizes(&o.common, "4KB,64KB,1MB,32MB", &n_sizes, &largest);
	common_start(&o.common, &out, "use", argc, argv);
	output_columns(&out, columns);
	bench_open(&b, largest, o.delay, false, o.common.page, 0, o.common.seed);
	for (size_t s = 0; s < n_sizes; s++) {
		for (size_t t = 0; t < o.n_touch && !interrupted; t++) {
			struct cell c = { .size = sizes[s],
					  .cached = o.cached,
					  .touch = o.touch[t],
					  .write = o.write,
					  .delay = o.delay,
					  .bystander = o.bystander };

			run_cell(&o, &b, &out, &c, methods, n);
		}
	}
	bench_close(&b);
	free(sizes);
	return common_end(&out, "use");
}
