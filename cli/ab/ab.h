/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ab.h - comparing a base with candidates: from a live run or stored results, through comparisons, to tables.
 */
#ifndef AB_H
#define AB_H

#include <math.h>

#include "cli.h"
#include "compare.h"
#include "data.h"
#include "plan.h"

#define SESSIONS_MAX 100000
#define REPEATS_MAX 100000

/*
 * live.c: runs what the plan holds and is not done (turns: NULL where all is to do), into the store and into d. Returns
 * how many sessions are done: fewer than there are where it was interrupted.
 */
unsigned live_run(const struct plan *p, const unsigned char *turns, struct store *store, struct data *d);

/* load.c: "FILE" or "NAME=FILE" each; files of live runs hold all sides themselves. Dies where nothing can be compared. */
void load_files(struct data *d, char *const *files, size_t n);
/* One file of a live run. */
void load_live_file(struct data *d, const char *path);

/* table.c */
enum format { FORMAT_TEXT, FORMAT_MARKDOWN, FORMAT_CSV, FORMAT_JSON };
void print_tables(const struct comparisons *c, enum format format);
/* A text in lines of a terminal's width. */
void print_words(const char *text);
/* A cell of a Markdown table, and the bar after it. */
void print_markdown_cell(const char *text);
/* fleet.c */
void print_fleet(const struct comparisons *c, bool markdown);
/* csv.c */
void print_csv(const struct comparisons *c);
/* records.c: the same as records, each handed to `take`. */
void comparison_records(const struct comparisons *c, void (*take)(void *arg, const struct record *r), void *arg);
extern const char *const verdict_marks[4]; /* "R", "I", "~", "?" */
static inline double percent(double log)
{
	return 100 * expm1(log);
}
/* Of a percentage that is shown: two where they mean something, so that columns stay columns. */
static inline int decimals(double log)
{
	return fabs(percent(log)) < 99.995 ? 2 : 0;
}

#endif
