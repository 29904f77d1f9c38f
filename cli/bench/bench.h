/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench.h - the harness under every benchmark: clock, memory, methods, one timed sample, statistics, common options.
 */
#ifndef BENCH_H
#define BENCH_H

#include "../cli.h"
#include "clearpages.h"

/* clock.c: ticks of the time stamp counter (nanoseconds where there is none), between full fences. */
uint64_t clock_start(void);
uint64_t clock_stop(void);
double clock_ghz(void);       /* ticks a nanosecond, calibrated on first use */
uint64_t clock_overhead(void); /* ticks of an empty clock_start(); clock_stop(); subtracted from each sample */
double clock_seconds(void);   /* monotonic time, for budgets */

/* random.c: SplitMix64, so that a seed gives the same order everywhere. */
struct random {
	uint64_t state;
};
uint64_t random_next(struct random *r);
uint64_t random_below(struct random *r, uint64_t n);
void shuffle(struct random *r, unsigned *order, size_t n);

/* stats.c. The first two sort their argument. */
double median(double *samples, size_t n);
double percentile(double *samples, size_t n, double share);
/* Of what was measured side by side: what disturbs a whole round is in both. */
double median_ratio(const double *over, const double *under, size_t n);
double midmean(const double *samples, size_t n);
double midmean_error(double *samples, size_t n);
double geomean(const double *values, size_t n);

/* memory.c: a prefaulted region filled with FILL, of the wanted kind of page. Dies with status 1 where it can't be had, saying how. */
#define FILL 0xa5
enum page_kind { PAGE_4K, PAGE_THP, PAGE_2M, PAGE_1G };
enum page_kind parse_page_kind(const char *option, const char *text);
const char *page_kind_name(enum page_kind kind);
struct memory {
	unsigned char *at;
	size_t size;
	enum page_kind kind;
};
void memory_get(struct memory *m, size_t size, enum page_kind kind, const char *purpose);
void memory_put(struct memory *m);
void memory_fill(void *at, size_t len);             /* with FILL, through libc */
uint64_t memory_read(const void *at, size_t len, size_t stride); /* one word every stride bytes; returns their sum */
void memory_write(void *at, size_t len, size_t stride);
bool memory_is_zero(const void *at, size_t len);
/* Die with status 1 unless `size` bytes of ordinary memory, or of the kind's huge pages, are available. */
void memory_require(uint64_t size, const char *purpose);
void memory_check(size_t size, enum page_kind kind, const char *purpose);

/* method.c: a way to clear or copy: a routine, the policy under a hint, libc, or an installed peer. */
struct method {
	char name[24];
	enum { METHOD_VARIANT, METHOD_POLICY, METHOD_LIBC, METHOD_PEER, METHOD_FUNCTION } kind;
	unsigned op;
	unsigned index; /* of a variant */
	unsigned flags; /* of the policy or peer */
	void (*function)(void *at, size_t len); /* a trial: bench/lab */
};
#define METHODS_MAX 40
/*
 * Resolve a list of names: routines, auto, hot, cold, libc, pmem, all (every routine that is available, and libc).
 * Dies with status 2 on an unknown name, with 1 on a routine that is not available here. Returns how many.
 */
size_t methods_parse(const char *option, const char *list, unsigned op, struct method *methods);
/* The same, and libc where the list does not name it. */
size_t methods_beside_libc(const char *option, const char *list, unsigned op, struct method *methods);
bool method_find(const char *name, unsigned op, struct method *method);
void method_clear(const struct method *m, void *at, size_t len);
void method_copy(const struct method *m, void *to, const void *from, size_t len);

/* cell.c: one situation, and one timed sample of a method in it. */
struct cell {
	unsigned op;
	size_t size;
	size_t extent;    /* bytes a call; 0: all in one */
	bool cached;      /* destination: just read in full; else last touched at least 2 GiB of traffic ago */
	unsigned touch;   /* use after: 0 none, else every touch-th line */
	bool write;       /* the use writes */
	size_t delay;     /* bytes of other traffic between clearing and use */
	bool bystander;   /* half an L2 of other data warmed before and read again after */
};
struct bench {
	struct memory arena;   /* destinations */
	struct memory source;  /* of copies; size 0 without */
	struct memory other;   /* bystander and delay traffic */
	size_t l2;             /* measured */
	size_t cursor;
	uint64_t traffic;      /* bytes since the arena was last gone through */
	struct random random;
	struct team *team;     /* NULL without threads */
};
#define UNCACHED_TRAFFIC ((size_t)2 << 30)
/* largest: of the destinations. delay: the largest asked for. l2: measured size, or 0 to have it measured. */
void bench_open(struct bench *b, size_t largest, size_t delay, bool copies, enum page_kind kind, size_t l2, uint64_t seed);
void bench_close(struct bench *b);
/* Ticks from the call through use and bystander to a full fence, the clock's own taken off; dies where a byte is wrong after. */
double cell_sample(struct bench *b, const struct cell *c, const struct method *m);
/* An uncached or cached destination of so many bytes, as a sample would get it; to be given back filled. */
unsigned char *cell_destination(struct bench *b, const struct cell *c);
/* Bytes a call; and the calls that a cell asks for (from NULL: a clear). */
size_t cell_extent(const struct cell *c);
void cell_operate(const struct cell *c, const struct method *m, unsigned char *to, const unsigned char *from);
/* "1/64" for 64, "none" for 0, "all" for 1. */
const char *touch_name(unsigned touch);

