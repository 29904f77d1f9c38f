/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arena.h - a buffer between two unmapped pages, filled with known bytes that are never zero, and how to compare it.
 */
#ifndef CHECK_ARENA_H
#define CHECK_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct arena {
	uint8_t *base;   /* page-aligned; the pages before and after can't be touched */
	size_t size;     /* a multiple of the page size */
	uint8_t *mirror; /* what the buffer holds between two cases */
};

/* Each returns or dies with status 1 where there is no memory. */
void arena_open(struct arena *a, size_t size, uint64_t *rng);
void arena_close(struct arena *a);
void arena_restore(struct arena *a, size_t offset, size_t len);

/* Random bytes without a zero among them. */
void fill_nonzero(uint8_t *p, size_t len, uint64_t *rng);
/* The first index where they differ, or len. */
size_t first_difference(const uint8_t *a, const uint8_t *b, size_t len);
/* The first index that is not zero, or len. */
size_t first_nonzero(const uint8_t *p, size_t len);

#endif
