/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * results.h - reading what the benchmarks wrote: JSON Lines, one record at a time.
 */
#ifndef RESULTS_H
#define RESULTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct results {
	const char *path;
	FILE *file;
	char *buffer;
	size_t size;
	unsigned long line;    /* of the record last read, from 1 */
	unsigned long records; /* read so far */
	unsigned long damaged; /* lines passed over so far */
};

/* "-": standard input. Dies with status 1 where it can't be read. */
void results_open(struct results *r, const char *path);
/*
 * The next record, an object with a text "type", to be freed with json_decref(); NULL at the end. A line that is damaged
 * (cut off, not JSON, not a record) is named on stderr and passed over. Dies with status 1 on a header of another schema.
 */
json_t *results_next(struct results *r);
/* Says how many lines were passed over, where that was not said line by line. Returns the number of records. */
unsigned long results_close(struct results *r);

/* A value of a record, or `otherwise` where it is missing or of another kind. The text lives as long as the record. */
const char *result_text(const json_t *record, const char *key, const char *otherwise);
double result_real(const json_t *record, const char *key, double otherwise);
json_int_t result_whole(const json_t *record, const char *key, json_int_t otherwise);
bool result_truth(const json_t *record, const char *key);
bool result_is(const json_t *record, const char *type);

#endif
