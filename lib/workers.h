/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * workers.h - a region worked through by several threads in chunks: what parallel.c asks of workers.c.
 */
#ifndef CLP_WORKERS_H
#define CLP_WORKERS_H

#include <stddef.h>

/* What is done to a chunk: 0 or a negative errno. How many threads pay is learnt for each kind. */
enum clp_work { CLP_WORK_CLEAR, CLP_WORK_POPULATE, CLP_WORKS };

struct clp_job {
	enum clp_work work;
	int (*chunk)(char *at, size_t len, unsigned flags);
	char *addr;
	size_t len;
	size_t unit;      /* chunks end at its multiples: at least CLP_CHUNK, or the page's size where that is larger */
	unsigned flags;   /* handed on */
	unsigned threads; /* at most, the caller among them; 0: as many as pay */
};

#define CLP_CHUNK        ((size_t)2 << 20) /* a huge page has one owner */
#define CLP_THREAD_LEAST ((size_t)4 << 20) /* less for each is not worth waking it (measured, docs/parallel.md) */
#define CLP_SHARED_LEAST (2 * CLP_THREAD_LEAST)

/*
 * Work through a job, in ascending order as far as threads and NUMA nodes allow; on an error nothing more is begun behind it. Returns 0 or
 * the error of the lowest chunk that failed, with its offset in *failed.
 */
int clp_workers_run(const struct clp_job *job, size_t *failed);

#endif
