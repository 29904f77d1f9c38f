/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * harness.h - is a target correct? Alignment x length sweeps, unmapped neighbours, canaries, registers.
 */
#ifndef CHECK_HARNESS_H
#define CHECK_HARNESS_H

#include <stdbool.h>
#include <stdint.h>

#include "target.h"

struct plan {
	uint64_t seed;
	bool quick; /* fewer alignments and lengths */
	bool large; /* also a length over 4 GiB, of addresses, not of memory */
};

struct verdict {
	bool failed;
	bool interrupted;
	uint64_t calls;
	char what[320]; /* of a failure: what, where, with which arguments and seed */
};

/* Buffers and signal handlers, for any number of checks. */
void harness_open(const struct plan *plan);
void harness_check(const struct target *t, struct verdict *verdict);
void harness_close(void);

#endif
