// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sanitized.c - a program built with a sanitizer against the library built without: its assembler must not hide from it.
 *
 * argv[1]: "overflow" clears past a heap block (ASan must report), "copy-overflow" reads past one; "use-after-free"; "quiet" does
 * nothing wrong (ASan, MSan and TSan must say nothing); "uninitialised" branches on memory never cleared, which shows that MSan
 * is awake; "race" clears from two threads at once, which shows that TSan is.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clearpages.h"

static size_t length(void)
{
	/* Not known to the compiler. */
	return (size_t)getpagesize();
}

static int count_set(const unsigned char *p, size_t len)
{
	int n = 0;

	for (size_t i = 0; i < len; i++)
		if (p[i])
			n++;
	return n;
}

static unsigned char *shared;
static int ready;

static void *produce(void *arg)
{
	(void)arg;
	if (clp_clear(shared, 4 * length(), CLP_COLD))
		abort();
	__atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void *clear_again(void *arg)
{
	(void)arg;
	clp_clear(shared, 4 * length(), CLP_HOT);
	return NULL;
}

static int quiet(void)
{
	size_t page = length();
	int set = 0;

	for (unsigned flags = 0; flags < 16; flags++) {
		unsigned char *p, *q;

		if ((flags & 3) == 3)
			continue;
		for (size_t len = 1; len <= 64 * page; len = len * 2 + 1) {
			p = malloc(len);
			if (!p || clp_clear(p, len, flags))
				return 1;
			set += count_set(p, len);
			free(p);
		}
		p = aligned_alloc(page, 20 * page);
		q = aligned_alloc(page, 20 * page);
		if (!p || !q || clp_clear_pages(p, 20, flags) || clp_copy_pages(q, p, 20, flags))
			return 1;
		set += count_set(q, 20 * page);
		free(p);
		free(q);
	}
	for (unsigned i = 0; i < clp_variant_count(CLP_OP_CLEAR); i++) {
		unsigned char *p = malloc(3 * page + 7);

		if (!clp_clear_with(i, p, 3 * page + 7, 0))
			set += count_set(p, 3 * page + 7);
		free(p);
	}
	return set != 0;
}

static int handover(void)
{
	pthread_t thread;
	int set;

	shared = malloc(4 * length());
	if (!shared || pthread_create(&thread, NULL, produce, NULL))
		return 1;
	while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
		;
	set = count_set(shared, 4 * length());
	pthread_join(thread, NULL);
	free(shared);
	return set != 0;
}

static int race(void)
{
	pthread_t threads[2];

	shared = malloc(4 * length());
	for (unsigned i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, clear_again, NULL))
			return 1;
	for (unsigned i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	free(shared);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	size_t page = length();
	unsigned char *p = aligned_alloc(page, 4 * page);
	unsigned char *q = aligned_alloc(page, 4 * page);
	int result = 2;

	if (!strcmp(what, "overflow")) {
		free(q);
		q = malloc(page);
		result = clp_clear(q, page + 1, CLP_HOT);
	} else if (!strcmp(what, "cold-overflow")) {
		result = clp_clear(p, 64 * page, CLP_COLD);
	} else if (!strcmp(what, "auto-overflow")) {
		result = clp_clear(p, 4 * page + 1, 0);
	} else if (!strcmp(what, "uncached-overflow")) {
		/* The probe finds it out of cache, and another routine than after an early answer serves. */
		free(p);
		free(q);
		p = malloc(256 * page);
		q = malloc(65536 * page);
		memset(p, 1, 256 * page);
		/* In pieces: a long rep stosb may not allocate lines, and drive nothing out. */
		for (size_t i = 0; i < 256; i++)
			memset(q + i * 256 * page, 1, 256 * page);
		result = clp_clear(p, 256 * page + 1, 0);
	} else if (!strcmp(what, "short-overflow")) {
		free(q);
		q = malloc(10);
		result = clp_clear(q, 11, 0);
	} else if (!strcmp(what, "copy-overflow")) {
		clp_clear_pages(p, 4, 0);
		free(q);
		q = aligned_alloc(page, 8 * page);
		result = clp_copy_pages(q, p, 5, 0);
	} else if (!strcmp(what, "use-after-free")) {
		unsigned char *volatile gone = p; /* hides the fault from the compiler */

		free(p);
		p = NULL;
		result = clp_clear(gone, page, 0);
	} else if (!strcmp(what, "quiet")) {
		result = quiet() | handover();
	} else if (!strcmp(what, "uninitialised")) {
		result = 0;
		if (count_set(p, page) % 2)
			puts("odd");
	} else if (!strcmp(what, "uninitialised-copy")) {
		clp_copy_pages(q, p, 4, 0);
		result = 0;
		if (count_set(q, 4 * page) % 2)
			puts("odd");
	} else if (!strcmp(what, "race")) {
		result = race();
	}
	free(p);
	free(q);
	return result;
}
