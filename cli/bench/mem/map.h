/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map.h - what mmap's two files share: a way to get memory, and a thread that does so. Needs _GNU_SOURCE for cpu_set_t.
 */
#ifndef MEM_MAP_H
#define MEM_MAP_H

#include <pthread.h>
#include <sched.h>

#include "mem.h"

/* A way to get memory. */
struct mapping {
	const char *name, *description;
	int flags;	  /* more of mmap's */
	bool populate;	  /* by madvise(), once mapped */
	bool shared;	  /* a memfd's */
	bool transparent; /* on transparent huge pages, also where there are others of that size */
	bool faults;	  /* page by page, as they are touched: their times are of interest */
};

/* A thread of one repetition. */
struct worker {
	pthread_t thread;
	const struct mem *m;
	const struct mapping *how;
	struct page_size page;
	int cpu; /* -1: any */
	pthread_barrier_t *go;
	struct histogram *histogram; /* NULL: none is wanted */
	struct random random;
	bool tells; /* how far it is: one of them */
	unsigned loop;
	struct lap lap;
	int64_t faults;
	size_t given; /* bytes, after the last loop */
	int error;
};

/* How many CPUs may be used, and which. */
unsigned cpus_allowed(cpu_set_t *set);
/* All threads, once; timed: one loop, with a histogram each, to be freed. Dies where one of them got no memory. */
void map_threads(const struct mem *m, const struct function *f, struct worker *workers, bool timed);

#endif
