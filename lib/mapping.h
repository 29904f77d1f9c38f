/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * mapping.h - what is mapped where in this process, and what of it is in memory.
 */
#ifndef CLP_MAPPING_H
#define CLP_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clp_mapping {
	uintptr_t start, end;
	bool writable;
	bool anonymous; /* private and of no file: pages that are not there read as zero */
};

/* A walk over the mappings in ascending order. */
struct clp_maps {
	int fd;
	bool text; /* the kernel has no query: lines are read */
	size_t used, have;
	char buffer[1024];
};

/* 0, or what open() says, negated. */
int clp_maps_open(struct clp_maps *maps);
void clp_maps_close(struct clp_maps *maps);
void clp_maps_rewind(struct clp_maps *maps);
/* The mapping that holds `at` or else the next one; false where there is none. `at` never descends in one walk. */
bool clp_maps_next(struct clp_maps *maps, uintptr_t at, struct clp_mapping *mapping);

/* What mincore() said of the pages from `from` up to `to`. */
struct clp_residency {
	uintptr_t from, to;
	unsigned char in_memory[4096];
};

/*
 * The stretch of pages from `at` on, up to `end` at most, that are all in memory, or all not: *there says which. Returns its end; 0 where mincore()
 * fails. Looks at a part of a large region at a time, so that two stretches in a row can be of one kind. r: all zero at first.
 */
uintptr_t clp_resident_run(struct clp_residency *r, uintptr_t at, uintptr_t end, bool *there);
/* Bytes of [from, end) that are in memory. */
size_t clp_resident(uintptr_t from, uintptr_t end);

#endif
