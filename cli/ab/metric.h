/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metric.h - the figures that one run of a command gives: its time, a number that it prints, or the samples it writes.
 */
#ifndef METRIC_H
#define METRIC_H

#include <regex.h>

#include "command.h"
#include "row.h"

struct metric {
	enum { METRIC_RESULTS, METRIC_WALL, METRIC_NUMBER } kind;
	const char *text; /* "wall" or the regular expression; NULL: results */
	regex_t regex;
	enum better better; /* as the user says; BETTER_UNKNOWN: from the unit */
};

/* text: NULL, "wall" or an extended regular expression. Dies with status 2 where it is none, or has no group. */
void metric_open(struct metric *m, const char *text, enum better better);
void metric_close(struct metric *m);

struct figure {
	char row[ROW_SIZE];
	struct unit unit;
	double value;
	double *samples; /* of which value is the median */
	size_t n, room;
};

/* What a run gave. */
struct figures {
	const struct metric *metric;
	struct figure *at;
	size_t n, room;
	bool damaged; /* results that can't be read, or of two units in a row */
};

void figures_begin(struct figures *f, const struct metric *m);
/* For command_run(), with the figures as its argument. */
void figures_line(void *arg, enum stream from, char *text);
/* After the run: NULL, or in a few words why it gives no figures. */
const char *figures_end(struct figures *f, const struct outcome *outcome);
void figures_free(struct figures *f);

#endif
