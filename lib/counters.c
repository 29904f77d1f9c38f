/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * counters.c - calls, bytes and cycles by routine, for single pages and for ranges.
 *
 * A few static slots, picked by CPU so that threads on different CPUs rarely write the same cache line; no thread-local
 * storage, which may allocate on first use in a dlopened library.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>

#include "lib.h"

#define SLOTS 8u

/* 48 bytes of use, padded to a cache line. */
struct slot {
	uint64_t calls[2];
	uint64_t bytes[2];
	uint64_t cycles[2];
} __attribute__((aligned(64)));

static struct slot slots[SLOTS][CLP_VARIANTS_MAX];

static void add(uint64_t *word, uint64_t n)
{
	__atomic_fetch_add(word, n, __ATOMIC_RELAXED);
}

uint64_t clp_counters_begin(uint32_t slow)
{
	return slow & CLP_SLOW_TICKS ? clp_cpu_ticks() : 0;
}

void clp_counters_add(uint32_t slow, unsigned row, size_t len, uint64_t start)
{
	uint64_t ticks = slow & CLP_SLOW_TICKS ? clp_cpu_ticks() - start : 0;
	int cpu = sched_getcpu();
	struct slot *slot = &slots[(cpu < 0 ? 0u : (unsigned)cpu) % SLOTS][row];
	unsigned range = len > clp_cpu_page();

	add(&slot->calls[range], 1);
	add(&slot->bytes[range], len);
	add(&slot->cycles[range], ticks);
}

int clp_counters_read(unsigned op, unsigned index, struct clp_counters *counters)
{
	int row;

	if (!counters || counters->sz < sizeof(*counters))
		return -EINVAL;
	row = clp_variant_row(op, index);
	if (row < 0)
		return row;
	*counters = (struct clp_counters){ .sz = counters->sz };
	for (unsigned i = 0; i < SLOTS; i++) {
		for (unsigned range = 0; range < 2; range++) {
			counters->calls[range] += load(slots[i][row].calls[range]);
			counters->bytes[range] += load(slots[i][row].bytes[range]);
			counters->cycles[range] += load(slots[i][row].cycles[range]);
		}
	}
	return 0;
}

void clp_counters_reset(void)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		for (unsigned row = 0; row < clp_variants_total; row++) {
			for (unsigned range = 0; range < 2; range++) {
				store(slots[i][row].calls[range], 0);
				store(slots[i][row].bytes[range], 0);
				store(slots[i][row].cycles[range], 0);
			}
		}
	}
}
