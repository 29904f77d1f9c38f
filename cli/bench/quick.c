/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quick.c - `bench quick`: in under a minute, what the fastest way to clear memory is here, and how far memset is from it.
 *
 * COLD: uncached destinations, nothing read after. HOT: destinations in cache, all of it read after. Ends in plain words.
 */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define KiB ((size_t)1 << 10)
#define SIZES_MAX 8
/* Seconds for one line of the table. */
#define BUDGET 2.0

/* One hint: its sizes, and for each the fastest single method. */
struct half {
	const char *hint; /* a policy's name */
	bool cached;
	unsigned touch;
	size_t size[SIZES_MAX];
	size_t n;
	char best[SIZES_MAX][24];
	double gain[SIZES_MAX];  /* of the best over libc */
	double reach[SIZES_MAX]; /* the policy's rate over the best's */
};

static const struct column columns[] = {
	{ "hint", "use", -5, 0, false },
	{ "size", "size", 9, 0, true },
	{ "libc_gbps", "libc GB/s", 9, 2, false },
	{ "policy_gbps", "policy", 7, 2, false },
	{ "policy_min", "min", 6, 2, false },
	{ "policy_max", "max", 6, 2, false },
	{ "policy_vs_libc", "x libc", 6, 2, false },
	{ "gbps", "best", 7, 2, false },
	{ "best_vs_libc", "x libc", 6, 2, false },
	{ "variant", "which", -10, 0, false },
	{ 0 },
};

/* Rounds that fit the budget, from the time of one untimed round. */
static unsigned rounds_for(struct bench *b, const struct cell *c, const struct method *methods, size_t n)
{
	double start = clock_seconds(), round;

	for (size_t m = 0; m < n && !interrupted; m++)
		cell_sample(b, c, &methods[m]);
	round = clock_seconds() - start;
	if (round * 51 < BUDGET)
		return 51;
	return round * 3 > BUDGET ? 3 : (unsigned)(BUDGET / round);
}

static double rate(const struct record *r, const char *key)
{
	const struct value *v = record_find(r, key);

	return v ? v->as.real : 0;
}

static void run_size(struct half *h, size_t i, const struct common *o, struct bench *b, struct output *out,
		     const struct method *methods, size_t n)
{
	struct cell c = { .size = h->size[i], .cached = h->cached, .touch = h->touch };
	struct group g = { .cell = &c, .methods = methods, .n = n };
	struct record rates[METHODS_MAX], r;
	size_t best = 0, policy = 0, libc = 0;

	g.samples = o->samples ? o->samples : rounds_for(b, &c, methods, n);
	group_run(&g, b, out, "quick");
	if (!g.taken) {
		group_free(&g);
		return;
	}
	for (size_t m = 0; m < n; m++) {
		record_begin(&rates[m], "rates");
		record_rates(&rates[m], &g, m);
		if (!strcmp(methods[m].name, h->hint))
			policy = m;
		if (methods[m].kind == METHOD_LIBC)
			libc = m;
	}
	for (size_t m = 0; m < n; m++)
		if (methods[m].kind != METHOD_POLICY && rate(&rates[m], "gbps") > rate(&rates[best], "gbps"))
			best = m;
	h->gain[i] = rate(&rates[best], "vs_libc");
	h->reach[i] = group_ratio(&g, best, policy);
	snprintf(h->best[i], sizeof(h->best[i]), "%s", methods[best].name);

	record_begin(&r, "summary");
	record_cell(&r, "quick", &c, methods[best].name);
	record_text(&r, "hint", h->hint);
	record_whole(&r, "samples", g.taken);
	record_real(&r, "libc_gbps", rate(&rates[libc], "gbps"));
	record_real(&r, "libc_min", rate(&rates[libc], "gbps_min"));
	record_real(&r, "libc_max", rate(&rates[libc], "gbps_max"));
	record_real(&r, "policy_gbps", rate(&rates[policy], "gbps"));
	record_real(&r, "policy_min", rate(&rates[policy], "gbps_min"));
	record_real(&r, "policy_max", rate(&rates[policy], "gbps_max"));
	record_real(&r, "policy_vs_libc", rate(&rates[policy], "vs_libc"));
	record_real(&r, "gbps", rate(&rates[best], "gbps"));
	record_real(&r, "gbps_min", rate(&rates[best], "gbps_min"));
	record_real(&r, "gbps_max", rate(&rates[best], "gbps_max"));
	record_real(&r, "best_vs_libc", h->gain[i]);
	output_record(out, &r);
	record_end(&r);
	for (size_t m = 0; m < n; m++)
		record_end(&rates[m]);
	group_free(&g);
}

