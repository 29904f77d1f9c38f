/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h - what the command line of ab says.
 */
#ifndef AB_OPTIONS_H
#define AB_OPTIONS_H

#include "ab.h"

enum {
	OPT_SESSIONS = OPT_LONG,
	OPT_REPEATS,
	OPT_WARMUP,
	OPT_BASE,
	OPT_CAND,
	OPT_METRIC,
	OPT_PREPARE,
	OPT_LOWER,
	OPT_HIGHER,
	OPT_PIN,
	OPT_SEED,
	OPT_RESUME,
	OPT_THRESHOLD,
	OPT_FORMAT,
	OPT_JSON,
	OPT_FAIL_ON,
};

struct options {
	struct plan plan;
	/* Whether an option was given, by its key. */
	bool given[OPT_FAIL_ON - OPT_LONG + 1];
	char **files;
	size_t n_files;
	const char *output, *resume;
	double threshold;
	enum format format;
	bool fail_regression, fail_unsure;
};

/* Dies with status 2 on what it can't make sense of. */
void options_parse(struct options *o, int argc, char **argv);
/* With files of results: options of live runs mean nothing. */
void options_refuse_live(const struct options *o);
/* With --resume: what the command line repeats has to be what the run was begun with. */
void options_check_same(const struct options *o, const struct plan *was);

#endif
