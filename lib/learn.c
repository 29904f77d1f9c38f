/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * learn.c - whether it pays to track what is written to a region.
 *
 * Tracking costs a look at each page and a fault for each one that is written; without it all of them are cleared. Both are known in ns a page from earlier
 * rounds, and the share of pages that a round writes from those that were protected: all of them while tracking, a 64th of them in a sample, which is taken
 * after 2 rounds of rest, then 4, 8 and so on up to 64 as long as it says no.
 */
#include "learn.h"

#define RESTS_FIRST 2u
#define RESTS_MOST  64u
#define START_GAIN  0.9f /* tracking begins where it is expected to take less than this of the time without it, and ends at 1 */

/* A new measurement counts by half. */
static void blend(float *mean, double value)
{
	*mean = *mean > 0 ? (*mean + (float)value) / 2 : (float)value;
}

/* Disturbances only ever add time: less is believed at once. */
static void least(float *known, double value)
{
	if (!(*known > 0) || value < *known)
		*known = (float)value;
	else
		*known += ((float)value - *known) / 8;
}

static float tracked_cost(const struct clp_learnt *l)
{
	/* Pages that are cleared alone are cleared at a lower rate; how much lower only tracking will tell. */
	float written = l->written > 0 ? l->written : 2 * l->whole;

	return l->watch + l->share * (written + l->fault);
}

static enum clp_learn_mode rest(struct clp_learnt *l)
{
	l->rests_until = l->rests_until ? (uint16_t)(2 * l->rests_until) : RESTS_FIRST;
	if (l->rests_until > RESTS_MOST)
		l->rests_until = RESTS_MOST;
	l->rests = 0;
	return CLP_LEARN_REST;
}

static enum clp_learn_mode next_mode(struct clp_learnt *l, bool sampled)
{
	switch (l->mode) {
	case CLP_LEARN_SAMPLE:
		if (!sampled)
			return rest(l);
		return tracked_cost(l) < START_GAIN * l->whole ? CLP_LEARN_TRACK : rest(l);
	case CLP_LEARN_TRACK:
		l->rests_until = 0;
		return tracked_cost(l) < l->whole ? CLP_LEARN_TRACK : rest(l);
	case CLP_LEARN_REST:
		return ++l->rests < l->rests_until ? CLP_LEARN_REST : CLP_LEARN_SAMPLE;
	default:
		return CLP_LEARN_SAMPLE;
	}
}

void clp_learn_round(struct clp_learnt *l, const struct clp_seen *seen)
{
	if (seen->guarded) {
		float share = 1 - (float)seen->clean / (float)seen->guarded;

		/* A sample speaks of the use of now. */
		l->share = l->mode == CLP_LEARN_SAMPLE ? share : (l->share + share) / 2;
	}
	if (seen->cleared && seen->whole)
		least(&l->whole, (double)seen->clear_ns / (double)seen->cleared);
	else if (seen->cleared)
		blend(&l->written, (double)seen->clear_ns / (double)seen->cleared);
	if (l->mode == CLP_LEARN_TRACK && seen->pages)
		blend(&l->watch, (double)seen->watch_ns / (double)seen->pages);
	l->mode = (uint8_t)next_mode(l, seen->guarded);
}
