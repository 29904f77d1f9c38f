/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h - what the files behind `run` and `stats` share: programs within reach, the folder of counters, what is counted, what was gained.
 */
#ifndef RUN_H
#define RUN_H

#include <sys/types.h>

#include "../../preload/file.h"
#include "../cli.h"

/* As shells have it. */
enum { EXIT_OUT_OF_REACH = 126, EXIT_NOT_FOUND = 127 };

/*
 * reach.c: the file that is executed for a command's first word, to be freed. Dies with status 127 where there is none, with 126
 * where it can't be executed, or could be but would ignore the preloaded library.
 */
char *program_within_reach(const char *word);

/*
 * folder.c: a folder for each run, in one that is the user's alone. Die with status 1 where that can't be had.
 */
char *counts_folder_make(void);
/* The folders there are: paths, *n of them, to be freed with free_words(); NULL where there are none. */
char **counts_folders(size_t *n);
/* Does the process run that made it? It may not have counted anything yet. */
bool counts_folder_begins(const char *folder);
/* With all its files, of processes that run or not. */
void counts_folder_remove(const char *folder);

/*
 * load.c: what processes have counted.
 */
struct counted {
	struct preload_file file;
	bool runs;
	uint64_t cpu_ns; /* so far, or when it ended; 0: not known */
};
struct counted_list {
	struct counted *at;
	size_t n, room;
};
/* Appends those in a folder. What is no file of counters is named on stderr and passed over. */
void counted_load(struct counted_list *list, const char *folder);
/* All of one in another: its cells, its adopted. */
void counted_add(struct preload_file *to, const struct preload_file *from);

/*
 * gain.c: ours against libc's, in nanoseconds, from pairs of calls. NAN what is not known.
 */
struct gain {
	bool known;    /* two pairs, at least */
	double libc;   /* the mean of libc's calls in the pairs */
	double each;   /* gained by a call */
	double se, df; /* of `each` */
	double faulted; /* the share of pairs in which pages were faulted in */
};
void gain_of(struct gain *g, const struct preload_cell *cell, unsigned class);
/*
 * Of all calls that were ours: what they gained together. missed: those of sizes without two pairs. faulted: those that, by the
 * share of such pairs, faulted pages in, and whose gain is taken for none.
 */
struct gain_sum {
	double ns, variance, df_terms;
	uint64_t calls, missed, faulted;
};
void gain_add(struct gain_sum *sum, const struct gain *g, uint64_t calls);
/* Half of the interval at 95%; NAN where that is not known, as without Rmath. */
double gain_margin(const struct gain *g);
double gain_sum_margin(const struct gain_sum *sum);
/* quantile_rmath.c or quantile_none.c: of Student's t; NAN where it is not known. */
double t_quantile(double p, double df);

/*
 * show.c: tables. cpu_ns: of what is shown, 0: not known.
 */
void show_counted(struct output *out, const struct preload_file *file, uint64_t cpu_ns);
void show_processes(struct output *out, const struct counted_list *list);
/* Time and bytes of what is cleared, erased and copied. */
uint64_t counted_ns(const struct preload_file *file);
uint64_t counted_calls(const struct preload_file *file);

#endif
