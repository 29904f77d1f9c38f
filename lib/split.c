/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * split.c - which chunk a thread takes next. On one node, as nearly everywhere, that is a counter.
 */
#define _GNU_SOURCE
#include "split.h"

#include <sched.h>
#include <string.h>

#include "lib.h"
#include "quota.h"

void clp_split_open(struct clp_split *s, char *addr, size_t len, size_t unit)
{
	uintptr_t start = (uintptr_t)addr;

	*s = (struct clp_split){ .addr = addr, .len = len, .unit = unit };
	s->chunks = (start + len - 1) / unit - start / unit + 1;
}

/* Where a chunk begins, bytes from the region's start; the one behind the last: the region's end. */
static uint64_t offset(const struct clp_split *s, uint64_t chunk)
{
	uintptr_t start = (uintptr_t)s->addr;

	if (!chunk)
		return 0;
	return chunk < s->chunks ? (start / s->unit + chunk) * s->unit - start : s->len;
}

/* The nodes of n chunks from the given one on. */
static void ask(const struct clp_split *s, uint64_t chunk, size_t n, bool populate, int *nodes)
{
	void *pages[CLP_PAGES_ASKED];

	for (size_t i = 0; i < n; i++)
		pages[i] = s->addr + offset(s, chunk + i);
	if (!populate)
		clp_nodes_of(pages, n, nodes);
	else
		for (size_t i = 0; i < n; i++)
			nodes[i] = clp_node_wanted(pages[i]);
}

/* How many of a node's processors may be used. */
static uint32_t cpus_of(unsigned node, const unsigned long *allowed, size_t size)
{
	unsigned long mask[CLP_CPUS_MOST / 8 / sizeof(unsigned long)];
	uint32_t n = 0;

	if (size > sizeof(mask) || !clp_node_cpus(CLP_NODES_SYSFS, node, mask, size))
		return 0;
	for (size_t i = 0; i < size / sizeof(mask[0]); i++)
		n += (uint32_t)__builtin_popcountl(mask[i] & allowed[i]);
	return n;
}

void clp_split_by_node(struct clp_split *s, struct clp_map *map, unsigned nodes, bool populate, const void *cpus, size_t size)
{
	size_t units = (s->len / s->unit + CLP_CHUNKS_MOST - 2) / (CLP_CHUNKS_MOST - 1);

	if (units > 1)
		clp_split_open(s, s->addr, s->len, s->unit * units);
	memset(map, 0, offsetof(struct clp_map, queue));
	map->queues = nodes + 1;
	for (uint64_t chunk = 0; chunk < s->chunks; chunk += CLP_PAGES_ASKED) {
		size_t n = s->chunks - chunk < CLP_PAGES_ASKED ? (size_t)(s->chunks - chunk) : CLP_PAGES_ASKED;
		int found[CLP_PAGES_ASKED];

		ask(s, chunk, n, populate, found);
		for (size_t i = 0; i < n; i++) {
			unsigned queue = found[i] >= 0 && (unsigned)found[i] < nodes ? (unsigned)found[i] + 1 : 0;

			map->queue[chunk + i] = (unsigned char)queue;
			map->chunks[queue]++;
		}
	}
	for (unsigned queue = 1; queue < map->queues; queue++)
		if (map->chunks[queue])
			map->cpus[queue] = cpus_of(queue - 1, cpus, size);
	s->map = map;
}

/* The next one of a queue that begins not after `last`. */
static bool next_chunk(struct clp_split *s, unsigned queue, uint64_t last, uint64_t *chunk)
{
	uint64_t *next = s->map ? &s->map->next[queue] : &s->next;
	uint64_t at = load(*next);

	do {
		*chunk = at;
		while (s->map && *chunk < s->chunks && s->map->queue[*chunk] != queue)
			++*chunk;
		if (*chunk >= s->chunks) {
			/* For good: no one finds one from here on. */
			store(*next, s->chunks);
			return false;
		}
		if (offset(s, *chunk) > last)
			return false;
	} while (!__atomic_compare_exchange_n(next, &at, *chunk + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return true;
}

bool clp_split_take(struct clp_split *s, unsigned home, uint64_t last, size_t *from, size_t *len)
{
	unsigned queues = s->map ? s->map->queues : 1;
	uint64_t chunk;
	bool found = next_chunk(s, home, last, &chunk);

	/* Then those that are as near to all, then those of others. */
	if (!found && home)
		found = next_chunk(s, 0, last, &chunk);
	for (unsigned i = 1; i < queues && !found; i++) {
		unsigned queue = (home + i) % queues;

		if (queue)
			found = next_chunk(s, queue, last, &chunk);
	}
	if (!found)
		return false;
	*from = (size_t)offset(s, chunk);
	*len = (size_t)(offset(s, chunk + 1) - *from);
	__atomic_fetch_add(&s->begun, *len, __ATOMIC_RELAXED);
	return true;
}

unsigned clp_split_home(const struct clp_split *s)
{
	struct clp_map *map = s->map;
	unsigned best = 0;

	if (!map)
		return 0;
	/* The most chunks for each worker, with one more of them. */
	for (unsigned queue = 1; queue < map->queues; queue++) {
		if (map->workers[queue] >= map->cpus[queue])
			continue;
		if (!best || (uint64_t)map->chunks[queue] * (map->workers[best] + 1) > (uint64_t)map->chunks[best] * (map->workers[queue] + 1))
			best = queue;
	}
	map->workers[best]++;
	return best;
}

void clp_split_leave(const struct clp_split *s, unsigned home)
{
	if (s->map)
		s->map->workers[home]--;
}
