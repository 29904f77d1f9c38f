/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ways.c - the rounds of `bench parallel` and `bench populate`: clocks, records, and the ratios to one of the ways.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "../../lib/lib.h"
#include "ways.h"

void ways_add(struct ways *ways, const char *name, int kind, const char *missing)
{
	struct way *way = &ways->way[ways->n++];

	*way = (struct way){ .kind = kind, .missing = missing };
	snprintf(way->name, sizeof(way->name), "%s", name);
}

void ways_add_threads(struct ways *ways, const char *name, int kind, const unsigned *threads, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char text[24];

		snprintf(text, sizeof(text), "%.12s-%u", name, threads[i]);
		ways_add(ways, text, kind, NULL);
		ways->way[ways->n - 1].threads = threads[i];
	}
}

static int64_t faults_so_far(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) ? 0 : usage.ru_minflt + usage.ru_majflt;
}

void stopwatch_start(struct stopwatch *w)
{
	w->faults = faults_so_far();
	w->cpu = clp_nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
	w->ticks = clock_start();
}

struct cost stopwatch_stop(const struct stopwatch *w)
{
	uint64_t ticks = clock_stop() - w->ticks;

	ticks = ticks > clock_overhead() ? ticks - clock_overhead() : 1;
	return (struct cost){ .ns = (double)ticks / clock_ghz(),
			      .cpu_ns = (double)(clp_nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - w->cpu),
			      .faults = (double)(faults_so_far() - w->faults) };
}

static void record_way(struct record *r, const char *type, const struct ways *ways, const struct way *way)
{
	record_begin(r, type);
	record_text(r, "bench", ways->bench);
	record_text(r, "variant", way->name);
	if (way->threads)
		record_whole(r, "threads", way->threads);
	record_whole(r, "size", (int64_t)ways->size);
	ways->describe(ways->arg, r);
}

static void write_sample(const struct ways *ways, struct output *out, const struct way *way, unsigned round, const struct cost *cost)
{
	struct record r;

	record_way(&r, "sample", ways, way);
	record_whole(&r, "round", round);
	record_real(&r, "cpu_ns", cost->cpu_ns);
	record_whole(&r, "faults", (int64_t)cost->faults);
	record_real(&r, "value", cost->ns);
	record_text(&r, "unit", "ns");
	record_text(&r, "better", "lower");
	output_record(out, &r);
	record_end(&r);
}

static size_t find(const struct ways *ways, const char *name)
{
	for (size_t w = 0; w < ways->n; w++)
		if (!strcmp(ways->way[w].name, name) && !ways->way[w].missing)
			return w;
	return SIZE_MAX;
}

static void summarise(const struct ways *ways, struct output *out, size_t w)
{
	double ns[WAYS_SAMPLES_MAX], base_ns[WAYS_SAMPLES_MAX], cpu[WAYS_SAMPLES_MAX], faults[WAYS_SAMPLES_MAX], mid, versus;
	size_t base = find(ways, ways->base);
	unsigned n = ways->taken;
	struct record r;

	for (unsigned i = 0; i < n; i++) {
		ns[i] = ways->costs[w][i].ns;
		cpu[i] = ways->costs[w][i].cpu_ns;
		faults[i] = ways->costs[w][i].faults;
		base_ns[i] = base < ways->n ? ways->costs[base][i].ns : NAN;
	}
	/* Before the median, which sorts them. */
	versus = median_ratio(base_ns, ns, n);
	mid = median(ns, n);
	record_way(&r, "summary", ways, &ways->way[w]);
	record_whole(&r, "samples", n);
	record_real(&r, "us", mid / 1e3);
	record_real(&r, "us_min", ns[0] / 1e3);
	record_real(&r, "us_max", ns[n - 1] / 1e3);
	record_real(&r, "gbps", (double)ways->size / mid);
	record_real(&r, "gbps_min", (double)ways->size / ns[n - 1]);
	record_real(&r, "gbps_max", (double)ways->size / ns[0]);
	record_real(&r, "cpu_us", median(cpu, n) / 1e3);
	record_whole(&r, "faults", (int64_t)median(faults, n));
	if (base < ways->n)
		record_real(&r, ways->versus, versus);
	output_record(out, &r);
	record_end(&r);
}

void ways_run(struct ways *ways, struct output *out)
{
	unsigned order[WAYS_MAX];
	char what[64];

	for (size_t w = 0; w < ways->n; w++) {
		order[w] = (unsigned)w;
		ways->costs[w] = calloc(ways->samples, sizeof(*ways->costs[w]));
		if (!ways->costs[w])
			die(EXIT_FAILED, "out of memory");
	}
	snprintf(what, sizeof(what), "%s %s", ways->bench, format_size(ways->size));
	for (ways->taken = 0; ways->taken < ways->samples && !interrupted; ways->taken++) {
		unsigned round = ways->taken;

		shuffle(ways->random, order, ways->n);
		for (size_t i = 0; i < ways->n && !interrupted; i++) {
			const struct way *way = &ways->way[order[i]];
			struct cost *cost = &ways->costs[order[i]][round];

			if (way->missing)
				continue;
			*cost = ways->sample(ways->arg, way);
			write_sample(ways, out, way, round, cost);
		}
		if (interrupted)
			break;
		progress(round + 1, ways->samples, what);
	}
	for (size_t w = 0; w < ways->n; w++)
		if (ways->taken && !ways->way[w].missing)
			summarise(ways, out, w);
	for (size_t w = 0; w < ways->n; w++)
		free(ways->costs[w]);
}

static void allowed(cpu_set_t *cpus)
{
	if (sched_getaffinity(0, sizeof(*cpus), cpus))
		die(EXIT_FAILED, "the CPUs that may be used are not known: %s", strerror(errno));
}

enum { OPT_THREADS = OPT_LONG + 0x80 }; /* beyond those of a benchmark's own */

static const struct argp_option options[] = {
	{ "threads", OPT_THREADS, "LIST", 0, "Numbers of threads (default: 2, 4, ... and all CPUs)", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct ways_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->common;
		return 0;
	case OPT_THREADS:
		o->n_threads = parse_threads(arg, o->threads, WAYS_THREADS_MAX);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &common_argp, 0, NULL, 0 }, { 0 } };
const struct argp ways_argp = { options, parse, NULL, NULL, children, NULL, NULL };

void ways_check(struct ways_options *o)
{
	const struct common *c = &o->common;
	unsigned n;
	cpu_set_t cpus;

	if (c->variants)
		die(EXIT_USAGE, "--variant: '%s': the ways that are compared are fixed", c->variants);
	if (c->pin >= 0)
		die(EXIT_USAGE, "--pin: '%d': one CPU is not for several threads; taskset(1) gives a set of them", c->pin);
	if (c->samples > WAYS_SAMPLES_MAX)
		die(EXIT_USAGE, "--samples: '%u' is more than %u", c->samples, WAYS_SAMPLES_MAX);
	allowed(&cpus);
	n = (unsigned)CPU_COUNT(&cpus);
	for (size_t i = 0; i < o->n_threads; i++)
		if (o->threads[i] > n)
			die(EXIT_FAILED, "--threads: %u threads need as many CPUs, there are %u", o->threads[i], n);
	if (!o->n_threads)
		for (unsigned t = 2; t <= n; t = 2 * t > n && t < n ? n : 2 * t)
			o->threads[o->n_threads++] = t;
}

void ways_start(const struct common *c, struct output *out, const char *bench, int argc, char **argv)
{
	cpu_set_t cpus;

	allowed(&cpus);
	common_start(c, out, bench, argc, argv);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}
