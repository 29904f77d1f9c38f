/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * results.c - reading what the benchmarks wrote. An interrupted run, a full disk or a copy that broke off leaves a file
 * whose whole lines are as good as ever: they are used, and the damage is named.
 */
#include "results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* So many damaged lines are named one by one. */
#define NAMED 5

void results_open(struct results *r, const char *path)
{
	bool standard = !strcmp(path, "-");

	*r = (struct results){ .path = standard ? "standard input" : path };
	r->file = standard ? stdin : fopen(path, "re");
	if (!r->file)
		die(EXIT_FAILED, "'%s' can't be read: %s", path, strerror(errno));
}

static void damage(struct results *r, const char *what)
{
	if (r->damaged++ < NAMED)
		complain("'%s': line %lu is damaged (%s) and left out", r->path, r->line, what);
}

static void check_schema(const struct results *r, const json_t *record)
{
	json_int_t schema = result_whole(record, "schema", RESULTS_SCHEMA);

	if (result_is(record, "header") && schema != RESULTS_SCHEMA)
		die(EXIT_FAILED,
		    "'%s': line %lu: results of schema %" JSON_INTEGER_FORMAT
		    ", this version reads %d; use the version of clearpages that wrote them",
		    r->path, r->line, schema, RESULTS_SCHEMA);
}

static json_t *read_record(struct results *r, size_t len)
{
	json_error_t error;
	json_t *record;

	if (r->buffer[len - 1] != '\n') {
		damage(r, "cut off");
		return NULL;
	}
	record = json_loadb(r->buffer, len, 0, &error);
	if (!record) {
		damage(r, error.text);
		return NULL;
	}
	if (!json_is_string(json_object_get(record, "type"))) {
		damage(r, "not a record");
		json_decref(record);
		return NULL;
	}
	return record;
}

json_t *results_next(struct results *r)
{
	ssize_t len;

	while ((len = getline(&r->buffer, &r->size, r->file)) > 0) {
		json_t *record;

		r->line++;
		if (r->buffer[0] == '\n')
			continue;
		record = read_record(r, (size_t)len);
		if (!record)
			continue;
		check_schema(r, record);
		r->records++;
		return record;
	}
	if (ferror(r->file))
		die(EXIT_FAILED, "'%s': reading failed after line %lu: %s", r->path, r->line, strerror(errno));
	return NULL;
}

unsigned long results_close(struct results *r)
{
	if (r->damaged > NAMED)
		complain("'%s': %lu more lines are damaged and left out", r->path, r->damaged - NAMED);
	if (r->file != stdin)
		fclose(r->file);
	free(r->buffer);
	return r->records;
}

const char *result_text(const json_t *record, const char *key, const char *otherwise)
{
	const char *text = json_string_value(json_object_get(record, key));

	return text ? text : otherwise;
}

double result_real(const json_t *record, const char *key, double otherwise)
{
	const json_t *value = json_object_get(record, key);

	return json_is_number(value) ? json_number_value(value) : otherwise;
}

json_int_t result_whole(const json_t *record, const char *key, json_int_t otherwise)
{
	const json_t *value = json_object_get(record, key);

	return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

bool result_truth(const json_t *record, const char *key)
{
	return json_is_true(json_object_get(record, key));
}

bool result_is(const json_t *record, const char *type)
{
	return !strcmp(result_text(record, "type", ""), type);
}
