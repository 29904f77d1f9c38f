/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * units.h - what a figure is counted in, and which way is better.
 */
#ifndef UNITS_H
#define UNITS_H

#include <stdbool.h>
#include <stddef.h>

enum better { BETTER_UNKNOWN, BETTER_LOWER, BETTER_HIGHER };

struct unit {
	char name[32];
	enum better better;
};

const char *better_name(enum better better); /* "lower", "higher", or "" */
enum better better_named(const char *name);

/*
 * The unit in the text that follows a number ("  GB/sec", "ms, of which ..."): its name, in base units, and the factor that
 * leads there. Without a known one the name is the word that stands there, the factor 1 and better BETTER_UNKNOWN.
 */
void read_unit(const char *after, struct unit *unit, double *factor);

/* A number at the start of a text, with commas between thousands allowed; *end: what follows. False where there is none. */
bool read_figure(const char *text, double *value, const char **end);

/* "16.5 GB/s", "12.3 ms", "204.8 kticks": four significant digits. */
const char *figure_text(double value, const char *unit, char *text, size_t size);

#endif
