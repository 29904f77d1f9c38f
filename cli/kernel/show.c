/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * show.c - a heading and words beside it, in lines that fit a terminal.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

enum { LEFT = 15, WIDTH = 80 };

void show_field(struct output *out, const char *heading, const char *format, ...)
{
	char line[WIDTH + PATH_MAX];
	const char *words;
	va_list args;
	char *text;
	int used = 0, len;

	if (!out->text)
		return;
	va_start(args, format);
	text = text_of_list(format, args);
	va_end(args);
	used = snprintf(line, sizeof(line), "%-*s", LEFT - 1, heading);
	for (words = text; *words; words += len + (words[len] == ' ')) {
		len = (int)strcspn(words, " ");
		if (used > LEFT && used + 1 + len >= WIDTH) {
			output_say(out, "%s", line);
			used = snprintf(line, sizeof(line), "%-*s", LEFT - 1, "");
		}
		used += snprintf(line + used, sizeof(line) - (size_t)used, " %.*s", len > PATH_MAX - 1 ? PATH_MAX - 1 : len,
				 words);
	}
	output_say(out, "%s", line);
	free(text);
}
