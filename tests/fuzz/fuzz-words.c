// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz-words.c - any text as a list of words: refused if empty or with an empty item; else the words, joined again, are the text.
 *
 * The parser ends the process at bad input. Here die() is our own and jumps back; what it leaves behind is not a leak that matters.
 */
#include <setjmp.h>

#include "cli.h"
#include "fuzz.h"

static jmp_buf refused;

void die(int status, const char *format, ...)
{
	MUST(status == EXIT_USAGE);
	MUST(format[0]);
	longjmp(refused, 1);
}

static void accepted(const char *text)
{
	const char *at = text;
	size_t n = 0;
	char **words = parse_words("--words", text, &n);

	MUST(n >= 1);
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(words[i]);

		MUST(len && !strchr(words[i], ',') && !strncmp(at, words[i], len));
		MUST(at[len] == (i + 1 < n ? ',' : '\0'));
		at += len + 1;
	}
	free_words(words, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = input_text(data, size);
	size_t len = strlen(text);
	int must_refuse = !len || text[0] == ',' || text[len - 1] == ',' || strstr(text, ",,") != NULL;

	if (!setjmp(refused)) {
		accepted(text);
		MUST(!must_refuse);
	} else {
		MUST(must_refuse);
	}
	free(text);
	return 0;
}
