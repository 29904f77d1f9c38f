/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * row.c - rows from samples, and rows for people. Whatever in a sample is not a measure is part of the row's identity, so
 * that a benchmark's new option makes rows of its own and nothing unlike is compared.
 */
#include "row.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "results.h"

/* Measures, and which sample of many it is. Real numbers are measures whatever they are called. */
static const char *const not_identity[] = { "type",  "round",	"repeat", "sample", "ticks", "gbps",   "bytes",
					    "value", "seconds", "unit",	  "better", "loops", "faults", "given" };

static bool listed(const char *key, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i], key))
			return true;
	return false;
}

static void append(char row[ROW_SIZE], const char *key, const char *value)
{
	size_t len = strlen(row);
	int more = snprintf(row + len, ROW_SIZE - len, "%s%s=%s", len ? " " : "", key, value);

	/* A row that is too long for its identity would be taken for another. */
	if (more < 0 || (size_t)more >= ROW_SIZE - len)
		die(EXIT_FAILED, "a sample has a longer description than %d bytes: '%s'", ROW_SIZE, row);
	/* Blanks part the fields. */
	for (char *c = row + len + (len > 0); *c; c++)
		if (isspace((unsigned char)*c))
			*c = '_';
}

static bool figure(const json_t *sample, struct unit *unit, double *value)
{
	double size = result_real(sample, "size", 0), bytes = result_real(sample, "bytes", size);

	*unit = (struct unit){ .name = "ticks", .better = BETTER_LOWER };
	*value = result_real(sample, "value", NAN);
	if (!isnan(*value)) {
		snprintf(unit->name, sizeof(unit->name), "%s", result_text(sample, "unit", ""));
		unit->better = better_named(result_text(sample, "better", ""));
		return true;
	}
	*value = 1e9 * result_real(sample, "gbps", NAN);
	if (!isnan(*value)) {
		*unit = (struct unit){ .name = "bytes/sec", .better = BETTER_HIGHER };
		return true;
	}
	/* regret's samples have ticks alone. With threads a sample is a stretch of destinations: ticks for one. */
	*value = result_real(sample, "ticks", NAN);
	if (bytes > 0 && size > 0)
		*value *= size / bytes;
	return !isnan(*value);
}

bool row_of_sample(const json_t *sample, char row[ROW_SIZE], struct unit *unit, double *value)
{
	const char *key;
	json_t *field;
	char number[32];

	if (!figure(sample, unit, value))
		return false;
	row[0] = '\0';
	/* jansson takes the object as not const, and does not change it. */
	json_object_foreach((json_t *)(uintptr_t)sample, key, field)
	{
		if (listed(key, not_identity, sizeof(not_identity) / sizeof(not_identity[0])) || json_is_real(field))
			continue;
		if (json_is_string(field)) {
			append(row, key, json_string_value(field));
		} else if (json_is_integer(field)) {
			snprintf(number, sizeof(number), "%lld", (long long)json_integer_value(field));
			append(row, key, number);
		} else if (json_is_boolean(field)) {
			append(row, key, json_is_true(field) ? "yes" : "no");
		}
	}
	return true;
}

void row_split(struct row_parts *parts, const char *row)
{
	char *rest = NULL;

	parts->n = 0;
	snprintf(parts->text, sizeof(parts->text), "%s", row);
	if (!strchr(row, '=')) {
		parts->fields[parts->n++] = (struct field){ parts->text + strlen(parts->text), parts->text };
		return;
	}
	for (char *at = strtok_r(parts->text, " ", &rest); at && parts->n < ROW_FIELDS; at = strtok_r(NULL, " ", &rest)) {
		char *equals = strchr(at, '=');

		if (!equals)
			continue;
		*equals = '\0';
		parts->fields[parts->n++] = (struct field){ at, equals + 1 };
	}
}

const char *row_field(const struct row_parts *parts, const char *key)
{
	for (size_t i = 0; i < parts->n; i++)
		if (!strcmp(parts->fields[i].key, key))
			return parts->fields[i].value;
	return NULL;
}

bool row_field_may_differ(const char *key)
{
	static const char *const fixed[] = { "", "bench", "operation", "size" };

	return !listed(key, fixed, sizeof(fixed) / sizeof(fixed[0]));
}

bool row_field_names(const char *key)
{
	static const char *const names[] = { "", "variant", "function", "size" };

	return listed(key, names, sizeof(names) / sizeof(names[0]));
}

void row_without(const char *row, char *const *keys, size_t n, char to[ROW_SIZE])
{
	struct row_parts parts;

	row_split(&parts, row);
	to[0] = '\0';
	for (size_t i = 0; i < parts.n; i++) {
		bool gone = false;

		for (size_t k = 0; k < n; k++)
			gone = gone || !strcmp(keys[k], parts.fields[i].key);
		if (!gone)
			append(to, parts.fields[i].key, parts.fields[i].value);
	}
}

/* How a field reads: its value as it is, as a size, or after its name; and the value that goes without saying. */
static const struct {
	const char *key;
	enum { PLAIN, SIZE, NAMED, FLAG } how;
	const char *silent; /* '=': that of another field, "=size" */
} readings[] = {
	{ "", PLAIN, NULL },	     { "bench", PLAIN, NULL },	  { "operation", PLAIN, "=bench" },
	{ "variant", PLAIN, NULL },  { "function", PLAIN, NULL }, { "state", PLAIN, NULL },
	{ "use", PLAIN, NULL },	     { "size", SIZE, NULL },	  { "extent", SIZE, "=size" },
	{ "chunk", SIZE, "=size" },  { "delay", SIZE, "0" },	  { "touch", NAMED, "none" },
	{ "pages", NAMED, "base" },  { "threads", NAMED, "1" },	  { "bystander", FLAG, "no" },
	{ "copy", FLAG, "no" },	     { "offset", SIZE, "0" },	  { "source", NAMED, "0" },
	{ "randomize", NAMED, "0" },
};
#define READINGS (sizeof(readings) / sizeof(readings[0]))

static bool silent(const struct row_parts *parts, const char *than, const char *value)
{
	const char *other = than && *than == '=' ? row_field(parts, than + 1) : than;

	return other && !strcmp(other, value);
}

static void word(const struct row_parts *parts, const struct field *f, char *text, size_t size)
{
	size_t r = 0;

	text[0] = '\0';
	while (r < READINGS && strcmp(readings[r].key, f->key) != 0)
		r++;
	if (r < READINGS && silent(parts, readings[r].silent, f->value))
		return;
	if (r < READINGS && readings[r].how == PLAIN)
		snprintf(text, size, "%s", f->value);
	else if (r < READINGS && readings[r].how == FLAG)
		snprintf(text, size, "%s", f->key);
	else if (r < READINGS && readings[r].how == SIZE)
		snprintf(text, size, "%s%s%s", !strcmp(f->key, "size") ? "" : f->key, !strcmp(f->key, "size") ? "" : " ",
			 format_size(strtoull(f->value, NULL, 10)));
	else
		snprintf(text, size, "%s %s", f->key, f->value);
}

void row_words(const struct row_parts *parts, bool (*skip)(void *arg, const struct field *field), void *arg, char *text,
	       size_t size)
{
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < parts->n && len < size; i++) {
		char one[ROW_SIZE + 32];

		if (skip && skip(arg, &parts->fields[i]))
			continue;
		word(parts, &parts->fields[i], one, sizeof(one));
		if (*one)
			len += (size_t)snprintf(text + len, size - len, "%s%s", len ? " " : "", one);
	}
}
