/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * small.c - `bench small`: short clears of memory in cache, nanoseconds a call, beside libc's memset.
 *
 * A sample is a row of calls on one buffer, long against the clock's step; the loop's own time, measured with an empty
 * function, is taken off. Every call is through a pointer, as a program's calls to a shared library are.
 */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define CALLS 2000u
#define ROUNDS 201u
#define ROUNDS_MAX 2001u
#define LARGEST ((size_t)16 << 10)

static int nothing(void *at, size_t len, unsigned flags)
{
	(void)at;
	(void)len;
	return (int)flags;
}

typedef int call(void *at, size_t len, unsigned flags);

/* One row of calls; the pointer is reread, so that the compiler knows nothing of the callee. */
static double __attribute__((noinline)) row_clp(call *volatile *fn, unsigned char *at, size_t len)
{
	uint64_t start = clock_start();

	for (unsigned i = 0; i < CALLS; i++)
		(*fn)(at, len, 0);
	return (double)(clock_stop() - start) / CALLS;
}

static double __attribute__((noinline)) row_memset(void *(*volatile *fn)(void *, int, size_t), unsigned char *at, size_t len)
{
	uint64_t start = clock_start();

	for (unsigned i = 0; i < CALLS; i++)
		(*fn)(at, 0, len);
	return (double)(clock_stop() - start) / CALLS;
}

static const struct column columns[] = {
	{ "size", "size", 9, 0, true },	      { "libc_ns", "memset ns", 9, 2, false },
	{ "libc_min", "min", 7, 2, false },   { "clear_ns", "clp_clear ns", 12, 2, false },
	{ "clear_min", "min", 7, 2, false },  { "more_ns", "more", 7, 2, false },
	{ "share", "x memset", 8, 3, false }, { 0 },
};

/* What a row of calls took, the loop included: what is empty says how much that is. */
static void sample_record(struct output *out, unsigned what, size_t size, unsigned round, double ns)
{
	static const char *const names[] = { "libc", "auto", "empty" };
	struct record r;

	record_begin(&r, "sample");
	record_text(&r, "bench", "small");
	record_text(&r, "variant", names[what]);
	record_whole(&r, "size", (int64_t)size);
	record_whole(&r, "round", round);
	record_real(&r, "value", ns);
	record_text(&r, "unit", "ns");
	record_text(&r, "better", "lower");
	output_record(out, &r);
	record_end(&r);
}

static void run_size(struct output *out, struct random *random, unsigned char *at, size_t size, unsigned rounds)
{
	void *(*volatile set)(void *, int, size_t) = memset;
	call *volatile clear = clp_clear, *volatile empty = nothing;
	static double samples[3][ROUNDS_MAX];
	double ns = 1 / clock_ghz(), loop;
	unsigned order[3] = { 0, 1, 2 };
	struct record r;

	for (unsigned round = 0; round < rounds && !interrupted; round++) {
		shuffle(random, order, 3);
		for (unsigned i = 0; i < 3; i++) {
			unsigned what = order[i];

			memory_fill(at, size);
			samples[what][round] =
			    what == 0 ? row_memset(&set, at, size) : row_clp(what == 1 ? &clear : &empty, at, size);
			if (what != 2 && !memory_is_zero(at, size))
				die(EXIT_FAILED, "%s left a byte that is not zero in %zu bytes",
				    what ? "clp_clear" : "memset", size);
			sample_record(out, what, size, round, samples[what][round] * ns);
		}
	}
	if (interrupted)
		return;
	loop = median(samples[2], rounds);
	record_begin(&r, "summary");
	record_text(&r, "bench", "small");
	record_whole(&r, "size", (int64_t)size);
	record_real(&r, "libc_ns", (median(samples[0], rounds) - loop) * ns);
	record_real(&r, "libc_min", (samples[0][0] - loop) * ns);
	record_real(&r, "libc_max", (samples[0][rounds - 1] - loop) * ns);
	record_real(&r, "clear_ns", (median(samples[1], rounds) - loop) * ns);
	record_real(&r, "clear_min", (samples[1][0] - loop) * ns);
	record_real(&r, "clear_max", (samples[1][rounds - 1] - loop) * ns);
	record_real(&r, "loop_ns", loop * ns);
	record_real(&r, "more_ns", (median(samples[1], rounds) - median(samples[0], rounds)) * ns);
	record_real(&r, "share", median(samples[1], rounds) / median(samples[0], rounds));
	output_record(out, &r);
	record_end(&r);
}

int bench_small(int argc, char **argv)
{
	static const char doc[] = "Measure short clears of memory in cache through clp_clear: nanoseconds a call, the "
				  "loop's own time taken off, beside libc's "
				  "memset. --variant and --page do not apply.";
	struct argp argp = common_argp;
	static const uint64_t defaults[] = { 1,	  2,   4,   8,	 16,  24,  32,	 48,   64,   96,
					     128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 4096 };
	size_t n = sizeof(defaults) / sizeof(defaults[0]);
	uint64_t *given = NULL;
	struct common o;
	struct output out;
	struct random random;
	unsigned char *at;

	common_init(&o);
	argp.doc = doc;
	parse_options(&argp, argc, argv, &o);
	if (o.variants)
		die(EXIT_USAGE, "--variant: '%s': small compares clp_clear with memset alone", o.variants);
	if (o.page_given)
		die(EXIT_USAGE, "--page: '%s': small clears memory in cache, on ordinary pages", page_kind_name(o.page));
	if (o.samples > ROUNDS_MAX)
		die(EXIT_USAGE, "--samples: '%u' is above %u", o.samples, ROUNDS_MAX);
	if (o.sizes)
		given = parse_size_list("--size", o.sizes, &n);
	for (size_t i = 0; given && i < n; i++)
		if (given[i] > LARGEST)
			die(EXIT_USAGE, "--size: %llu is not small; at most %zu", (unsigned long long)given[i], LARGEST);
	at = aligned_alloc(4096, LARGEST);
	if (!at)
		die(EXIT_FAILED, "out of memory");
	random.state = o.seed;
	common_start(&o, &out, "small", argc, argv);
	output_columns(&out, columns);
	for (size_t i = 0; i < n && !interrupted; i++)
		run_size(&out, &random, at, given ? given[i] : defaults[i], o.samples ? o.samples : ROUNDS);
	free(at);
	free(given);
	return common_end(&out, "small");
}
