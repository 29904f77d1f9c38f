/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare.h - from figures to comparisons: which rows belong together, and the verdict on each.
 */
#ifndef COMPARE_H
#define COMPARE_H

#include "data.h"
#include "row.h"
#include "verdict.h"

/* A candidate in a row. */
struct change {
	bool have;
	const char *id; /* of the candidate's row */
	struct effect effect;
	double p_holm;
	enum verdict verdict;
	unsigned long needed; /* sessions; 0: enough */
	bool can_reject;      /* the rank test */
};

struct row {
	const char *id;
	char name[ROW_SIZE]; /* for people: what differs from row to row */
	double base;	     /* geometric mean of the sessions' medians */
	struct unit unit;
	struct change *changes; /* one for each label; that of the base is empty */
};

/* All rows of a machine. */
struct table {
	const struct machine *machine;
	char common[ROW_SIZE]; /* what all rows have in common */
	struct row *rows;
	size_t n, room;
	size_t family; /* comparisons, for which p is adjusted together */
};

/* A row and a candidate over all machines. */
struct fleet {
	const struct row *row; /* of the first machine that has it */
	unsigned label;
	size_t machines, marks[4]; /* of enum verdict */
	double mean, low, high;	   /* of the machines' effects, in logarithms; the interval is nil below 2 machines */
	double least, most;
};

struct comparisons {
	const struct data *data;
	double threshold;
	struct table *tables;
	size_t n;
	struct fleet *fleet;
	size_t n_fleet, room;
};

/* better: for units that don't tell. Dies with status 1 where nothing can be compared. */
void compare(struct comparisons *c, const struct data *d, double threshold, enum better better);
void comparisons_free(struct comparisons *c);

#endif
