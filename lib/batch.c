/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * batch.c - clear a large region in batches, with a word from the caller between them: progress, a yield, or an end.
 *
 * A batch is cut into steps where clearing is slow, as on the first touch of memory: the first step is short, and each
 * next one as long as STEP_NS allow. Between steps the caller is asked too, so that it is never kept waiting.
 */
#define _GNU_SOURCE
#include <errno.h>

#include "lib.h"

#define BATCH_DEFAULT ((size_t)8 << 20)
#define STEP_FIRST    ((size_t)1 << 20)
#define STEP_LEAST    ((size_t)64 << 10)
#define STEP_NS       2000000u

/* As much as would have taken STEP_NS at the last step's rate, at most twice that step; whole pages. */
static size_t next_step(size_t step, uint64_t ns, size_t batch)
{
	size_t page = clp_cpu_page(), next = 2 * step;

	if (ns > STEP_NS / 2)
		next = (size_t)((double)step * STEP_NS / (double)ns) & ~(page - 1);
	if (next < STEP_LEAST)
		next = STEP_LEAST;
	return next < batch ? next : batch;
}

ptrdiff_t clp_clear_batched(void *addr, size_t len, unsigned flags, const struct clp_batch_options *options)
{
	size_t batch = BATCH_DEFAULT, done = 0, step;
	bool timed = !(flags & CLP_NOPROBE);
	uint64_t start;

	if (clp_refused(addr, len, flags) || len > PTRDIFF_MAX)
		return -EINVAL;
	if (options && (options->sz < sizeof(*options) || (options->batch && options->batch < clp_cpu_page())))
		return -EINVAL;
	if (options && options->batch)
		batch = options->batch;
	/* A batch is part of something larger: whether just it is in cache says little, and the probe would be paid again and again. */
	if (len > batch)
		flags |= CLP_NOPROBE;
	step = timed && batch > STEP_FIRST ? STEP_FIRST : batch;
	while (done < len) {
		size_t n = len - done < step ? len - done : step;

		start = timed ? clp_nanoseconds(CLOCK_MONOTONIC) : 0;
		clp_clear((char *)addr + done, n, flags);
		if (timed)
			step = next_step(n, clp_nanoseconds(CLOCK_MONOTONIC) - start, batch);
		done += n;
		if (done < len && options && options->between && options->between(options->arg, done, len))
			break;
	}
	return (ptrdiff_t)done;
}
