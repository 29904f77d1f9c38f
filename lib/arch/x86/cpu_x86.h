/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * cpu_x86.h - fences, the time stamp counter and the residency probe's timed loads on x86-64. Included by cpu.h alone.
 */
static inline void clp_cpu_drain(void)
{
	__asm__ volatile("sfence" ::: "memory");
}

static inline void clp_cpu_fence(void)
{
	__asm__ volatile("mfence" ::: "memory");
}

static inline uint64_t clp_cpu_ticks(void)
{
	uint32_t lo, hi;

	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi)::"memory");
	return (uint64_t)hi << 32 | lo;
}

#undef CLP_HAVE_PROBE
#define CLP_HAVE_PROBE 1

/*
 * The counter around loads to be timed: they begin after the first reading and have completed before the second. LFENCE
 * waits for all earlier instructions to complete locally (Intel SDM vol. 2A "LFENCE"; AMD: dispatch-serialising, as Linux
 * sets it up).
 */
static inline uint64_t clp_cpu_ticks_before(void)
{
	uint64_t ticks = clp_cpu_ticks();

	__asm__ volatile("lfence" ::: "memory");
	return ticks;
}

static inline uint64_t clp_cpu_ticks_after(void)
{
	__asm__ volatile("lfence" ::: "memory");
	return clp_cpu_ticks();
}

/* One byte, really loaded. */
static inline void clp_cpu_touch(const void *p)
{
	uint8_t byte;

	__asm__ volatile("movb %1, %0" : "=q"(byte) : "m"(*(const uint8_t *)p) : "memory");
}

/* The base page: fixed by the architecture. */
static inline size_t clp_cpu_page(void)
{
	return 4096;
}
