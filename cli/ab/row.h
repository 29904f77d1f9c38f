/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * row.h - what makes two figures comparable: the identity of a row, as one text, "bench=clear variant=stosb size=4096".
 */
#ifndef ROW_H
#define ROW_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "units.h"

#define ROW_SIZE 512
#define ROW_FIELDS 32

struct field {
	char *key, *value;
};

/* A row taken apart; the fields point into `text`. A row without '=' ("wall") is one field with an empty key. */
struct row_parts {
	char text[ROW_SIZE];
	struct field fields[ROW_FIELDS];
	size_t n;
};

/* The row and figure of a "sample" record: false where it has none. */
bool row_of_sample(const json_t *sample, char row[ROW_SIZE], struct unit *unit, double *value);

void row_split(struct row_parts *parts, const char *row);
const char *row_field(const struct row_parts *parts, const char *key); /* NULL: it has no such field */
/* May two rows differ in it and still be compared? Not in the benchmark or its size. */
bool row_field_may_differ(const char *key);
/* Is it what a row is known by, so that it is shown even where it stands alone? */
bool row_field_names(const char *key);
/* The row without some fields. */
void row_without(const char *row, char *const *keys, size_t n, char to[ROW_SIZE]);

/*
 * For people: "stosb 1 MiB uncached". Fields that say nothing (threads 1) are left out, and those of which `skip` is true.
 */
void row_words(const struct row_parts *parts, bool (*skip)(void *arg, const struct field *field), void *arg, char *text,
	       size_t size);

#endif
