/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rng.h - the seeded random numbers of the check: a seed gives the same run on every machine.
 */
#ifndef CHECK_RNG_H
#define CHECK_RNG_H

#include <stdint.h>

static inline uint64_t rng_next(uint64_t *state)
{
	uint64_t x;

	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	x = *state;
	x ^= x >> 32;
	x *= UINT64_C(0x9e3779b97f4a7c15);
	return x ^ x >> 29;
}

/* 0 up to, not including, n. */
static inline uint64_t rng_below(uint64_t *state, uint64_t n)
{
	return rng_next(state) % n;
}

#endif
