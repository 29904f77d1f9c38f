/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * split.h - a region in chunks, which threads take one after the other: in ascending order, and those first whose pages live on the
 * thread's own NUMA node.
 */
#ifndef CLP_SPLIT_H
#define CLP_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nodes.h"

/* Where there are several nodes: a queue for each, and queue 0 for chunks that are no node's. */
#define CLP_QUEUES	 (CLP_NODES_MOST + 1)
#define CLP_CHUNKS_MOST ((size_t)4096)
struct clp_map {
	unsigned queues;
	uint64_t next[CLP_QUEUES]; /* chunks below have been taken, or are another queue's */
	uint32_t chunks[CLP_QUEUES];
	uint32_t cpus[CLP_QUEUES]; /* that may be used */
	uint32_t workers[CLP_QUEUES];
	unsigned char queue[CLP_CHUNKS_MOST]; /* of each chunk */
};

struct clp_split {
	char *addr;
	size_t len, unit; /* chunks end at multiples of it in the address space */
	uint64_t chunks, next;
	uint64_t begun; /* bytes taken */
	struct clp_map *map; /* NULL: one queue for all */
};

void clp_split_open(struct clp_split *s, char *addr, size_t len, size_t unit);
/* Find out which chunks are whose, of so many nodes; of longer chunks where there would be too many. cpus: those that may be used. */
void clp_split_by_node(struct clp_split *s, struct clp_map *map, unsigned nodes, bool populate, const void *cpus, size_t size);
/* The next chunk for a worker of this home, beginning not after `last`; false: there is none. */
bool clp_split_take(struct clp_split *s, unsigned home, uint64_t last, size_t *from, size_t *len);
/*
 * The queue that a worker is most wanted at, of a node that has a processor for one more; 0: none in particular. Counts it there. Not for two
 * threads at once.
 */
unsigned clp_split_home(const struct clp_split *s);
void clp_split_leave(const struct clp_split *s, unsigned home);

#endif
