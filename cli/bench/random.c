/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * random.c - SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014): small, and the same
 * everywhere.
 */
#include "bench.h"

uint64_t random_next(struct random *r)
{
	uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* The remainder's bias is below n / 2^64: of no account for an order or an offset. */
uint64_t random_below(struct random *r, uint64_t n)
{
	return n ? random_next(r) % n : 0;
}

void shuffle(struct random *r, unsigned *order, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = random_below(r, i);
		unsigned t = order[i - 1];

		order[i - 1] = order[j];
		order[j] = t;
	}
}
