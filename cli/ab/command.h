/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command.h - running a program once, as a fresh process: its lines, its time, how it ended, and the end of what it said.
 */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#define TAIL_MAX 2048

/* Where a line came from: what it printed, or the results it wrote. */
enum stream { STREAM_OUTPUT, STREAM_ERRORS, STREAM_RESULTS, STREAMS };

struct outcome {
	double seconds;		 /* from the fork to the end */
	int status;		 /* as a shell has it: of exit, or 128 and the signal */
	bool stopped;		 /* we were interrupted, and ended it */
	char tail[TAIL_MAX + 1]; /* the end of its output and errors, as they came; valid UTF-8 */
};

struct command_line {
	char *const *words; /* the program and its arguments */
	int pin;	    /* CPU; -1: none */
	const char *label;  /* in CLEARPAGES_LABEL; NULL: not set by us */
	/* A program of ours: it is told to write its results to this file, which leads here. NULL: no results. */
	const char *results;
};
/* What `results` has to be. */
#define RESULTS_PATH "/dev/fd/3"

/* Runs it to its end, or until we are interrupted. line: called for each line, without its newline, which it may change. */
void command_run(const struct command_line *c, void (*line)(void *arg, enum stream from, char *text), void *arg,
		 struct outcome *outcome);

#endif
