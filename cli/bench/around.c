/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * around.c - `bench around`: clear a region of which some pages are used at once, as a huge-page fault does. What counts is the
 * time until the first of them can be read, and until all of them are.
 *
 * The ways: all but those pages first and past the cache (clp_clear_around), all of it cold, all of it hot, libc's memset, and page by
 * page towards the touched one with rep stosb, as Linux did before it cleared by ranges.
 */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define PAGE ((size_t)4096)
#define LINE ((size_t)64)
#define SAMPLES_MAX 1001u
#define RADIUS_MAX 512u

struct options {
	struct common common;
	unsigned radius;
	bool cached;
};

enum { OPT_RADIUS = OPT_LONG, OPT_STATE };

static const struct argp_option argp_options[] = {
	{ "radius", OPT_RADIUS, "PAGES", 0, "Pages used each side of the touched one (default: 2, so 5 in all)", 0 },
	{ "state", OPT_STATE, "STATE", 0, "Destination before: uncached (default) or cached", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->common;
		return 0;
	case OPT_RADIUS:
		o->radius = (unsigned)parse_count("--radius", arg, 1, RADIUS_MAX);
		return 0;
	case OPT_STATE:
		o->cached = parse_cached("--state", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* One sample: a destination, and the page of it that is touched. */
struct place {
	unsigned char *at;
	size_t size, touched; /* pages */
	unsigned radius;
};

static void by_around(const struct place *p)
{
	clp_clear_around(p->at, p->size, p->at + p->touched * PAGE, 0, p->radius);
}

static void by_cold(const struct place *p)
{
	clp_clear(p->at, p->size, CLP_COLD);
}

static void by_hot(const struct place *p)
{
	clp_clear(p->at, p->size, CLP_HOT);
}

static void by_libc(const struct place *p)
{
	memset(p->at, 0, p->size);
	__asm__ volatile("" : : "r"(p->at) : "memory");
}

/* From the far end first, then from both in turn. */
static void by_page(const struct place *p)
{
	static int stosb = -1;
	size_t low = 0, high = p->size / PAGE;

	if (stosb < 0)
		stosb = clp_variant_find(CLP_OP_CLEAR, "stosb");
	while (low < high) {
		size_t page = p->touched - low > high - 1 - p->touched ? low++ : --high;

		clp_clear_with((unsigned)stosb, p->at + page * PAGE, PAGE, 0);
	}
}

static const struct way {
	const char *name;
	void (*clear)(const struct place *p);
	const char *needs; /* a routine */
} ways[] = {
	{ "around", by_around, NULL }, { "cold", by_cold, NULL },	{ "hot", by_hot, NULL },
	{ "libc", by_libc, NULL },     { "page-stosb", by_page, "stosb" },
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

/* What each way took in each round, ticks. */
struct taken {
	double first[WAYS][SAMPLES_MAX], all[WAYS][SAMPLES_MAX];
};

static volatile uint64_t sink;

static void sample(struct bench *b, const struct options *o, size_t size, const struct way *way, double *first, double *all)
{
	struct cell c = { .size = size, .cached = o->cached };
	struct place p = { .at = cell_destination(b, &c), .size = size, .radius = o->radius };
	size_t from, to;
	uint64_t start;

	p.touched = random_below(&b->random, size / PAGE);
	from = p.touched < o->radius ? 0 : p.touched - o->radius;
	to = p.touched + o->radius + 1 < size / PAGE ? p.touched + o->radius + 1 : size / PAGE;
	start = clock_start();
	way->clear(&p);
	sink += *(volatile uint64_t *)(void *)(p.at + p.touched * PAGE);
	/* A reading of the clock, not a fence for the clear's stores: a program does not wait for them either. */
	*first = (double)(clock_stop() - start);
	sink += memory_read(p.at + from * PAGE, (to - from) * PAGE, LINE);
	*all = (double)(clock_stop() - start);
	if (!memory_is_zero(p.at, size))
		die(EXIT_FAILED, "%s left a byte that is not zero in %zu bytes", way->name, size);
	memory_fill(p.at, size);
}

static void write_sample(struct output *out, const struct options *o, size_t size, const struct way *way, unsigned round,
			 double first, double all)
{
	double ns = 1 / clock_ghz();
	struct record r;

	record_begin(&r, "sample");
	record_text(&r, "bench", "around");
	record_text(&r, "variant", way->name);
	record_whole(&r, "size", (int64_t)size);
	record_whole(&r, "radius", o->radius);
	record_text(&r, "state", o->cached ? "cached" : "uncached");
	record_whole(&r, "round", round);
	record_real(&r, "first_ns", first * ns);
	record_real(&r, "value", all * ns);
	record_text(&r, "unit", "ns");
	record_text(&r, "better", "lower");
	output_record(out, &r);
	record_end(&r);
}

static const struct column columns[] = {
	{ "size", "size", 9, 0, true },	     { "state", "state", -8, 0, false },   { "variant", "way", -10, 0, false },
	{ "first_us", "first us", 9, 1, false }, { "all_us", "used us", 9, 1, false }, { "all_min", "min", 8, 1, false },
	{ "all_max", "max", 8, 1, false },	     { "vs_around", "x around", 8, 3, false }, { 0 },
};

static void summarise(struct output *out, const struct options *o, size_t size, struct taken *t, unsigned n, const bool *there)
{
	double us = 1e-3 / clock_ghz(), ratios[WAYS];
	struct record r;

	for (size_t w = 0; w < WAYS; w++)
		ratios[w] = there[w] ? median_ratio(t->all[w], t->all[0], n) : 0;
	for (size_t w = 0; w < WAYS; w++) {
		if (!there[w])
			continue;
		record_begin(&r, "summary");
		record_text(&r, "bench", "around");
		record_text(&r, "variant", ways[w].name);
		record_whole(&r, "size", (int64_t)size);
		record_whole(&r, "radius", o->radius);
		record_text(&r, "state", o->cached ? "cached" : "uncached");
		record_whole(&r, "samples", n);
		record_real(&r, "first_us", median(t->first[w], n) * us);
		record_real(&r, "all_us", median(t->all[w], n) * us);
		record_real(&r, "all_min", t->all[w][0] * us);
		record_real(&r, "all_max", t->all[w][n - 1] * us);
		record_real(&r, "vs_around", ratios[w]);
		output_record(out, &r);
		record_end(&r);
	}
}

static void run_size(struct bench *b, struct output *out, const struct options *o, size_t size, unsigned samples)
{
	struct taken *t = calloc(1, sizeof(*t));
	unsigned order[WAYS], done = 0;
	bool there[WAYS];
	char what[64];

	if (!t)
		die(EXIT_FAILED, "out of memory");
	for (unsigned w = 0; w < WAYS; w++) {
		struct method m;

		order[w] = w;
		there[w] = !ways[w].needs || method_find(ways[w].needs, CLP_OP_CLEAR, &m);
	}
	snprintf(what, sizeof(what), "around %s", format_size(size));
	for (; done < samples && !interrupted; done++) {
		shuffle(&b->random, order, WAYS);
		for (size_t i = 0; i < WAYS; i++) {
			unsigned w = order[i];

			if (!there[w])
				continue;
			sample(b, o, size, &ways[w], &t->first[w][done], &t->all[w][done]);
			write_sample(out, o, size, &ways[w], done, t->first[w][done], t->all[w][done]);
		}
		progress(done + 1, samples, what);
	}
	if (done)
		summarise(out, o, size, t, done, there);
	free(t);
}

int bench_around(int argc, char **argv)
{
	static const struct argp_child children[] = { { &common_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		argp_options,
		parse,
		NULL,
		"Measure clearing a region of which a few pages are used at once: the time until the first of them is read, and until all "
		"are. --variant does not apply.",
		children,
		NULL,
		NULL,
	};
	struct options o = { .radius = 2 };
	size_t n_sizes, largest;
	struct output out;
	struct bench b;
	uint64_t *sizes;

	common_init(&o.common);
	parse_options(&argp, argc, argv, &o);
	if (o.common.variants)
		die(EXIT_USAGE, "--variant: '%s': the ways that are compared are fixed", o.common.variants);
	if (o.common.samples > SAMPLES_MAX)
		die(EXIT_USAGE, "--samples: '%u' is more than %u", o.common.samples, SAMPLES_MAX);
	sizes = page_sizes(&o.common, "2MB", &n_sizes, &largest);
	common_start(&o.common, &out, "around", argc, argv);
	output_columns(&out, columns);
	bench_open(&b, largest, 0, false, o.common.page, 0, o.common.seed);
	for (size_t s = 0; s < n_sizes && !interrupted; s++)
		run_size(&b, &out, &o, sizes[s], o.common.samples ? o.common.samples : 2 * default_samples(sizes[s]));
	bench_close(&b);
	free(sizes);
	return common_end(&out, "around");
}