/* Runs of sizes with the same best method, a sentence each. */
static void say(const struct half *h, struct output *out)
{
	char hint[8];
	size_t from = 0;

	snprintf(hint, sizeof(hint), "%s", h->cached ? "HOT" : "COLD");
	while (from < h->n && h->best[from][0]) {
		double least = h->gain[from], most = least;
		size_t to = from;
		char gain[32], range[64];

		while (to + 1 < h->n && !strcmp(h->best[to + 1], h->best[from])) {
			to++;
			least = h->gain[to] < least ? h->gain[to] : least;
			most = h->gain[to] > most ? h->gain[to] : most;
		}
		if (most - least < 0.1)
			snprintf(gain, sizeof(gain), "%.1fx", most);
		else
			snprintf(gain, sizeof(gain), "%.1fx to %.1fx", least, most);
		if (to + 1 == h->n && from)
			snprintf(range, sizeof(range), "%s and more", format_size(h->size[from]));
		else if (to == from)
			snprintf(range, sizeof(range), "%s", format_size(h->size[from]));
		else
			snprintf(range, sizeof(range), "%s to %s", format_size(h->size[from]), format_size(h->size[to]));
		if (!strcmp(h->best[from], "libc"))
			output_say(out, "for %s clears of %s nothing beats libc's memset", hint, range);
		else
			output_say(out, "for %s clears of %s use %s: %s memset", hint, range, h->best[from], gain);
		from = to + 1;
	}
}

static double worst(const struct half *h)
{
	double least = 1e9;

	for (size_t i = 0; i < h->n; i++)
		if (h->best[i][0] && h->reach[i] < least)
			least = h->reach[i];
	return least;
}

int bench_quick(int argc, char **argv)
{
	static const char doc[] = "In under a minute: the fastest way to clear memory here, the policy's choice, and libc's "
				  "memset. GB/s are 10^9 payload bytes, "
				  "median (and minimum, maximum). COLD: destination not in cache, not used after. HOT: in "
				  "cache, all of it read after.";
	struct argp argp = common_argp;
	static const size_t hot_sizes[] = { 4 * KiB, 16 * KiB, 64 * KiB, 256 * KiB };
	struct half cold = { .hint = "cold" }, hot = { .hint = "hot", .cached = true, .touch = 1 };
	struct method methods[METHODS_MAX];
	struct common o;
	size_t n, n_sizes, largest;
	uint64_t *sizes;
	struct output out;
	struct bench b;

	common_init(&o);
	argp.doc = doc;
	parse_options(&argp, argc, argv, &o);
	n = methods_beside_libc("--variant", o.variants ? o.variants : "all", CLP_OP_CLEAR, methods);
	if (n > METHODS_MAX - 2)
		n = METHODS_MAX - 2;
	method_find("hot", CLP_OP_CLEAR, &methods[n++]);
	method_find("cold", CLP_OP_CLEAR, &methods[n++]);
	sizes = page_sizes(&o, "4KB,64KB,1MB,32MB,1GB", &n_sizes, &largest);
	if (n_sizes > SIZES_MAX)
		die(EXIT_USAGE, "--size: '%s' has more than %d sizes", o.sizes, SIZES_MAX);
	for (size_t i = 0; i < n_sizes; i++)
		cold.size[cold.n++] = sizes[i];

	common_start(&o, &out, "quick", argc, argv);
	bench_open(&b, largest, 0, false, o.page, 0, o.seed);
	/* Given sizes serve both halves; HOT's stay within the L2. */
	for (size_t i = 0; i < (o.sizes ? n_sizes : sizeof(hot_sizes) / sizeof(hot_sizes[0])); i++) {
		size_t size = o.sizes ? sizes[i] : hot_sizes[i];

		if (size <= b.l2)
			hot.size[hot.n++] = size;
	}
	output_columns(&out, columns);
	for (size_t i = 0; i < cold.n && !interrupted; i++)
		run_size(&cold, i, &o, &b, &out, methods, n);
	for (size_t i = 0; i < hot.n && !interrupted; i++)
		run_size(&hot, i, &o, &b, &out, methods, n);
	bench_close(&b);
	free(sizes);
	if (!interrupted) {
		output_say(&out, "%s", "");
		say(&cold, &out);
		say(&hot, &out);
		output_say(&out, "the policy reaches at least %.0f%% of the best for COLD, %.0f%% for HOT",
			   100 * worst(&cold), 100 * worst(&hot));
	}
	return common_end(&out, "quick");
}
