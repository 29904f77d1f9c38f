/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_plain.c - watched calls where no assembler watches the registers yet: the call alone.
 */
#include "call.h"

#include <string.h>

void call_init(struct call *c, uint64_t *rng)
{
	(void)rng;
	memset(c, 0, sizeof(*c));
}

void call_run(struct call *c)
{
	uint64_t (*fn)(uint64_t, uint64_t, uint64_t, uint64_t) = (uint64_t(*)(uint64_t, uint64_t, uint64_t, uint64_t))c->fn;

	c->result = fn(c->args[0], c->args[1], c->args[2], c->args[3]);
}

void call_recover(void)
{
}

const char *call_broken(const struct call *c, enum call_upper upper, char *text, size_t size)
{
	(void)c;
	(void)upper;
	(void)text;
	(void)size;
	return NULL;
}

const char *call_watches(void)
{
	return "none on this architecture";
}
