// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * histogram.c - times in buckets that grow with the value: 16 to the octave, so that a percentile is right to 6% whether
 * faults take a microsecond or a second, and recording one is a few instructions.
 */
#include "mem.h"

/* Below BUCKETS_OCTAVE each value has a bucket; above, the first bits after the leading one count within the octave. */
#define SUB_BITS 4
_Static_assert(BUCKETS_OCTAVE == 1 << SUB_BITS, "the bits within an octave");

unsigned histogram_bucket(uint64_t value)
{
	unsigned top;

	if (value < BUCKETS_OCTAVE)
		return (unsigned)value;
	top = 63 - (unsigned)__builtin_clzll(value);
	return (top - SUB_BITS + 1) * BUCKETS_OCTAVE + (unsigned)(value >> (top - SUB_BITS)) % BUCKETS_OCTAVE;
}

uint64_t histogram_from(unsigned bucket)
{
	unsigned octave = bucket / BUCKETS_OCTAVE;

	if (!octave)
		return bucket;
	if (octave > 63 - SUB_BITS + 1)
		return UINT64_MAX;
	return (uint64_t)(BUCKETS_OCTAVE + bucket % BUCKETS_OCTAVE) << (octave - 1);
}

void histogram_add(struct histogram *h, uint64_t value)
{
	h->count[histogram_bucket(value)]++;
	h->n++;
	if (value > h->most)
		h->most = value;
}

void histogram_merge(struct histogram *h, const struct histogram *other)
{
	for (unsigned i = 0; i < BUCKETS; i++)
		h->count[i] += other->count[i];
	h->n += other->n;
	if (other->most > h->most)
		h->most = other->most;
}

double histogram_percentile(const struct histogram *h, double share)
{
	double wanted = share * (double)h->n, below = 0;

	for (unsigned i = 0; i < BUCKETS; i++) {
		double here = (double)h->count[i];
		double from = (double)histogram_from(i);
		double value;

		if (!h->count[i] || below + here < wanted) {
			below += here;
			continue;
		}
		value = from + ((double)histogram_from(i + 1) - from) * (wanted - below) / here;
		return value < (double)h->most ? value : (double)h->most;
	}
	return (double)h->most;
}
