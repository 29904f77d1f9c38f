/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.c - results as lists of named values, and their way out: a JSON line each, and rows of a text table.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

void record_begin(struct record *r, const char *type)
{
	r->type = type;
	r->n = 0;
}

static struct value *add(struct record *r, const char *key)
{
	if (r->n == RECORD_MAX)
		die(EXIT_FAILED, "a record of type %s has more than %d values: a fault of this program", r->type,
		    RECORD_MAX);
	r->values[r->n].key = key;
	return &r->values[r->n++];
}

void record_text(struct record *r, const char *key, const char *text)
{
	struct value *v = add(r, key);

	v->kind = VALUE_TEXT;
	v->as.text = copy_text(text);
}

void record_real(struct record *r, const char *key, double real)
{
	struct value *v = add(r, key);

	v->kind = VALUE_REAL;
	v->as.real = real;
}

void record_whole(struct record *r, const char *key, int64_t whole)
{
	struct value *v = add(r, key);

	v->kind = VALUE_WHOLE;
	v->as.whole = whole;
}

void record_truth(struct record *r, const char *key, bool truth)
{
	struct value *v = add(r, key);

	v->kind = VALUE_TRUTH;
	v->as.truth = truth;
}

const struct value *record_find(const struct record *r, const char *key)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->values[i].key, key))
			return &r->values[i];
	return NULL;
}

void record_end(struct record *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->values[i].kind == VALUE_TEXT)
			free(r->values[i].as.text);
	r->n = 0;
}

void output_open(struct output *out, bool json, const char *path)
{
	*out = (struct output){ .text = json && !path ? NULL : stdout, .path = path ? path : "standard output" };
	if (path) {
		out->json = fopen(path, "we");
		if (!out->json)
			die(EXIT_FAILED, "--output: '%s' can't be written: %s", path, strerror(errno));
	} else if (json) {
		out->json = stdout;
	}
}

void output_columns(struct output *out, const struct column *columns)
{
	out->columns = columns;
	out->headed = false;
}

static void cell(FILE *to, const struct column *c, const struct value *v)
{
	char text[64];

	text[0] = '\0';
	if (!v) {
		strcpy(text, "-");
	} else if (v->kind == VALUE_TEXT) {
		fprintf(to, "%*s", c->width, v->as.text);
		return;
	} else if (v->kind == VALUE_REAL) {
		snprintf(text, sizeof(text), "%.*f", c->digits, v->as.real);
	} else if (v->kind == VALUE_TRUTH) {
		strcpy(text, v->as.truth ? "yes" : "no");
	} else if (c->size) {
		snprintf(text, sizeof(text), "%s", format_size((uint64_t)v->as.whole));
	} else {
		snprintf(text, sizeof(text), "%lld", (long long)v->as.whole);
	}
	fprintf(to, "%*s", c->width, text);
}

static void row(struct output *out, const struct record *r)
{
	const struct column *c;

	progress_clear();
	if (!out->headed) {
		for (c = out->columns; c->key; c++)
			fprintf(out->text, "%s%*s", c == out->columns ? "" : " ", c->width, c->heading);
		fputc('\n', out->text);
		out->headed = true;
	}
	for (c = out->columns; c->key; c++) {
		if (c != out->columns)
			fputc(' ', out->text);
		cell(out->text, c, record_find(r, c->key));
	}
	fputc('\n', out->text);
	fflush(out->text);
}

void output_record(struct output *out, const struct record *r)
{
	if (out->json) {
		json_line(out->json, r);
		fflush(out->json);
	}
	if (out->text && out->columns && (!strcmp(r->type, "summary") || !strcmp(r->type, "cell")))
		row(out, r);
}

void output_say(struct output *out, const char *format, ...)
{
	va_list args;

	if (!out->text)
		return;
	progress_clear();
	va_start(args, format);
	vfprintf(out->text, format, args);
	va_end(args);
	fputc('\n', out->text);
	fflush(out->text);
}

static void finish(FILE *f, const char *path, bool close)
{
	bool bad = fflush(f) || ferror(f);

	if ((close && fclose(f)) || bad)
		die(EXIT_FAILED, "'%s': writing failed: %s", path, strerror(errno));
}

void output_close(struct output *out)
{
	if (out->json && out->json != stdout)
		finish(out->json, out->path, true);
	finish(stdout, "standard output", false);
}
