/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recycle.c - `bench recycle`: rounds of using a region and making it zero again. A round writes a share of its pages and reads others; the faults that a
 * way of recycling leaves to the use are in its time, and so is what learning costs.
 *
 * Each way has a region of its own, which it keeps from round to round. The ways that do not learn run in every fourth round.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../../lib/learn.h"
#include "bench.h"

#define PAGE ((size_t)4096)
#define ROUNDS 200u
#define ROUNDS_MAX 10000u
#define SETTLED 10u /* rounds that do not count */
#define EVERY 4u
#define SHARES_MAX 16u
#define CHECKED 64u

struct options {
	struct common common;
	unsigned shares[SHARES_MAX]; /* 1/N of the pages; 0: none */
	size_t n_shares;
	unsigned read;
	bool split;
};

enum { OPT_SHARE = OPT_LONG, OPT_READ, OPT_SPLIT };

static const struct argp_option argp_options[] = {
	{ "share", OPT_SHARE, "LIST", 0, "Shares of the pages that a round writes (default: 0,1/1000,1/100,1/10,1/2,1)", 0 },
	{ "read", OPT_READ, "SHARE", 0, "Share of the pages that a round reads besides (default: 1/10)", 0 },
	{ "split", OPT_SPLIT, NULL, 0, "Track huge pages too, which splits them (CLP_SPLIT_OK)", 0 },
	{ 0 },
};

