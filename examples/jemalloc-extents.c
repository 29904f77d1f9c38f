/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * jemalloc-extents.c - a jemalloc arena that gets its free memory back zeroed, by this library.
 *
 * jemalloc clears what calloc() takes from used memory, all of it, while the caller waits; only of extents that came back from a
 * "forced purge" it knows that they are zero. So the hook for that is made to recycle: pages in use are cleared in place, up to KEEP bytes
 * of an extent stay in memory, which saves their faults, and the others are given back. The next calloc() of it clears nothing.
 *
 * cc jemalloc-extents.c -o jemalloc-extents -ljemalloc $(pkg-config --cflags --libs clearpages)
 */
#define _GNU_SOURCE
#include <clearpages.h>
#include <jemalloc/jemalloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MIB    ((size_t)1 << 20)
#define TABLE  (64 * MIB) /* what is allocated, zeroed */
#define STRIDE (256u << 10) /* one byte in so many is written: a table that is used sparsely */
#define KEEP   (16 * MIB)
#define ROUNDS 4

static struct clp_recycler last;

/* jemalloc's contract: false where it was done, and the next access finds zeros. */
static bool purge_forced(extent_hooks_t *hooks, void *addr, size_t size, size_t offset, size_t length, unsigned arena)
{
	struct clp_recycler r = { .sz = sizeof(r), .threshold = 2 * KEEP, .keep = KEEP };

	(void)hooks, (void)size, (void)arena;
	if (clp_recycle((char *)addr + offset, length, 0, &r) < 0)
		return true;
	last = r;
	return false;
}

/* A new arena with that hook; the others are jemalloc's own. False where jemalloc refuses. hooks: has to live as long as the arena. */
static bool make_arena(unsigned *arena, extent_hooks_t *hooks)
{
	extent_hooks_t *defaults, *ours = hooks;
	size_t len = sizeof(void *);
	ssize_t at_once = 0;
	char name[64];

	if (mallctl("arena.0.extent_hooks", &defaults, &len, NULL, 0))
		return false;
	*hooks = *defaults;
	hooks->dalloc = NULL;	  /* keep the addresses, */
	hooks->decommit = NULL;	  /* and the pages accessible: purge instead; */
	hooks->purge_lazy = NULL; /* not by MADV_FREE, after which nothing is known of them */
	hooks->purge_forced = purge_forced;
	len = sizeof(*arena);
	if (mallctl("arenas.create", arena, &len, &ours, sizeof(void *)))
		return false;
	/* As soon as something is freed. A program would wait some seconds, or have jemalloc's background thread do it. */
	snprintf(name, sizeof(name), "arena.%u.dirty_decay_ms", *arena);
	return !mallctl(name, NULL, NULL, &at_once, sizeof(at_once));
}

/* Bytes of whole pages that are in memory. */
static size_t resident(const char *p, size_t len)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), n = 0;
	uintptr_t from = ((uintptr_t)p + page - 1) & ~(page - 1), end = ((uintptr_t)p + len) & ~(page - 1);
	unsigned char there;

	for (; from < end; from += page)
		n += !mincore((void *)from, page, &there) && there & 1 ? page : 0;
	return n;
}

/* What the last round wrote is zero. A look at the other bytes would bring them into memory. */
static bool forgotten(const char *table)
{
	for (size_t i = 0; i < TABLE; i += STRIDE)
		if (table[i])
			return false;
	return true;
}

int main(void)
{
	extent_hooks_t hooks;
	unsigned arena;
	char *table;
	int flags;

	if (!make_arena(&arena, &hooks)) {
		fprintf(stderr, "jemalloc-extents: this jemalloc makes no arena with hooks: version 5 is needed\n");
		return 1;
	}
	/* Page-aligned, so that what it holds is where the last round's was. */
	flags = MALLOCX_ARENA(arena) | MALLOCX_TCACHE_NONE | MALLOCX_ALIGN((size_t)sysconf(_SC_PAGESIZE));
	printf("A table of %zu KiB, one byte in %u KiB of it used\n", TABLE >> 10, STRIDE >> 10);
	printf("       KiB in memory after   KiB, when it is freed\n");
	printf("round     calloc       use      cleared  left alone  given back\n");
	for (int round = 1; round <= ROUNDS; round++) {
		size_t taken, used;

		table = mallocx(TABLE, flags | MALLOCX_ZERO);
		if (!table) {
			fprintf(stderr, "jemalloc-extents: no memory for %zu bytes\n", TABLE);
			return 1;
		}
		taken = resident(table, TABLE);
		/* Cleared by jemalloc it would all be there. */
		if (taken > KEEP || !forgotten(table)) {
			fprintf(stderr, "jemalloc-extents: in round %d %s\n", round, taken > KEEP ? "jemalloc cleared it again" : "it was not zero");
			return 1;
		}
		for (size_t i = 0; i < TABLE; i += STRIDE)
			table[i] = (char)round;
		used = resident(table, TABLE);
		dallocx(table, flags);
		printf("%5d %10zu %9zu %12zu %11zu %11zu\n", round, taken >> 10, used >> 10, last.cleared >> 10, last.skipped >> 10,
		       last.dropped >> 10);
	}
	table = mallocx(TABLE, flags | MALLOCX_ZERO);
	if (!table || table[0] || memcmp(table, table + 1, TABLE - 1) != 0) {
		fprintf(stderr, "jemalloc-extents: not zero after the last round\n");
		return 1;
	}
	return 0;
}
