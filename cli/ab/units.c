/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * units.c - units as programs print them. A program may print 999 MB/sec in one run and 1.01 GB/sec in the next, so figures
 * are kept in base units: bytes/sec, s.
 */
#include "units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIBI 0x1p10
#define MEBI 0x1p20
#define GIBI 0x1p30
#define TEBI 0x1p40

/* perf bench counts its KB/sec, MB/sec and GB/sec by 1024; who writes MB/s mostly counts by 1000. */
static const struct {
	const char *word, *name;
	double factor;
	enum better better;
} units[] = {
	{ "bytes/sec", "bytes/sec", 1, BETTER_HIGHER },
	{ "KB/sec", "bytes/sec", KIBI, BETTER_HIGHER },
	{ "MB/sec", "bytes/sec", MEBI, BETTER_HIGHER },
	{ "GB/sec", "bytes/sec", GIBI, BETTER_HIGHER },
	{ "TB/sec", "bytes/sec", TEBI, BETTER_HIGHER },
	{ "bytes/s", "bytes/sec", 1, BETTER_HIGHER },
	{ "B/s", "bytes/sec", 1, BETTER_HIGHER },
	{ "kB/s", "bytes/sec", 1e3, BETTER_HIGHER },
	{ "KB/s", "bytes/sec", 1e3, BETTER_HIGHER },
	{ "MB/s", "bytes/sec", 1e6, BETTER_HIGHER },
	{ "GB/s", "bytes/sec", 1e9, BETTER_HIGHER },
	{ "TB/s", "bytes/sec", 1e12, BETTER_HIGHER },
	{ "KiB/s", "bytes/sec", KIBI, BETTER_HIGHER },
	{ "MiB/s", "bytes/sec", MEBI, BETTER_HIGHER },
	{ "GiB/s", "bytes/sec", GIBI, BETTER_HIGHER },
	{ "TiB/s", "bytes/sec", TEBI, BETTER_HIGHER },
	{ "KiB/sec", "bytes/sec", KIBI, BETTER_HIGHER },
	{ "MiB/sec", "bytes/sec", MEBI, BETTER_HIGHER },
	{ "GiB/sec", "bytes/sec", GIBI, BETTER_HIGHER },
	{ "ns", "s", 1e-9, BETTER_LOWER },
	{ "nsec", "s", 1e-9, BETTER_LOWER },
	{ "nsecs", "s", 1e-9, BETTER_LOWER },
	{ "nanoseconds", "s", 1e-9, BETTER_LOWER },
	{ "us", "s", 1e-6, BETTER_LOWER },
	{ "\xc2\xb5s", "s", 1e-6, BETTER_LOWER },
	{ "\xce\xbcs", "s", 1e-6, BETTER_LOWER },
	{ "usec", "s", 1e-6, BETTER_LOWER },
	{ "usecs", "s", 1e-6, BETTER_LOWER },
	{ "microseconds", "s", 1e-6, BETTER_LOWER },
	{ "ms", "s", 1e-3, BETTER_LOWER },
	{ "msec", "s", 1e-3, BETTER_LOWER },
	{ "msecs", "s", 1e-3, BETTER_LOWER },
	{ "milliseconds", "s", 1e-3, BETTER_LOWER },
	{ "s", "s", 1, BETTER_LOWER },
	{ "sec", "s", 1, BETTER_LOWER },
	{ "secs", "s", 1, BETTER_LOWER },
	{ "second", "s", 1, BETTER_LOWER },
	{ "seconds", "s", 1, BETTER_LOWER },
	{ "cycle", "cycles", 1, BETTER_LOWER },
	{ "cycles", "cycles", 1, BETTER_LOWER },
	{ "ticks", "ticks", 1, BETTER_LOWER },
};
#define UNITS (sizeof(units) / sizeof(units[0]))

static const char *const names[] = { [BETTER_UNKNOWN] = "", [BETTER_LOWER] = "lower", [BETTER_HIGHER] = "higher" };

const char *better_name(enum better better)
{
	return names[better];
}

