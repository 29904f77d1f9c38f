/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * common.c - the options that every benchmark has, and the frame around a run.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

#define SHARE_MAX 1048576

enum { OPT_JSON = OPT_LONG + 0x100, OPT_SEED, OPT_SAMPLES, OPT_PIN, OPT_PAGE };

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Common to the benchmarks:", 10 },
	{ "variant", 'v', "LIST", 0, "What to measure: routines, libc, pmem, auto, hot, cold, all", 10 },
	{ "size", 's', "LIST", 0, "Sizes: 4KB,2MB or 4KB..4GB (doubling)", 10 },
	{ "page", OPT_PAGE, "KIND", 0, "Pages under the destination: 4KB, thp (default), 2MB, 1GB", 10 },
	{ "samples", OPT_SAMPLES, "N", 0, "Samples of each figure", 10 },
	{ "seed", OPT_SEED, "N", 0, "Seed of the orders and places (default: the time)", 10 },
	{ "pin", OPT_PIN, "CPU", 0, "Run on this CPU (default: where it started)", 10 },
	{ "json", OPT_JSON, NULL, 0, "JSON Lines on standard output instead of text", 10 },
	{ "output", 'o', "FILE", 0, "JSON Lines into FILE, beside the text", 10 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct common *c = state->input;

	switch (key) {
	case 'v':
		c->variants = arg;
		return 0;
	case 's':
		c->sizes = arg;
		return 0;
	case 'o':
		c->output = arg;
		return 0;
	case OPT_PAGE:
		c->page = parse_page_kind("--page", arg);
		c->page_given = true;
		return 0;
	case OPT_SAMPLES:
		c->samples = (unsigned)parse_count("--samples", arg, 1, 100000);
		return 0;
	case OPT_SEED:
		c->seed = parse_count("--seed", arg, 0, INT64_MAX);
		return 0;
	case OPT_PIN:
		c->pin = (int)parse_count("--pin", arg, 0, CPU_SETSIZE - 1);
		return 0;
	case OPT_JSON:
		c->json = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp common_argp = { options, parse, NULL, NULL, NULL, NULL, NULL };

void common_init(struct common *c)
{
	*c = (struct common){ .seed = (uint64_t)time(NULL), .pin = -1, .page = PAGE_THP };
}

uint64_t *page_sizes(const struct common *c, const char *defaults, size_t *n, size_t *largest)
{
	uint64_t *sizes = parse_size_list("--size", c->sizes ? c->sizes : defaults, n);

	*largest = 0;
	for (size_t i = 0; i < *n; i++) {
		if (sizes[i] % 4096)
			die(EXIT_USAGE, "--size: %llu is not a multiple of the page size, 4096",
			    (unsigned long long)sizes[i]);
		if (sizes[i] > *largest)
			*largest = sizes[i];
	}
	return sizes;
}

bool parse_cached(const char *option, const char *text)
{
	bool cached = !strcmp(text, "cached");

	if (!cached && strcmp(text, "uncached") != 0)
		die(EXIT_USAGE, "%s: '%s' is neither cached nor uncached", option, text);
	return cached;
}

unsigned parse_share(const char *option, const char *text)
{
	unsigned long n = 0;
	char *end = NULL;

	if (!strcmp(text, "0"))
		return 0;
	if (!strcmp(text, "1"))
		return 1;
	if (!strncmp(text, "1/", 2) && isdigit((unsigned char)text[2]))
		n = strtoul(text + 2, &end, 10);
	if (n < 1 || n > SHARE_MAX || *end)
		die(EXIT_USAGE, "%s: '%s' is not a share; write 0, 1 or 1/N, N at most %d", option, text, SHARE_MAX);
	return (unsigned)n;
}

size_t parse_threads(const char *list, unsigned *threads, size_t most)
{
	size_t n;
	char **words = parse_words("--threads", list, &n);

	if (n > most)
		die(EXIT_USAGE, "--threads: '%s' has more than %zu items", list, most);
	for (size_t i = 0; i < n; i++)
		threads[i] = (unsigned)parse_count("--threads", words[i], 1, 1024);
	free_words(words, n);
	return n;
}

void pin_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die(EXIT_FAILED, "--pin: CPU %d can't be used: %s", cpu, strerror(errno));
}

void common_start(const struct common *c, struct output *out, const char *bench, int argc, char **argv)
{
	struct record r;

	output_open(out, c->json, c->output);
	catch_interrupts();
	pin_to(c->pin < 0 ? sched_getcpu() : c->pin);
	record_begin(&r, "header");
	record_text(&r, "bench", bench);
	record_machine(&r, argc, argv, c->seed);
	record_text(&r, "page", page_kind_name(c->page));
	record_real(&r, "tsc_ghz", clock_ghz());
	output_record(out, &r);
	record_end(&r);
}

int common_end(struct output *out, const char *bench)
{
	struct record r;

	progress_clear();
	if (interrupted) {
		output_columns(out, NULL);
		record_begin(&r, "summary");
		record_text(&r, "bench", bench);
		record_truth(&r, "interrupted", true);
		output_record(out, &r);
		record_end(&r);
		output_say(out, "interrupted; the samples taken so far are kept");
	}
	output_close(out);
	return interrupted ? EXIT_INTERRUPTED : EXIT_OK;
}
