/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target.h - what can be checked: each routine of the table, called directly and through the library; the policy's calls.
 */
#ifndef CHECK_TARGET_H
#define CHECK_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../lib/lib.h"
#include "../../lib/run.h"
#include "call.h"

/* One way to call: which function, with what limits on its arguments. */
struct entry {
	const char *how; /* "called directly", "through clp_clear_with" */
	/* Set c->fn and c->args. choice: random bits, for flags that must make no difference. */
	void (*prepare)(const struct entry *e, struct call *c, void *dst, const void *src, size_t len, uint64_t choice);
	const struct clp_variant *variant;
	size_t granule, alignment, source_alignment;
	bool returns;         /* an int, which must be 0 */
	enum call_upper upper;
	unsigned hint;        /* for the policy's calls */
};

#define TARGET_ENTRIES 2
struct target {
	char name[48];     /* "clear/avx2", "policy/cold" */
	unsigned op;
	const char *skip;  /* why it can't run here; NULL if it can */
	bool emulated;
	bool policy;       /* not one routine: lengths around the policy's limits matter */
	unsigned entries;
	struct entry entry[TARGET_ENTRIES];
};

/* Any routine, also one outside the table. index: its public index, or -1: through clp_run_*() instead of clp_*_with(). */
void target_variant(struct target *t, const struct clp_variant *v, int index, bool emulated);
/* All targets of this machine, *n of them, to be freed. emulate: emulate what the processor lacks and the emulator knows. */
struct target *target_list(bool emulate, size_t *n);

#endif
