/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h - what a live run is asked to do, and its file: the plan, a line for each run as it is taken, the comparisons.
 */
#ifndef PLAN_H
#define PLAN_H

#include <stdint.h>
#include <stdio.h>

#include "cli.h"
#include "data.h"
#include "metric.h"

struct plan {
	char *labels[LABELS_MAX]; /* the base first */
	char *commands[LABELS_MAX];
	unsigned n;
	unsigned sessions, repeats, warmup;
	int pin; /* -1: none */
	uint64_t seed;
	char *metric; /* as given: NULL, "wall", a regular expression */
	enum better better;
	char *prepare; /* before each session; NULL: nothing */
};
void plan_free(struct plan *p);

/* One session: a label's turn in a block. Blocks, positions and repeats count from 1. */
struct turn {
	unsigned label, block, position;
};

struct store {
	const char *path;
	FILE *file;
};

/* A new file with the plan in it. Dies with status 1 where it can't be written, or is there and not empty. */
void store_create(struct store *s, const char *path, const struct plan *p, int argc, char **argv);
/* Goes on after what is there. */
void store_append(struct store *s, const char *path);
void store_record(struct store *s, const struct record *r);
void store_run(struct store *s, const struct plan *p, const struct turn *t, unsigned repeat, bool warmup,
	       const struct figure *figure);
void store_failed(struct store *s, const struct plan *p, const struct turn *t, const struct outcome *outcome,
		  const char *reason);
/* The session is complete; or is begun again, and what is there of it does not count. */
void store_session(struct store *s, const struct plan *p, const struct turn *t, const char *type);
void store_close(struct store *s);

/* What a file says: its plan, and which turns are begun and done. */
enum progress_of { TURN_NONE, TURN_BEGUN, TURN_DONE };
struct stored {
	struct plan plan;
	unsigned char *turns; /* [block - 1][label], of enum progress_of */
	bool compared;
};
/* Dies with status 1 where the file is not that of a live run. */
void store_read(const char *path, struct stored *stored);

#endif
