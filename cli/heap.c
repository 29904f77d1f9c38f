/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heap.c - memory that the command can't go on without: each function returns it, or ends the command with status 1.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static void *must_have(void *at)
{
	if (!at)
		die(EXIT_FAILED, "out of memory");
	return at;
}

void *grow(void *array, size_t n, size_t *room, size_t element)
{
	if (n < *room)
		return array;
	*room = *room ? 2 * *room : 8;
	return must_have(reallocarray(array, *room, element));
}

char *copy_text(const char *text)
{
	return must_have(strdup(text));
}

char *text_of_list(const char *format, va_list args)
{
	char *text;

	return must_have(vasprintf(&text, format, args) < 0 ? NULL : text);
}

char *text_of(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = text_of_list(format, args);
	va_end(args);
	return text;
}
