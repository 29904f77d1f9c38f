/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ops.c - what `kernel ab` compares, as a person writes it: a routine, and what goes with it.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

static const struct {
	const char *name;
	enum key key;
} parts[] = { { "batch", KEY_BATCH }, { "radius", KEY_RADIUS }, { "near", KEY_OP_NEAR }, { "order0", KEY_ORDER0 } };

static void parse_part(struct op *op, const char *part, const struct routines *r)
{
	char option[PATH_MAX];

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		size_t len = strlen(parts[i].name);

		if (strncmp(part, parts[i].name, len) != 0 || part[len] != '=')
			continue;
		if (*op->setting.value[parts[i].key])
			die(EXIT_USAGE, "--ops: '%s' has %s twice", op->text, parts[i].name);
		snprintf(option, sizeof(option), "--ops: '%.512s': %s", op->text, parts[i].name);
		setting_take(&op->setting, option, parts[i].key, part + len + 1, r);
		return;
	}
	die(EXIT_USAGE,
	    "--ops: '%s' of '%s' is not understood; an op is NAME[/batch=V][/radius=V][/near=NAME][/order0=NAME]", part,
	    op->text);
}

/* What `ab` takes for a name has neither '/' nor '='. */
static void name_op(struct op *op, bool first)
{
	int len = snprintf(op->label, sizeof(op->label), "%s", first ? "base" : op->text);

	if (len >= (int)sizeof(op->label))
		die(EXIT_USAGE, "--ops: '%s' is longer than %d characters", op->text, WORD_SIZE - 1);
	for (char *c = op->label; *c; c++)
		*c = *c == '/' ? '+' : *c == '=' ? '-' : *c;
}

static void parse_op(struct ops *ops, const char *text, const struct routines *r)
{
	struct op *op;
	char *copy = copy_text(text), *rest = copy, *part;

	for (size_t i = 0; i < ops->n; i++)
		if (!strcmp(ops->at[i].text, text))
			die(EXIT_USAGE, "--ops: '%s' is there twice", text);
	ops->at = grow(ops->at, ops->n, &ops->room, sizeof(*ops->at));
	op = &ops->at[ops->n++];
	*op = (struct op){ .text = copy_text(text) };
	name_op(op, ops->n == 1);
	setting_take(&op->setting, "--ops", KEY_OP_FAR, strsep(&rest, "/"), r);
	while ((part = strsep(&rest, "/")))
		parse_part(op, part, r);
	free(copy);
}

void ops_parse(struct ops *ops, const char *text, const struct routines *r)
{
	size_t n;
	char **words = parse_words("--ops", text, &n);

	*ops = (struct ops){ 0 };
	for (size_t i = 0; i < n; i++)
		parse_op(ops, words[i], r);
	free_words(words, n);
	if (ops->n < 2)
		die(EXIT_USAGE, "--ops: '%s' is one: at least two are compared, the first of them the base", text);
}

void ops_free(struct ops *ops)
{
	for (size_t i = 0; i < ops->n; i++)
		free(ops->at[i].text);
	free(ops->at);
	*ops = (struct ops){ 0 };
}

const struct op *ops_find(const struct ops *ops, const char *label)
{
	for (size_t i = 0; i < ops->n; i++)
		if (!strcmp(ops->at[i].label, label))
			return &ops->at[i];
	return NULL;
}

void op_setting(struct setting *s, const struct op *op, const struct setting *kept)
{
	*s = *kept;
	for (enum key key = 0; key < KEYS; key++)
		if (*op->setting.value[key])
			memcpy(s->value[key], op->setting.value[key], WORD_SIZE);
	strcpy(s->value[KEY_ENABLED], "1");
	strcpy(s->value[KEY_STATS], "1");
}
