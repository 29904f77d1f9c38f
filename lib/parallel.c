/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * parallel.c - clear a large region, or have its pages made, with several threads.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>

#include "file.h"
#include "lib.h"
#include "workers.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

#define PAGE_MOST ((size_t)16 << 30) /* the largest huge page of any architecture */

static bool options_ok(const struct clp_parallel_options *options)
{
	return !options || options->sz >= sizeof(*options);
}

static int clear_chunk(char *at, size_t len, unsigned flags)
{
	return clp_clear(at, len, flags);
}

int clp_clear_parallel(void *addr, size_t len, unsigned flags, const struct clp_parallel_options *options)
{
	struct clp_job job = { .work = CLP_WORK_CLEAR, .chunk = clear_chunk, .addr = addr, .len = len, .unit = CLP_CHUNK };
	int was = errno;
	size_t failed;

	if (!options_ok(options))
		return -EINVAL;
	/* Not even the way to the pool: it takes some per cent of the time of clearing a page. */
	if (len < CLP_SHARED_LEAST || (options && options->threads == 1))
		return clp_clear(addr, len, flags);
	if (clp_refused(addr, len, flags))
		return -EINVAL;
	/* A chunk is part of something larger, of which it says little whether it is in cache. */
	job.flags = flags | CLP_NODRAIN | (len > CLP_PROBED_MOST ? CLP_NOPROBE : 0);
	job.threads = options ? options->threads : 0;
	clp_workers_run(&job, &failed);
	errno = was;
	if (!(flags & CLP_NODRAIN))
		clp_drain();
	return 0;
}

static int populate_chunk(char *at, size_t len, unsigned flags)
{
	(void)flags;
	while (madvise(at, len, MADV_POPULATE_WRITE)) {
		int err = errno;

		if (err != EINTR && err != EAGAIN)
			return -err;
	}
	return 0;
}

/*
 * Bytes from addr on that are there: all before the chunk that failed, and what of the rest can be had, tried in ever smaller steps down to
 * a page: what is there already takes next to no time.
 */
static size_t populated(char *addr, size_t len, size_t failed)
{
	for (size_t step = SIZE_MAX / 2 + 1; step >= clp_cpu_page(); step /= 2)
		if (step <= len - failed && !populate_chunk(addr + failed, step, 0))
			failed += step;
	return failed;
}

/* Are there huge pages of this size in the system's pool? */
static bool pool_of(size_t size)
{
	char path[96], text[32];

	snprintf(path, sizeof(path), "/sys/kernel/mm/hugepages/hugepages-%zukB/nr_hugepages", size >> 10);
	return clp_read_file(path, text, sizeof(text)) && text[0] != '0';
}

/*
 * What one thread populates at a time: CLP_CHUNK, or a huge page that is larger, for which two threads would only wait for each other. No
 * system call tells a mapping's page; but one with such pages is aligned to them, as few others are, which then go by larger chunks.
 */
static size_t unit_of(const void *addr, size_t len)
{
	for (size_t size = PAGE_MOST; size > CLP_CHUNK; size /= 2)
		if (!(((uintptr_t)addr | len) & (size - 1)) && pool_of(size))
			return size;
	return CLP_CHUNK;
}

int clp_populate_parallel(void *addr, size_t len, const struct clp_parallel_options *options, size_t *done)
{
	struct clp_job job = { .work = CLP_WORK_POPULATE, .chunk = populate_chunk, .addr = addr, .len = len };
	size_t page = clp_cpu_page(), failed;
	int was = errno, err;

	if (done)
		*done = 0;
	if ((uintptr_t)addr & (page - 1) || len & (page - 1) || clp_wraps(addr, len) || !options_ok(options))
		return -EINVAL;
	if (!len)
		return 0;
	/* Of length 0 it does nothing, where it is known. */
	if (madvise(addr, 0, MADV_POPULATE_WRITE)) {
		errno = was;
		return -EOPNOTSUPP;
	}
	job.unit = unit_of(addr, len);
	job.threads = options ? options->threads : 0;
	err = clp_workers_run(&job, &failed);
	if (err)
		failed = populated(addr, len, failed);
	if (done)
		*done = failed;
	errno = was;
	/* What was short for a moment may be there after all. */
	return failed < len ? err : 0;
}
