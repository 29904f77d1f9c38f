/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * learn.h - whether it pays to track what is written to a region: by the times of its earlier rounds.
 */
#ifndef CLP_LEARN_H
#define CLP_LEARN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum clp_learn_mode {
	CLP_LEARN_NEW, /* all zero: nothing is known */
	CLP_LEARN_SAMPLE, /* some pages are protected, to see what share of them is written */
	CLP_LEARN_TRACK,  /* all are */
	CLP_LEARN_REST	  /* none are */
};

/* What is known of a region; in clp_recycler.state. Times in ns a page. */
struct clp_learnt {
	float whole;   /* to clear it with the others */
	float written; /* to clear it alone */
	float watch;   /* to look whether it was written, and to protect it again if need be */
	float fault;   /* the first write after it was protected */
	float share;   /* of the protected pages, that a round writes */
	uint32_t guarded; /* pages that are protected since the last round */
	uint16_t rests, rests_until; /* rounds */
	uint8_t mode;
	uint8_t listed; /* the region is under the library's userfaultfd */
};

/* What a round has seen. */
struct clp_seen {
	size_t pages;	/* in the region */
	size_t guarded; /* pages that were protected when the round began */
	size_t clean;   /* of them, not written */
	size_t cleared; /* pages */
	uint64_t clear_ns, watch_ns;
	bool whole; /* all that was in memory was cleared, not only what was written */
};

/* Take in a round, and decide how the region is to be guarded until the next: l->mode. */
void clp_learn_round(struct clp_learnt *l, const struct clp_seen *seen);

#endif
