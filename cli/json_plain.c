/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_plain.c - a record as one line of JSON where jansson is not built for the architecture. Flat records alone.
 */
#include <math.h>

#include "cli.h"

static void string(FILE *to, const char *text)
{
	fputc('"', to);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			fprintf(to, "\\%c", c);
		else if (c < ' ')
			fprintf(to, "\\u%04x", c);
		else
			fputc(c, to);
	}
	fputc('"', to);
}

void json_line(FILE *to, const struct record *r)
{
	fputs("{\"type\":", to);
	string(to, r->type);
	for (size_t i = 0; i < r->n; i++) {
		const struct value *v = &r->values[i];

		fputc(',', to);
		string(to, v->key);
		fputc(':', to);
		if (v->kind == VALUE_TEXT)
			string(to, v->as.text);
		else if (v->kind == VALUE_REAL && isfinite(v->as.real))
			fprintf(to, "%.10g", v->as.real);
		else if (v->kind == VALUE_REAL)
			fputs("null", to);
		else if (v->kind == VALUE_TRUTH)
			fputs(v->as.truth ? "true" : "false", to);
		else
			fprintf(to, "%lld", (long long)v->as.whole);
	}
	fputs("}\n", to);
}
