/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ways.h - ways to get one thing done, with several threads or one, in interleaved rounds: what `bench parallel` and
 * `bench populate` share. The command is not pinned to a CPU here: its threads would be, too.
 */
#ifndef BENCH_WAYS_H
#define BENCH_WAYS_H

#include "bench.h"

#define WAYS_MAX 32
#define WAYS_SAMPLES_MAX 1001u
#define WAYS_THREADS_MAX 16

struct way {
	char name[24];
	unsigned threads;    /* that it is told to use; 0: it is told none */
	int kind;	     /* the benchmark's own */
	const char *missing; /* why it is left out; NULL: it is not */
};

/* What one sample took. */
struct cost {
	double ns;
	double cpu_ns; /* of all threads */
	double faults;
};

struct ways {
	const char *bench;
	const char *base; /* the way that the others are compared with, and the record's word for it: "vs_whole" */
	const char *versus;
	struct way way[WAYS_MAX];
	size_t n;
	uint64_t size;
	unsigned samples, taken; /* rounds: whole ones */
	struct cost *costs[WAYS_MAX];
	struct random *random;
	void *arg;
	struct cost (*sample)(void *arg, const struct way *way);
	void (*describe)(void *arg, struct record *r); /* what else a record says of the situation */
};

/* Adds a way, or one for each number of threads, "NAME-N". */
void ways_add(struct ways *ways, const char *name, int kind, const char *missing);
void ways_add_threads(struct ways *ways, const char *name, int kind, const unsigned *threads, size_t n);
/* Takes the samples and writes a record for each, and a summary for each way. */
void ways_run(struct ways *ways, struct output *out);

/* The clocks of a sample. */
struct stopwatch {
	uint64_t ticks;
	uint64_t cpu;
	int64_t faults;
};
void stopwatch_start(struct stopwatch *w);
struct cost stopwatch_stop(const struct stopwatch *w);

/* The options: --threads, and the common ones. As a child: its input is a struct ways_options. */
struct ways_options {
	struct common common;
	unsigned threads[WAYS_THREADS_MAX];
	size_t n_threads; /* 0: not given */
};
extern const struct argp ways_argp;
/*
 * Dies with status 2 on the common options that do not apply, with 1 where there are fewer CPUs than threads. Numbers of threads that
 * were not given: 2, 4 and so on, and all CPUs.
 */
void ways_check(struct ways_options *o);
/* As common_start(), but not pinned. */
void ways_start(const struct common *c, struct output *out, const char *bench, int argc, char **argv);

#endif
