/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * csv.c - comparisons as comma-separated values with a heading, for spreadsheets and data frames (RFC 4180).
 */
#include <string.h>

#include "ab.h"

static void csv_field(const char *text, bool first)
{
	if (!first)
		putchar(',');
	if (!text[strcspn(text, ",\"\n\r")]) {
		fputs(text, stdout);
		return;
	}
	putchar('"');
	for (; *text; text++)
		printf(*text == '"' ? "\"\"" : "%c", *text);
	putchar('"');
}

static void csv_record(void *arg, const struct record *r)
{
	bool *headed = arg;
	char number[64];

	if (strcmp(r->type, "comparison") != 0)
		return;
	for (size_t i = 0; !*headed && i < r->n; i++)
		csv_field(r->values[i].key, !i);
	if (!*headed)
		putchar('\n');
	*headed = true;
	for (size_t i = 0; i < r->n; i++) {
		const struct value *v = &r->values[i];

		number[0] = '\0';
		if (v->kind == VALUE_REAL && isfinite(v->as.real))
			snprintf(number, sizeof(number), "%.10g", v->as.real);
		else if (v->kind == VALUE_WHOLE)
			snprintf(number, sizeof(number), "%lld", (long long)v->as.whole);
		else if (v->kind == VALUE_TRUTH)
			strcpy(number, v->as.truth ? "true" : "false");
		csv_field(v->kind == VALUE_TEXT ? v->as.text : number, !i);
	}
	putchar('\n');
}

void print_csv(const struct comparisons *c)
{
	bool headed = false;

	comparison_records(c, csv_record, &headed);
}
