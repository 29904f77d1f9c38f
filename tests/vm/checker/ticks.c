// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ticks.c - what a fault costs in ticks of the time-stamp counter; with `-icount shift=0` a tick is an instruction.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <x86intrin.h>

#include "checker.h"

#define MOST 4096
#define WARM 16
#define LOOP 100000UL

static uint64_t ticks(void)
{
	uint64_t now;

	_mm_lfence();
	now = __rdtsc();
	_mm_lfence();
	return now;
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* A loop of two instructions a turn, so that the clock can be judged. Prints ticks per 1000 instructions. */
static int calibrate(void)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 5; i++) {
		uint64_t turns = LOOP, start = ticks(), took;

		__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(turns) : : "cc");
		took = ticks() - start;
		if (took < best)
			best = took;
	}
	printf("%llu\n", (unsigned long long)(best * 1000 / (2 * LOOP)));
	return 0;
}

/* Prints median and minimum of FAULTS first writes to the middle of a folio, each freed before the next. */
int cmd_ticks(char **argv)
{
	static uint64_t took[MOST];
	const struct kind *kind;
	struct area area;
	unsigned long n;

	if (flag(argv, "--calibrate"))
		return calibrate();
	if (!argv[0] || !argv[1])
		die("ticks needs KIND FAULTS");
	kind = kind_named(argv[0]);
	n = strtoul(argv[1], NULL, 10);
	if (n < WARM || n > MOST)
		die("ticks: %d to %d faults, not '%s'", WARM, MOST, argv[1]);
	area_map(&area, kind, 1);
	/* The first ones find no free folio of the order, or fill caches of the allocator. */
	for (unsigned long i = 0; i < n + WARM; i++) {
		volatile unsigned char *at = area_folio(&area, 0) + area.size / 2 + 64;
		uint64_t start = ticks();

		*at = 1;
		took[i < WARM ? i : i - WARM] = ticks() - start;
		if (madvise(area_folio(&area, 0), area.size, MADV_DONTNEED))
			die("MADV_DONTNEED");
	}
	qsort(took, n, sizeof(*took), ascending);
	printf("%llu %llu\n", (unsigned long long)took[n / 2], (unsigned long long)took[0]);
	return 0;
}
