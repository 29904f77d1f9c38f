/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target.c - from a command to the words that are executed. Our own benchmarks are run without a shell, through the file
 * that this process was started from, so that what is measured is this version.
 */
#define _GNU_SOURCE
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "data.h"

static const char *after(const char *text, const char *prefix)
{
	return strstr(text, prefix) == text ? text + strlen(prefix) : NULL;
}

static bool split(const char *command, wordexp_t *words)
{
	const char *bench = after(command, "clearpages ");

	if (!after(bench ? bench : command, "bench "))
		return false;
	words->we_offs = 1;
	return !wordexp(bench ? bench : command, words, WRDE_NOCMD | WRDE_DOOFFS);
}

bool target_is_ours(const char *command)
{
	wordexp_t words = { 0 };

	if (!split(command, &words))
		return false;
	for (size_t i = 0; i < words.we_wordc; i++)
		if (after(words.we_wordv[1 + i], "-o") || after(words.we_wordv[1 + i], "--out"))
			die(EXIT_USAGE, "'%s': ab itself keeps the results; leave out '%s'", command, words.we_wordv[1 + i]);
	wordfree(&words);
	return true;
}

/* Our own commands without a shell, through this very program, told where to write what they measure. */
void target_open(struct target *t, const char *command, bool results, int pin)
{
	char *with_results = NULL;

	t->line.pin = pin;
	if (results && asprintf(&with_results, "%s --output " RESULTS_PATH, command) < 0)
		die(EXIT_FAILED, "out of memory");
	if (split(results ? with_results : command, &t->words)) {
		t->words.we_wordv[0] = copy_text(own_path());
		t->line.words = t->words.we_wordv;
		t->line.results = results ? RESULTS_PATH : NULL;
	} else {
		t->shell[0] = copy_text("/bin/sh");
		t->shell[1] = copy_text("-c");
		t->shell[2] = copy_text(command);
		t->line.words = t->shell;
	}
	free(with_results);
}

void target_close(struct target *t)
{
	if (t->words.we_wordv) {
		free(t->words.we_wordv[0]);
		t->words.we_wordv[0] = NULL;
		wordfree(&t->words);
	}
	for (int i = 0; i < 3; i++)
		free(t->shell[i]);
}
