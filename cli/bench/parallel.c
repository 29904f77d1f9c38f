/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parallel.c - `bench parallel`: a region cleared by one call, in batches, and by several threads. When do threads pay, and what do
 * batches cost?
 */
#include <stdlib.h>

#include "ways.h"

#define BATCH ((size_t)8 << 20)
#define TAUGHT ((size_t)256 << 20)

enum { WHOLE, BATCHED, PARALLEL };

struct place {
	struct bench bench;
	size_t size;
};

static int go_on(void *arg, size_t done, size_t len)
{
	(void)arg;
	(void)done;
	(void)len;
	return interrupted;
}

static void clear(const struct way *way, unsigned char *at, size_t size)
{
	struct clp_batch_options batches = { .sz = sizeof(batches), .batch = BATCH, .between = go_on };
	struct clp_parallel_options threads = { .sz = sizeof(threads), .threads = way->threads };

	switch (way->kind) {
	case WHOLE:
		clp_clear(at, size, CLP_COLD);
		return;
	case BATCHED:
		clp_clear_batched(at, size, CLP_COLD, &batches);
		return;
	default:
		clp_clear_parallel(at, size, CLP_COLD, &threads);
		return;
	}
}

static struct cost sample(void *arg, const struct way *way)
{
	struct place *p = arg;
	struct cell c = { .size = p->size };
	unsigned char *at = cell_destination(&p->bench, &c);
	struct stopwatch watch;
	struct cost cost;

	stopwatch_start(&watch);
	clear(way, at, p->size);
	cost = stopwatch_stop(&watch);
	if (!interrupted && !memory_is_zero(at, p->size))
		die(EXIT_FAILED, "%s left a byte that is not zero in %zu bytes", way->name, p->size);
	memory_fill(at, p->size);
	return cost;
}

static void describe(void *arg, struct record *r)
{
	(void)arg;
	record_text(r, "state", "uncached");
}

static const struct column columns[] = {
	{ "size", "size", 9, 0, true },	  { "variant", "way", -11, 0, false }, { "us", "us", 10, 1, false },
	{ "us_min", "min", 10, 1, false }, { "us_max", "max", 10, 1, false },	 { "gbps", "GB/s", 6, 2, false },
	{ "vs_whole", "x whole", 7, 3, false }, { "cpu_us", "CPU us", 9, 0, false }, { 0 },
};

static void run_size(struct place *p, struct output *out, const struct ways_options *o)
{
	struct ways ways = { .bench = "parallel",
			     .base = "whole",
			     .versus = "vs_whole",
			     .size = p->size,
			     .samples = o->common.samples ? o->common.samples : 3 * default_samples(p->size),
			     .random = &p->bench.random,
			     .arg = p,
			     .sample = sample,
			     .describe = describe };

	ways_add(&ways, "whole", WHOLE, NULL);
	ways_add(&ways, "batched", BATCHED, NULL);
	ways_add(&ways, "parallel", PARALLEL, NULL);
	ways_add_threads(&ways, "parallel", PARALLEL, o->threads, o->n_threads);
	ways_run(&ways, out);
}

int bench_parallel(int argc, char **argv)
{
	struct argp argp = ways_argp;
	struct ways_options o = { .n_threads = 0 };
	size_t n_sizes, largest;
	struct output out;
	struct place p;
	uint64_t *sizes;

	argp.doc = "Measure clearing a region whole, in batches of 8 MiB, and with several threads: as many as pay, and as many as are said. "
		   "--variant and --pin do not apply.";
	common_init(&o.common);
	parse_options(&argp, argc, argv, &o);
	sizes = page_sizes(&o.common, "4KB,64KB,256KB,1MB,8MB,64MB,1GB", &n_sizes, &largest);
	ways_check(&o);
	ways_start(&o.common, &out, "parallel", argc, argv);
	output_columns(&out, columns);
	bench_open(&p.bench, largest, 0, false, o.common.page, 0, o.common.seed);
	/* A program's first long call finds out how many threads pay; what is measured is the calls after it. */
	clp_clear_parallel(p.bench.arena.at, TAUGHT, CLP_COLD, NULL);
	memory_fill(p.bench.arena.at, TAUGHT);
	for (size_t s = 0; s < n_sizes && !interrupted; s++) {
		p.size = sizes[s];
		run_size(&p, &out, &o);
	}
	bench_close(&p.bench);
	free(sizes);
	return common_end(&out, "parallel");
}
