/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * batch.c - clear a large region in batches, with a word from the caller between them: progress, a yield, or an end.
 *
 * A batch is cut into steps where clearing is slow, as on the first touch of memory, so that the caller is never kept waiting: the first
 * step is short, and each next one as long as STEP_NS allow at the worst of the last steps' rates.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>

#include "lib.h"

#define BATCH_DEFAULT ((size_t)8 << 20)
#define STEP_FIRST    ((size_t)256 << 10) /* and the least: one that was interrupted does not make all the next ones short */
#define STEP_ABSENT   ((size_t)2 << 20)   /* at most, into memory that is not there yet */
#define STEP_NS       2000000u
#define STEPS         4u
#define AHEAD         8u

struct pace {
	double rates[STEPS]; /* bytes in STEP_NS, of the last steps */
	unsigned steps;
	size_t next;
};

/* Four times the last step, but no more than the slowest of the last ones did in STEP_NS; whole pages, if any. */
static void pace_step(struct pace *p, size_t step, uint64_t ns, size_t batch)
{
	size_t page = clp_cpu_page();
	double least = 4.0 * (double)step;

	p->rates[p->steps++ % STEPS] = (double)step * STEP_NS / (double)(ns + 1);
	for (unsigned i = 0; i < STEPS && i < p->steps; i++)
		if (p->rates[i] < least)
			least = p->rates[i];
	p->next = (size_t)least & ~(page - 1);
	if (p->next < STEP_FIRST)
		p->next = STEP_FIRST;
	if (p->next > batch)
		p->next = batch;
}

/* Is the page of this byte there? */
static bool present(char *at)
{
	unsigned char there = 1;
	int was = errno;

	if (mincore(at - ((uintptr_t)at & (clp_cpu_page() - 1)), 1, &there))
		errno = was;
	return there & 1;
}

/*
 * A long step is shortened where the pages are not there: that the last ones were cleared fast says nothing of them. A system call (5 us) for
 * AHEAD steps, as long as they are.
 */
static size_t careful(char *addr, size_t done, size_t n, size_t len, size_t *seen)
{
	size_t ahead = (len - done) / AHEAD < n ? len : done + AHEAD * n;

	if (n <= STEP_ABSENT || done + n <= *seen)
		return n;
	if (present(addr + ahead - 1)) {
		*seen = ahead;
		return n;
	}
	return present(addr + done + n - 1) ? n : STEP_ABSENT;
}

ptrdiff_t clp_clear_batched(void *addr, size_t len, unsigned flags, const struct clp_batch_options *options)
{
	size_t batch = BATCH_DEFAULT, done = 0, seen = 0;
	bool timed = !(flags & CLP_NOPROBE);
	struct pace pace;

	if (clp_refused(addr, len, flags) || len > PTRDIFF_MAX)
		return -EINVAL;
	if (options && (options->sz < sizeof(*options) || (options->batch && options->batch < clp_cpu_page())))
		return -EINVAL;
	if (options && options->batch)
		batch = options->batch;
	/* A batch is part of something larger: whether just it is in cache says little, and the probe would be paid again and again. */
	if (len > batch)
		flags |= CLP_NOPROBE;
	pace = (struct pace){ .next = timed && batch > STEP_FIRST ? STEP_FIRST : batch };
	while (done < len) {
		size_t n = len - done < pace.next ? len - done : pace.next;
		uint64_t start = 0;

		if (timed) {
			n = careful(addr, done, n, len, &seen);
			start = clp_nanoseconds(CLOCK_MONOTONIC);
		}
		clp_clear((char *)addr + done, n, flags);
		if (timed)
			pace_step(&pace, n, clp_nanoseconds(CLOCK_MONOTONIC) - start, batch);
		done += n;
		if (done < len && options && options->between && options->between(options->arg, done, len))
			break;
	}
	return (ptrdiff_t)done;
}
