/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * arena.c - an arena for requests: what is allocated from it is zero, and between two requests clp_recycle() makes it so again.
 *
 * To allocate is to add to a pointer. A request sizes its buffers for the worst case and fills a little of each, as servers do; so
 * the library is allowed to go by the pages that were written (CLP_TRACKED), which it does once it has found that to pay.
 *
 * cc arena.c -o arena $(pkg-config --cflags --libs clearpages)
 * ./arena [MIB [REQUESTS]]
 */
#define _GNU_SOURCE
#include <clearpages.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MIB	   ((size_t)1 << 20)
#define ALIGNMENT  ((size_t)16)
#define BUFFER	   ((size_t)200 << 10) /* what a request asks for at a time */
#define FILLED	   ((size_t)4 << 10)   /* and what it writes of it */

struct arena {
	char *base;
	size_t size, used;
	struct clp_recycler known; /* what the library knows of the memory: one for each region, for as long as that is used */
};

static bool arena_open(struct arena *a, size_t size)
{
	void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*a = (struct arena){ .base = base, .size = size, .known = { .sz = sizeof(a->known) } };
	return base != MAP_FAILED;
}

/* Zeroed memory; NULL where the arena is full. */
static void *arena_alloc(struct arena *a, size_t size)
{
	char *p = a->base + a->used;

	if (size > a->size - a->used)
		return NULL;
	size = (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
	a->used += size < a->size - a->used ? size : a->size - a->used;
	return p;
}

/* All of it is free, and zero, again. After a failure nothing is: the arena must not be used. */
static int arena_reset(struct arena *a)
{
	int did = clp_recycle(a->base, a->size, CLP_TRACKED, &a->known);

	a->used = 0;
	return did < 0 ? did : 0;
}

static void arena_close(struct arena *a)
{
	munmap(a->base, a->size);
}

static bool is_zero(const char *p, size_t len)
{
	return !*p && !memcmp(p, p + 1, len - 1);
}

/* Serve one request, which takes all there is. False where a buffer was not zero. */
static bool serve(struct arena *a, int request)
{
	char *buffer;

	while ((buffer = arena_alloc(a, BUFFER))) {
		if (!is_zero(buffer, BUFFER))
			return false;
		memset(buffer, request, FILLED);
	}
	return true;
}

/* 0 where it is no number from 1 to most. */
static int number(const char *text, long most)
{
	char *end;
	long n = strtol(text, &end, 10);

	return *text && !*end && n >= 1 && n <= most ? (int)n : 0;
}

int main(int argc, char **argv)
{
	size_t size = (argc > 1 ? (size_t)number(argv[1], 65536) : 64) * MIB;
	int requests = argc > 2 ? number(argv[2], 127) : 10, err;
	struct arena arena;

	if (argc > 3 || !size || !requests) {
		fprintf(stderr, "usage: arena [MIB [REQUESTS]], 1 to 65536 MiB and 1 to 127 requests\n");
		return 2;
	}
	if (!arena_open(&arena, size)) {
		fprintf(stderr, "arena: no address space for %zu MiB: give a smaller number\n", size / MIB);
		return 1;
	}
	printf("request  KiB cleared  KiB left alone  tracking\n");
	for (int i = 1; i <= requests; i++) {
		if (!serve(&arena, i)) {
			fprintf(stderr, "arena: request %d was given memory that is not zero\n", i);
			return 1;
		}
		err = arena_reset(&arena);
		if (err) {
			fprintf(stderr, "arena: clp_recycle: %s\n", clp_strerror(err));
			return 1;
		}
		printf("%7d %12zu %15zu  %s\n", i, arena.known.cleared >> 10, arena.known.skipped >> 10, clp_tracking_name(arena.known.tracking));
	}
	if (!is_zero(arena.base, arena.size)) {
		fprintf(stderr, "arena: it is not zero after the last request\n");
		return 1;
	}
	arena_close(&arena);
	return 0;
}