enum better better_named(const char *name)
{
	for (enum better b = BETTER_LOWER; b <= BETTER_HIGHER; b++)
		if (!strcmp(names[b], name))
			return b;
	return BETTER_UNKNOWN;
}

static bool known(const char *word, struct unit *unit, double *factor)
{
	for (size_t i = 0; i < UNITS; i++) {
		if (strcmp(units[i].word, word) != 0)
			continue;
		snprintf(unit->name, sizeof(unit->name), "%s", units[i].name);
		unit->better = units[i].better;
		*factor = units[i].factor;
		return true;
	}
	return false;
}

/* "requests/s": so many a second, more is better. "ns/op", "cycles/byte": a cost of each, less is better. */
static void compound(const char *word, struct unit *unit, double *factor)
{
	char left[32], right[32];
	struct unit part;
	double ignored;

	if (sscanf(word, "%31[^/]/%31[^/]", left, right) != 2)
		return;
	if (known(right, &part, &ignored) && !strcmp(part.name, "s"))
		unit->better = BETTER_HIGHER;
	else if (known(left, &part, factor) && snprintf(unit->name, sizeof(unit->name), "%s/%s", part.name, right) > 0)
		unit->better = part.better;
}

static bool of_word(char c)
{
	return isalnum((unsigned char)c) || c == '/' || c == '%' || (unsigned char)c >= 0x80;
}

void read_unit(const char *after, struct unit *unit, double *factor)
{
	char word[sizeof(unit->name)];
	size_t len = 0;

	while (*after == ' ' || *after == '\t')
		after++;
	while (of_word(after[len]) && len < sizeof(word) - 1)
		len++;
	memcpy(word, after, len);
	word[len] = '\0';
	*factor = 1;
	if (known(word, unit, factor))
		return;
	memcpy(unit->name, word, sizeof(word));
	unit->better = BETTER_UNKNOWN;
	compound(word, unit, factor);
}

bool read_figure(const char *text, double *value, const char **end)
{
	char plain[64];
	size_t len = 0, used = 0;
	char *stop;

	while (isspace((unsigned char)*text))
		text++;
	/* 1,234,567.8: a comma counts only before three digits. */
	while (len < sizeof(plain) - 1 && text[used]) {
		bool thousands = text[used] == ',' && len && isdigit((unsigned char)text[used + 1]) &&
				 isdigit((unsigned char)text[used + 2]) && isdigit((unsigned char)text[used + 3]) &&
				 !isdigit((unsigned char)text[used + 4]);

		if (!thousands && !isalnum((unsigned char)text[used]) && !strchr("+-.", text[used]))
			break;
		if (!thousands)
			plain[len++] = text[used];
		used++;
	}
	plain[len] = '\0';
	*value = strtod(plain, &stop);
	if (stop == plain || !isfinite(*value))
		return false;
	/* The letters after the number are not part of it. */
	*end = text + used - (len - (size_t)(stop - plain));
	return true;
}

const char *figure_text(double value, const char *unit, char *text, size_t size)
{
	static const struct {
		double least;
		const char *prefix;
	} scale[] = { { 1e12, "T" }, { 1e9, "G" },  { 1e6, "M" },  { 1e3, "k" },
		      { 1, "" },     { 1e-3, "m" }, { 1e-6, "u" }, { 0, "n" } };
	bool rate = !strcmp(unit, "bytes/sec"), time = !strncmp(unit, "s", 1) && (!unit[1] || unit[1] == '/');
	size_t i = 0;
	double shown;
	int digits;

	while (value < scale[i].least * 0.99995)
		i++;
	/* Seconds have no kilo; what is no time and below 1 stays as it is. */
	if ((time && i < 4) || (!time && i > 4))
		i = 4;
	shown = value / (scale[i].least > 0 ? scale[i].least : 1e-9);
	digits = shown >= 999.95 ? 0 : shown >= 99.995 ? 1 : shown >= 9.9995 ? 2 : 3;
	if (shown < 0.9995)
		digits = 4;
	snprintf(text, size, "%.*f%s%s%s", digits, shown, *unit || *scale[i].prefix ? " " : "", scale[i].prefix,
		 rate ? "B/s" : unit);
	return text;
}