static void parse_shares(struct options *o, const char *list)
{
	char **words = parse_words("--share", list, &o->n_shares);

	if (o->n_shares > SHARES_MAX)
		die(EXIT_USAGE, "--share: '%s' has more than %u items", list, SHARES_MAX);
	for (size_t i = 0; i < o->n_shares; i++)
		o->shares[i] = parse_share("--share", words[i]);
	free_words(words, o->n_shares);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->common;
		return 0;
	case OPT_SHARE:
		parse_shares(o, arg);
		return 0;
	case OPT_READ:
		o->read = parse_share("--read", arg);
		return 0;
	case OPT_SPLIT:
		o->split = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* A way's region, and what clp_recycle() knows of it. */
struct place {
	struct memory memory;
	struct clp_recycler recycler;
	unsigned flags;
};

static void by_memset(struct place *p)
{
	memset(p->memory.at, 0, p->memory.size);
	__asm__ volatile("" : : "r"(p->memory.at) : "memory");
}

static void by_drop(struct place *p)
{
	if (madvise(p->memory.at, p->memory.size, MADV_DONTNEED))
		die(EXIT_FAILED, "madvise(MADV_DONTNEED): %s", strerror(errno));
}

static void recycle(struct place *p, unsigned flags)
{
	int did = clp_recycle(p->memory.at, p->memory.size, flags, &p->recycler);

	if (did < 0)
		die(EXIT_FAILED, "clp_recycle: %s", clp_strerror(did));
}

static void by_clear(struct place *p)
{
	recycle(p, 0);
}

/* Tracking at any price: it is told that it tracks, and that a clear of all would take for ever. */
static void by_tracked(struct place *p)
{
	struct clp_learnt known;

	memcpy(&known, p->recycler.state, sizeof(known));
	known.mode = CLP_LEARN_TRACK;
	known.whole = 1e9f;
	memcpy(p->recycler.state, &known, sizeof(known));
	recycle(p, p->flags);
}

static void by_learning(struct place *p)
{
	recycle(p, p->flags);
}

static const struct way {
	const char *name;
	void (*recycle)(struct place *p);
	bool tracks, keeps;
	unsigned every; /* rounds */
} ways[] = {
	{ "recycle", by_learning, false, true, 1 },   { "tracked", by_tracked, true, true, EVERY }, { "clear", by_clear, false, true, EVERY },
	{ "memset", by_memset, false, true, EVERY }, { "drop", by_drop, false, false, EVERY },
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

struct run {
	const struct options *o;
	struct output *out;
	struct random random;
	unsigned *order;      /* the pages of a region in a random order, the same for all ways */
	size_t pages, size;
	unsigned rounds;
	struct place places[WAYS];
	bool there[WAYS];
	double *taken[WAYS], *use[WAYS]; /* ns, of rounds that count */
	unsigned n[WAYS];
};

/* The pages of a round: written ones from `start` on in the order, read ones after them. */
static void use(struct run *r, unsigned char *at, size_t start, size_t written, size_t read)
{
	volatile unsigned char *p = at;

	for (size_t i = 0; i < written; i++) {
		size_t page = r->order[(start + i) % r->pages];

		p[page * PAGE + page % PAGE] = FILL;
	}
	for (size_t i = 0; i < read; i++) {
		size_t page = r->order[(start + written + i) % r->pages];

		(void)p[page * PAGE + page % PAGE];
	}
}

/* Some of what was written; all is looked at when the rounds are over. */
static void check(const struct run *r, size_t w, size_t start, size_t written)
{
	const unsigned char *p = r->places[w].memory.at;

	for (size_t i = 0; i < written && i < CHECKED; i++) {
		size_t page = r->order[(start + i * (written / CHECKED + 1) % written) % r->pages];

		if (!memory_is_zero(p + page * PAGE, PAGE))
			die(EXIT_FAILED, "%s left a byte that is not zero in page %zu", ways[w].name, page);
	}
}

static void record_place(struct record *record, const struct run *r, const char *type, const char *way, const char *share)
{
	record_begin(record, type);
	record_text(record, "bench", "recycle");
	record_text(record, "variant", way);
	record_whole(record, "size", (int64_t)r->size);
	record_text(record, "page", page_kind_name(r->places[0].memory.kind));
	record_text(record, "share", share);
	record_text(record, "read", touch_name(r->o->read));
}

static void round_of(struct run *r, size_t w, unsigned round, size_t start, unsigned share)
{
	size_t written = share ? r->pages / share : 0, read = r->o->read ? r->pages / r->o->read : 0;
	struct place *p = &r->places[w];
	double ns = 1 / clock_ghz(), used, all;
	struct record record;
	uint64_t from = clock_start();

	use(r, p->memory.at, start, written, read);
	used = (double)(clock_stop() - from) * ns;
	ways[w].recycle(p);
	all = (double)(clock_stop() - from) * ns;
	if (ways[w].keeps)
		check(r, w, start, written);
	if (round >= SETTLED) {
		r->use[w][r->n[w]] = used;
		r->taken[w][r->n[w]++] = all;
	}
	record_place(&record, r, "sample", ways[w].name, touch_name(share));
	record_whole(&record, "round", round);
	record_real(&record, "use_ns", used);
	record_real(&record, "value", all);
	record_text(&record, "unit", "ns");
	record_text(&record, "better", "lower");
	if (p->recycler.tracking != CLP_TRACKING_UNASKED)
		record_text(&record, "tracking", clp_tracking_name(p->recycler.tracking));
	output_record(r->out, &record);
	record_end(&record);
}

static double mean(const double *values, unsigned n)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += values[i];
	return n ? sum / n : 0;
}

static const struct column columns[] = {
	{ "size", "size", 9, 0, true },	       { "share", "written", -8, 0, false },  { "variant", "way", -9, 0, false },
	{ "mean_ms", "round ms", 8, 2, false }, { "use_ms", "use", 7, 2, false },      { "min_ms", "min", 7, 2, false },
	{ "max_ms", "max", 7, 2, false },	{ "vs_best", "x best", 7, 3, false }, { "tracking", "tracking", -8, 0, false }, { 0 },
};

/* Means, not medians: what learning costs comes in few rounds. */
static void summarise(struct run *r, unsigned share)
{
	double best = 0;
	struct record record;

	for (size_t w = 1; w < WAYS; w++)
		if (r->n[w] && (!(best > 0) || mean(r->taken[w], r->n[w]) < best))
			best = mean(r->taken[w], r->n[w]);
	for (size_t w = 0; w < WAYS; w++) {
		double all = mean(r->taken[w], r->n[w]), used = mean(r->use[w], r->n[w]);
		enum clp_tracking tracking = r->places[w].recycler.tracking;

		if (!r->n[w])
			continue;
		record_place(&record, r, "summary", ways[w].name, touch_name(share));
		record_whole(&record, "samples", r->n[w]);
		record_real(&record, "mean_ms", all * 1e-6);
		record_real(&record, "use_ms", used * 1e-6);
		(void)median(r->taken[w], r->n[w]); /* sorts */
		record_real(&record, "min_ms", r->taken[w][0] * 1e-6);
		record_real(&record, "max_ms", r->taken[w][r->n[w] - 1] * 1e-6);
		record_real(&record, "vs_best", best > 0 ? all / best : 1);
		record_text(&record, "tracking", tracking == CLP_TRACKING_UNASKED ? "" : clp_tracking_name(tracking));
		output_record(r->out, &record);
		record_end(&record);
	}
}

static void start_share(struct run *r)
{
	for (size_t w = 0; w < WAYS; w++) {
		struct place *p = &r->places[w];

		r->n[w] = 0;
		if (!r->there[w])
			continue;
		/* Without CLP_TRACKED once, so that nothing of the share before is known or protected; and all in memory again. */
		recycle(p, 0);
		p->recycler = (struct clp_recycler){ .sz = sizeof(p->recycler) };
		memory_fill(p->memory.at, p->memory.size);
	}
}

static void run_share(struct run *r, unsigned share)
{
	unsigned order[WAYS], done = 0;
	char what[64];

	for (unsigned w = 0; w < WAYS; w++)
		order[w] = w;
	start_share(r);
	snprintf(what, sizeof(what), "recycle, %s written", touch_name(share));
	for (; done < r->rounds && !interrupted; done++) {
		size_t start = random_below(&r->random, r->pages);

		shuffle(&r->random, order, WAYS);
		for (size_t i = 0; i < WAYS; i++)
			if (r->there[order[i]] && done % ways[order[i]].every == 0)
				round_of(r, order[i], done, start, share);
		progress(done + 1, r->rounds, what);
	}
	for (size_t w = 0; w < WAYS; w++)
		if (r->there[w] && done && !memory_is_zero(r->places[w].memory.at, r->size))
			die(EXIT_FAILED, "%s left a byte that is not zero", ways[w].name);
	summarise(r, share);
}

/* Whether the system can track at all; says why not. */
static bool can_track(void)
{
	struct place p = { .recycler = { .sz = sizeof(p.recycler) } };
	enum clp_tracking tracking;

	memory_get(&p.memory, (size_t)8 << 20, PAGE_4K, "bench recycle");
	recycle(&p, CLP_TRACKED);
	tracking = p.recycler.tracking;
	memory_put(&p.memory);
	if (tracking != CLP_TRACKING_MISSING && tracking != CLP_TRACKING_DENIED)
		return true;
	complain("tracking is %s here%s: the way 'tracked' is left out, and 'recycle' clears whole", clp_tracking_name(tracking),
	     tracking == CLP_TRACKING_MISSING ? " (it wants Linux 6.7)" : " (userfaultfd(2) or /proc/self/pagemap)");
	return false;
}

static void run_size(const struct options *o, struct output *out, size_t size)
{
	struct run r = { .o = o, .out = out, .random = { o->common.seed }, .pages = size / PAGE, .size = size };
	bool tracks = can_track();

	r.rounds = o->common.samples ? o->common.samples : ROUNDS;
	r.order = calloc(r.pages, sizeof(*r.order));
	if (!r.order)
		die(EXIT_FAILED, "out of memory");
	for (size_t i = 0; i < r.pages; i++)
		r.order[i] = (unsigned)i;
	shuffle(&r.random, r.order, r.pages);
	memory_check(WAYS * size, o->common.page, "bench recycle");
	for (size_t w = 0; w < WAYS; w++) {
		r.there[w] = !ways[w].tracks || tracks;
		r.taken[w] = calloc(2 * r.rounds, sizeof(double));
		if (!r.taken[w])
			die(EXIT_FAILED, "out of memory");
		r.use[w] = r.taken[w] + r.rounds;
		r.places[w].recycler.sz = sizeof(r.places[w].recycler);
		r.places[w].flags = CLP_TRACKED | (o->split ? CLP_SPLIT_OK : 0);
		if (r.there[w])
			memory_get(&r.places[w].memory, size, o->common.page, "bench recycle");
	}
	for (size_t s = 0; s < o->n_shares && !interrupted; s++)
		run_share(&r, o->shares[s]);
	for (size_t w = 0; w < WAYS; w++) {
		memory_put(&r.places[w].memory);
		free(r.taken[w]);
	}
	free(r.order);
}

int bench_recycle(int argc, char **argv)
{
	static const struct argp_child children[] = { { &common_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		argp_options,
		parse,
		NULL,
		"Measure making a used region zero again, round by round: clp_recycle() as it learns, tracking always, clearing what is in "
		"memory, memset, and MADV_DONTNEED. A round uses the region first, and the time of both counts. --samples: rounds (default 200). "
		"--variant does not apply. Five regions are needed.",
		children,
		NULL,
		NULL,
	};
	struct options o = { .read = 10 };
	size_t n_sizes, largest;
	struct output out;
	uint64_t *sizes;

	common_init(&o.common);
	parse_shares(&o, "0,1/1000,1/100,1/10,1/2,1");
	parse_options(&argp, argc, argv, &o);
	if (o.common.variants)
		die(EXIT_USAGE, "--variant: '%s': the ways that are compared are fixed", o.common.variants);
	if (o.common.samples && (o.common.samples <= SETTLED || o.common.samples > ROUNDS_MAX))
		die(EXIT_USAGE, "--samples: '%u' rounds; between %u and %u, of which the first %u do not count", o.common.samples, SETTLED + 1,
		    ROUNDS_MAX, SETTLED);
	if (!o.common.page_given)
		o.common.page = PAGE_4K;
	if (o.common.page != PAGE_4K && o.common.page != PAGE_THP)
		die(EXIT_USAGE, "--page: '%s' can't be given back or tracked; use 4KB or thp", page_kind_name(o.common.page));
	sizes = page_sizes(&o.common, "1GB", &n_sizes, &largest);
	for (size_t i = 0; i < n_sizes; i++)
		if (sizes[i] % ((size_t)2 << 20))
			die(EXIT_USAGE, "--size: '%s' is not a multiple of 2MB", format_size(sizes[i]));
	common_start(&o.common, &out, "recycle", argc, argv);
	output_columns(&out, columns);
	for (size_t s = 0; s < n_sizes && !interrupted; s++)
		run_size(&o, &out, sizes[s]);
	free(sizes);
	return common_end(&out, "recycle");
}
