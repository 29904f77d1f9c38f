/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache.c - cache sizes as a chain of dependent loads sees them. CPUID's sizes are claims; in a virtual machine often wrong
 * ones.
 *
 * The time of a load in a random cycle through the lines of a working set steps up where the set outgrows a cache. A set
 * as large as its cache already misses at times, so a size counts as within while a load takes less than PLATEAU times
 * what it takes at the plateau's start. The next level's plateau begins where the time has stopped climbing.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define LINE ((size_t)64)
#define LARGEST ((size_t)128 << 20)
#define POINTS 32
#define LOADS 60000u

/* One random cycle through the lines of a set (Sattolo's algorithm); each line holds the address of the next. */
static void chain(unsigned char *at, size_t size, struct random *random)
{
	unsigned lines = (unsigned)(size / LINE);
	unsigned *order = malloc(lines * sizeof(*order));

	if (!order)
		die(EXIT_FAILED, "out of memory");
	for (unsigned i = 0; i < lines; i++)
		order[i] = i;
	for (unsigned i = lines - 1; i > 0; i--) {
		unsigned j = (unsigned)random_below(random, i);
		unsigned t = order[i];

		order[i] = order[j];
		order[j] = t;
	}
	for (unsigned i = 0; i < lines; i++)
		*(void **)(at + order[i] * LINE) = at + order[(i + 1) % lines] * LINE;
	free(order);
}

#define PLATEAU 2.2
#define CLIMB 1.2

static double load_ticks(unsigned char *at)
{
	double best = INFINITY;

	/* The first go warms; of the others the least, for noise only adds. */
	for (unsigned round = 0; round < 4; round++) {
		void *volatile *p = (void *volatile *)at;
		uint64_t ticks = clock_start();

		for (unsigned i = 0; i < LOADS; i++)
			p = *p;
		ticks = clock_stop() - ticks;
		if (round && (double)ticks / LOADS < best)
			best = (double)ticks / LOADS;
	}
	return best;
}

/* The last point of the plateau that starts at `from`. */
static size_t plateau_end(const double *time, size_t n, size_t from)
{
	size_t end = from;

	while (end + 1 < n && time[end + 1] < PLATEAU * time[from])
		end++;
	return end;
}

const struct caches *measure_caches(void)
{
	static struct caches found;
	static bool done;
	struct random random = { 1 };
	size_t size[POINTS], n = 0, from = 0;
	double time[POINTS];
	struct memory m;
	size_t *level[] = { &found.l1d, &found.l2, &found.l3 };
	double *level_ns[] = { &found.l1d_ns, &found.l2_ns, &found.l3_ns };

	if (done)
		return &found;
	memory_get(&m, LARGEST, PAGE_THP, "measuring the caches");
	for (size_t s = (size_t)8 << 10; s <= LARGEST && n < POINTS; s = s & (s - 1) ? s / 3 * 4 : s / 2 * 3) {
		size[n] = s;
		time[n++] = INFINITY;
	}
	/* Twice through: what disturbs a stretch of time then spoils no size for good. */
	for (unsigned pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n; i++) {
			chain(m.at, size[i], &random);
			time[i] = fmin(time[i], load_ticks(m.at));
			progress((double)(pass * n + i), 2.0 * (double)n, "measuring the caches");
		}
	}
	memory_put(&m);
	found.memory_ns = time[n - 1] / clock_ghz();
	for (unsigned l = 0; l < 3 && from + 1 < n; l++) {
		size_t end = plateau_end(time, n, from);

		if (end == n - 1)
			break;
		*level[l] = size[end];
		*level_ns[l] = time[from] / clock_ghz();
		from = end + 1;
		while (from + 1 < n && time[from + 1] > CLIMB * time[from])
			from++;
	}
	/* A machine that shows no second step still needs a figure to work with. */
	if (!found.l2)
		found.l2 = (size_t)512 << 10;
	done = true;
	return &found;
}
