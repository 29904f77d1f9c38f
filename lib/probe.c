/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * probe.c - is a destination in cache? Times a few overlapped loads from it.
 *
 * Reading memory that was never touched would map the zero page and cost a second fault at the clear, and can lose a huge
 * page. So each page sampled first gets a store, which the clear would have made anyway; a different line of it is then
 * timed. Fresh memory needs no case of its own: the kernel has cleared the page at the store's fault, and the loads tell
 * whether that left it in cache.
 */
#include <sys/prctl.h>

#include "lib.h"

#if CLP_HAVE_PROBE

#define PAGE 4096u
/* Measured, docs/policy.md: 8 cost 350 ns out of cache, 4 cost 240, 2 no less; a single one is wrong too often. */
#define SAMPLES 4u
/* Ticks between two reads of the counter, above which it is taken to be trapped or emulated. */
#define SLOW_COUNTER_TICKS 250u

/* A process may have been denied the counter: reading it would raise SIGSEGV (prctl(2), PR_SET_TSC). */
bool clp_ticks_readable(void)
{
	int mode = 0;

	return prctl(PR_GET_TSC, &mode) == 0 && mode == PR_TSC_ENABLE;
}

bool clp_probe_usable(void)
{
	uint64_t least = UINT64_MAX;

	if (!clp_ticks_readable())
		return false;
	for (unsigned i = 0; i < 16; i++) {
		uint64_t ticks = clp_cpu_ticks_before();

		ticks = clp_cpu_ticks_after() - ticks;
		if (ticks < least)
			least = ticks;
	}
	/* 0: too coarse to see anything. */
	return least && least <= SLOW_COUNTER_TICKS;
}

/* A line of a page, different for each page, so that programs' habits do not bias the sample. */
static size_t line_of(uintptr_t page)
{
	return (size_t)((page / PAGE * UINT64_C(0x9e3779b97f4a7c15)) >> 58) * 64;
}

uint64_t clp_probe_ticks(void *addr, size_t len)
{
	uintptr_t first = ((uintptr_t)addr + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
	uintptr_t last = ((uintptr_t)addr + len) & ~(uintptr_t)(PAGE - 1);
	size_t pages = last > first ? (last - first) / PAGE : 0;
	size_t samples = pages < SAMPLES ? pages : SAMPLES;
	const char *at[SAMPLES];
	uint64_t start;

	/* No whole page inside: too short to be worth more thought. */
	if (!pages)
		return 0;
	for (size_t i = 0; i < samples; i++) {
		uintptr_t page = first + (i * pages / samples) * PAGE;
		size_t line = line_of(page);

		at[i] = (const char *)(page + (line ^ PAGE / 2));
		*(volatile uint64_t *)(page + line) = 0;
	}
	start = clp_cpu_ticks_before();
	for (size_t i = 0; i < samples; i++)
		clp_cpu_touch(at[i]);
	return clp_cpu_ticks_after() - start;
}

#else

bool clp_ticks_readable(void)
{
	return false;
}

bool clp_probe_usable(void)
{
	return false;
}

uint64_t clp_probe_ticks(void *addr, size_t len)
{
	(void)addr;
	(void)len;
	return UINT64_MAX;
}

#endif
