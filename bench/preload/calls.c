/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls.c - what a short call costs more with the library preloaded: each function as this program has it, beside libc's own, both
 * through the same loop, in rounds. Nanoseconds a call. Run by bench/preload/run.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CALLS 20000u
#define ROUNDS 301u
#define LARGEST 16384u

static unsigned char to[LARGEST] __attribute__((aligned(4096))), from[LARGEST] __attribute__((aligned(4096)));

typedef void *set_fn(void *at, int byte, size_t len);
typedef void *copy_fn(void *to, const void *from, size_t len);
typedef void *calloc_fn(size_t n, size_t size);

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The pointer is read again for each call, as a program's jump through its table of functions does. */
static __attribute__((noinline)) void row_set(void *volatile *fn, size_t len)
{
	for (unsigned i = 0; i < CALLS; i++)
		((set_fn *)*fn)(to, 0, len);
}

static __attribute__((noinline)) void row_copy(void *volatile *fn, size_t len)
{
	for (unsigned i = 0; i < CALLS; i++)
		((copy_fn *)*fn)(to, from, len);
}

static __attribute__((noinline)) void row_calloc(void *volatile *fn, size_t len)
{
	for (unsigned i = 0; i < CALLS; i++)
		free(((calloc_fn *)*fn)(len, 1));
}

static const struct {
	const char *name;
	void (*row)(void *volatile *fn, size_t len);
} functions[] = { { "memset", row_set }, { "memcpy", row_copy }, { "calloc", row_calloc } };

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(unsigned which, void *ours, void *libcs, size_t len)
{
	void *volatile fn[2] = { libcs, ours };
	static double taken[2][ROUNDS], more[ROUNDS];

	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned i = 0; i < 2; i++) {
			unsigned side = (i + round) % 2;
			double start = seconds();

			functions[which].row(&fn[side], len);
			taken[side][round] = (seconds() - start) / CALLS * 1e9;
		}
		more[round] = taken[1][round] - taken[0][round];
	}
	for (unsigned side = 0; side < 2; side++)
		qsort(taken[side], ROUNDS, sizeof(double), ascending);
	qsort(more, ROUNDS, sizeof(double), ascending);
	printf("%-8s %8zu %9.2f %9.2f %9.2f %9.2f %9.2f\n", functions[which].name, len, taken[0][ROUNDS / 2], taken[1][ROUNDS / 2],
	       more[ROUNDS / 2], more[ROUNDS / 20], more[ROUNDS - ROUNDS / 20 - 1]);
}

int main(void)
{
	static const size_t lengths[] = { 8, 64, 256, 1024, 4096 };
	void *libc = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD);
	unsigned any = 0;

	if (!libc) {
		fprintf(stderr, "calls: %s\n", dlerror());
		return 1;
	}
	printf("ns a call: medians of %u rounds; of the differences also the 5th and the 95th in a hundred\n", ROUNDS);
	printf("%-8s %8s %9s %9s %9s %9s %9s\n", "function", "bytes", "libc", "preloaded", "more", "from", "to");
	for (unsigned which = 0; which < COUNT(functions); which++) {
		void *ours = dlsym(RTLD_DEFAULT, functions[which].name), *libcs = dlsym(libc, functions[which].name);

		if (ours == libcs)
			continue;
		any++;
		for (unsigned i = 0; i < COUNT(lengths); i++)
			measure(which, ours, libcs, lengths[i]);
	}
	if (!any)
		fprintf(stderr, "calls: nothing is preloaded: start it by 'clearpages run'\n");
	return !any;
}
