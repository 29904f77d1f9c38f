/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_jansson.c - a record as one line of JSON, through jansson.
 */
#include <jansson.h>
#include <math.h>

#include "cli.h"

static json_t *value_json(const struct value *v)
{
	switch (v->kind) {
	case VALUE_TEXT:
		return json_string(v->as.text);
	case VALUE_REAL:
		return isfinite(v->as.real) ? json_real(v->as.real) : json_null();
	case VALUE_TRUTH:
		return json_boolean(v->as.truth);
	default:
		return json_integer(v->as.whole);
	}
}

void json_line(FILE *to, const struct record *r)
{
	json_t *object = json_object();
	int err = json_object_set_new(object, "type", json_string(r->type));

	for (size_t i = 0; !err && i < r->n; i++)
		err = json_object_set_new(object, r->values[i].key, value_json(&r->values[i]));
	if (err)
		die(EXIT_FAILED, "a record of type %s can't be written as JSON (text that is not UTF-8, or out of memory)",
		    r->type);
	json_dumpf(object, to, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(10));
	fputc('\n', to);
	json_decref(object);
}
