/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * cpu_generic.h - fences where no architecture's own are written yet; no counter, no probe. Included by cpu.h alone.
 */
#include <unistd.h>

static inline void clp_cpu_drain(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline void clp_cpu_fence(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline uint64_t clp_cpu_ticks(void)
{
	return 0;
}

static inline size_t clp_cpu_page(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}
