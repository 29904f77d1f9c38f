/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * size.c - sizes, counts and lists as people write them.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static int unit_shift(const char *unit)
{
	static const char letters[] = "KMGT";
	bool upper, lower;
	const char *at;

	if (!*unit || !strcmp(unit, "B") || !strcmp(unit, "b"))
		return 0;
	at = strchr(letters, toupper((unsigned char)unit[0]));
	upper = isupper((unsigned char)unit[0]);
	lower = !upper;
	if (!at || (unit[1] && !(upper && !strcmp(unit + 1, "B")) && !(upper && !strcmp(unit + 1, "iB")) &&
		    !(lower && !strcmp(unit + 1, "b"))))
		return -1;
	return 10 * (int)(at - letters + 1);
}

int read_size(const char *text, uint64_t *value)
{
	uint64_t n = 0;
	const char *p = text;
	int shift;

	if (!isdigit((unsigned char)*p))
		return -EINVAL;
	for (; isdigit((unsigned char)*p); p++) {
		if (n > (UINT64_MAX - 9) / 10)
			return -ERANGE;
		n = n * 10 + (uint64_t)(*p - '0');
	}
	shift = unit_shift(p);
	if (shift < 0)
		return -EINVAL;
	/* A size has to fit size_t and off_t. */
	if (n > (uint64_t)INT64_MAX >> shift)
		return -ERANGE;
	*value = n << shift;
	return 0;
}

uint64_t parse_count(const char *option, const char *text, uint64_t least, uint64_t most)
{
	uint64_t n = 0;
	const char *p = text;

	for (; isdigit((unsigned char)*p) && n <= most; p++)
		n = n > (UINT64_MAX - 9) / 10 ? UINT64_MAX : n * 10 + (uint64_t)(*p - '0');
	if (p == text || *p || n < least || n > most)
		die(EXIT_USAGE, "%s: '%s' is not a whole number from %llu to %llu", option, text, (unsigned long long)least,
		    (unsigned long long)most);
	return n;
}

static bool append(uint64_t **values, size_t *n, uint64_t value)
{
	uint64_t *more;

	if (*n == 256)
		return false;
	more = realloc(*values, (*n + 1) * sizeof(**values));
	if (!more)
		return false;
	*values = more;
	more[(*n)++] = value;
	return true;
}

static const char not_a_size[] = "is not a size; write digits and a unit, such as 4096, 64K, 2MB or 1GiB";
static const char too_large[] = "is too large; the largest size is 8388607T";

/* NULL, or what is wrong with it. */
static const char *read_nonzero(const char *text, uint64_t *value)
{
	int err = read_size(text, value);

	if (err == -ERANGE)
		return too_large;
	return err || !*value ? not_a_size : NULL;
}

uint64_t parse_size(const char *option, const char *text)
{
	uint64_t value;
	const char *error = read_nonzero(text, &value);

	if (error)
		die(EXIT_USAGE, "%s: '%s' %s", option, text, error);
	return value;
}

static const char *read_item(const char *item, uint64_t **values, size_t *n)
{
	char *dots = strstr(item, "..");
	uint64_t from = 0, to;
	const char *error;

	if (dots)
		*dots = '\0';
	error = read_nonzero(item, &from);
	to = from;
	if (!error && dots)
		error = read_nonzero(dots + 2, &to);
	if (error)
		return error;
	if (to < from)
		return "is a range that runs backwards";
	for (;; from *= 2) {
		if (!append(values, n, from))
			return "makes the list too long; at most 256 sizes";
		if (from > to / 2)
			return NULL;
	}
}

uint64_t *read_size_list(const char *text, size_t *n, const char **error)
{
	char *copy = strdup(text);
	char *rest = copy, *item;
	uint64_t *values = NULL;

	*n = 0;
	*error = copy ? NULL : "out of memory";
	while (!*error && (item = strsep(&rest, ",")))
		*error = *item ? read_item(item, &values, n) : "has an empty item";
	free(copy);
	if (!*error)
		return values;
	free(values);
	return NULL;
}

uint64_t *parse_size_list(const char *option, const char *text, size_t *n)
{
	const char *error;
	uint64_t *values = read_size_list(text, n, &error);

	if (!values)
		die(EXIT_USAGE, "%s: '%s' %s", option, text, error);
	return values;
}

char **parse_words(const char *option, const char *text, size_t *n)
{
	char **words = NULL;
	const char *p = text;

	*n = 0;
	for (;;) {
		size_t len = strcspn(p, ",");
		char **more = realloc(words, (*n + 1) * sizeof(*words));

		if (!len)
			die(EXIT_USAGE, "%s: '%s' is an empty list or has an empty item", option, text);
		if (!more || !(more[*n] = strndup(p, len)))
			die(EXIT_FAILED, "out of memory");
		words = more;
		++*n;
		if (!p[len])
			return words;
		p += len + 1;
	}
}

void free_words(char **words, size_t n)
{
	while (n)
		free(words[--n]);
	free(words);
}

const char *format_size(uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	static char ring[8][24];
	static unsigned next;
	char *text = ring[next++ % 8];
	unsigned unit = 0;

	while (unit < 4 && bytes >> (10 * (unit + 1)))
		unit++;
	if (bytes & (((uint64_t)1 << (10 * unit)) - 1))
		snprintf(text, sizeof(ring[0]), "%.1f %s", (double)bytes / (double)((uint64_t)1 << (10 * unit)),
			 units[unit]);
	else
		snprintf(text, sizeof(ring[0]), "%llu %s", (unsigned long long)bytes >> (10 * unit), units[unit]);
	return text;
}
