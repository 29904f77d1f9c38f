/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arena.c - buffers between unmapped pages, their contents, and comparison.
 */
#define _GNU_SOURCE
#include "arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli.h"
#include "rng.h"

void fill_nonzero(uint8_t *p, size_t len, uint64_t *rng)
{
	for (size_t i = 0; i < len; i++)
		p[i] = (uint8_t)(1 + (rng_next(rng) >> 32) % 255);
}

void arena_open(struct arena *a, size_t size, uint64_t *rng)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *map;

	a->size = (size + page - 1) & ~(page - 1);
	map = mmap(NULL, a->size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	a->mirror = malloc(a->size);
	if (map == MAP_FAILED || !a->mirror || mprotect(map + page, a->size, PROT_READ | PROT_WRITE))
		die(EXIT_FAILED, "no memory for a buffer of %s: %s", format_size(a->size), strerror(errno));
	a->base = map + page;
	fill_nonzero(a->mirror, a->size, rng);
	memcpy(a->base, a->mirror, a->size);
}

void arena_close(struct arena *a)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	munmap(a->base - page, a->size + 2 * page);
	free(a->mirror);
}

void arena_restore(struct arena *a, size_t offset, size_t len)
{
	memcpy(a->base + offset, a->mirror + offset, len);
}

size_t first_difference(const uint8_t *a, const uint8_t *b, size_t len)
{
	size_t i = 0;

	if (!memcmp(a, b, len))
		return len;
	while (a[i] == b[i])
		i++;
	return i;
}

size_t first_nonzero(const uint8_t *p, size_t len)
{
	static const uint8_t zeros[4096];

	for (size_t done = 0; done < len;) {
		size_t n = len - done < sizeof(zeros) ? len - done : sizeof(zeros);
		size_t i = first_difference(p + done, zeros, n);

		if (i < n)
			return done + i;
		done += n;
	}
	return len;
}