/* group.c: the methods of one cell, sampled in rounds, each round in a new random order. */
struct group {
	const struct cell *cell;
	const struct method *methods;
	size_t n;          /* methods */
	unsigned threads;  /* 0: one sample at a time; else that many threads at once, over a stretch of destinations */
	unsigned samples;  /* rounds */
	double *ticks[METHODS_MAX];
	unsigned taken;    /* whole rounds: fewer than samples where interrupted */
};
unsigned default_samples(size_t size);
void group_run(struct group *g, struct bench *b, struct output *out, const char *bench);
void group_free(struct group *g);
/* What every record of a cell says: operation, size, extent, state, ... */
void record_cell(struct record *r, const char *bench, const struct cell *c, const char *method);
/* The median of the rounds' ratios: what disturbs a whole round is in both times. */
double group_ratio(const struct group *g, size_t over, size_t under);
/* Rates of a method: gbps (median), gbps_min, gbps_max, cycles per page, vs_libc (libc's time over its; absent without libc). */
void record_rates(struct record *r, const struct group *g, size_t method);

/* threads.c: many threads at once. */
struct team;
struct team *team_open(unsigned threads, size_t largest, enum page_kind kind);
/* Ticks for `bytes` cleared in all: from the first start to the last end; the stretch's bytes are stored. */
double team_sample(struct team *team, const struct cell *c, const struct method *m, uint64_t *bytes);
void team_close(struct team *team);

/* cache.c: cache sizes as loads see them, bytes; 0 where no step is found. Takes about a second, once a process. */
struct caches {
	size_t l1d, l2, l3;
	double l1d_ns, l2_ns, l3_ns, memory_ns; /* a dependent load */
};
const struct caches *measure_caches(void);

/* common.c: the options that every benchmark has. */
struct common {
	bool json;
	const char *output;
	uint64_t seed;
	unsigned samples; /* 0: the benchmark's own number */
	int pin;          /* CPU; -1: the one we are on */
	enum page_kind page;
	bool page_given;
	const char *variants; /* NULL: the benchmark's own list */
	const char *sizes;
};
extern const struct argp common_argp; /* as a child: its input is a struct common */
void common_init(struct common *c);
/* --size, or the defaults: whole pages, to be freed; the largest in *largest. Dies with status 2. */
uint64_t *page_sizes(const struct common *c, const char *defaults, size_t *n, size_t *largest);
/* "cached" or "uncached"; dies with status 2. */
bool parse_cached(const char *option, const char *text);
/* A share written as 0, 1 or 1/N: 0, 1 or N. Dies with status 2. */
unsigned parse_share(const char *option, const char *text);
/* --threads: a list of at most so many counts; returns how many. Dies with status 2. */
size_t parse_threads(const char *list, unsigned *threads, size_t most);
void pin_to(int cpu);
/* Opens the output, writes the header record, pins, catches interrupts. */
void common_start(const struct common *c, struct output *out, const char *bench, int argc, char **argv);
/* Says "interrupted" where that is so, closes; returns the exit status. */
int common_end(struct output *out, const char *bench);

int bench_around(int argc, char **argv);
int bench_clear(int argc, char **argv);
int bench_copy(int argc, char **argv);
int bench_parallel(int argc, char **argv);
int bench_populate(int argc, char **argv);
int bench_use(int argc, char **argv);
int bench_recycle(int argc, char **argv);
int bench_regret(int argc, char **argv);
int bench_small(int argc, char **argv);
int bench_quick(int argc, char **argv);
int bench_mem(int argc, char **argv);
/* Moves "mem" before the options that stand before it, as in perf: "bench -f simple mem memset". */
void mem_order(int argc, char **argv);

#endif
