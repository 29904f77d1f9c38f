/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock.c - time between full fences: nothing of what came before is counted, and all of what is timed has completed.
 */
#include <time.h>

#include "../../lib/cpu.h"
#include "bench.h"

double clock_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#if CLP_HAVE_PROBE

/* MFENCE completes the stores, LFENCE keeps the counter's reading in its place (Intel SDM vol. 2B "RDTSC"). */
uint64_t clock_start(void)
{
	clp_cpu_fence();
	__asm__ volatile("lfence" ::: "memory");
	return clp_cpu_ticks_before();
}

uint64_t clock_stop(void)
{
	clp_cpu_fence();
	return clp_cpu_ticks_after();
}

double clock_ghz(void)
{
	static double ghz;

	if (ghz == 0) {
		double seconds = clock_seconds();
		uint64_t ticks = clock_start();

		while (clock_seconds() - seconds < 0.05)
			continue;
		ticks = clock_stop() - ticks;
		ghz = (double)ticks / ((clock_seconds() - seconds) * 1e9);
	}
	return ghz;
}

#else

uint64_t clock_start(void)
{
	clp_cpu_fence();
	return (uint64_t)(clock_seconds() * 1e9);
}

uint64_t clock_stop(void)
{
	clp_cpu_fence();
	return (uint64_t)(clock_seconds() * 1e9);
}

double clock_ghz(void)
{
	return 1;
}

#endif

uint64_t clock_overhead(void)
{
	static uint64_t least = UINT64_MAX;

	if (least == UINT64_MAX) {
		for (unsigned i = 0; i < 1000; i++) {
			uint64_t ticks = clock_start();

			ticks = clock_stop() - ticks;
			if (ticks < least)
				least = ticks;
		}
	}
	return least;
}
