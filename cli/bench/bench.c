/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench.c - the table of benchmarks.
 */
#include "bench.h"

static const struct command benches[] = {
	{ "clear", "routines against sizes, beside libc's memset", bench_clear },
	{ "copy", "the same for copying, beside libc's memcpy", bench_copy },
	{ "use", "clear, then use a share of it", bench_use },
	{ "around", "clear much, use a few pages of it at once", bench_around },
	{ "parallel", "clear whole, in batches, and with several threads", bench_parallel },
	{ "populate", "get memory from the kernel, with several threads", bench_populate },
	{ "recycle", "make used memory zero again: in place, given back, or what was written", bench_recycle },
	{ "small", "short clears in cache, nanoseconds a call", bench_small },
	{ "regret", "how far the policy is from the best method of each situation", bench_regret },
	{ "quick", "the summary: under a minute", bench_quick },
	{ "mem", "the workloads of perf bench mem: memset, memcpy, mmap", bench_mem },
	{ 0 },
};

int cmd_bench(int argc, char **argv)
{
	mem_order(argc, argv);
	return run_command(benches, "clearpages bench", argc, argv);
}
