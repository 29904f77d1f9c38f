// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * functions.c - the functions of a collection: listed, or chosen by their names.
 */
#include <stdlib.h>
#include <string.h>

#include "mem.h"

static _Noreturn void list(const struct function *f, size_t n)
{
	struct output out;

	output_open(&out, false, NULL);
	printf("Available functions:\n");
	for (size_t i = 0; i < n; i++)
		if (!f[i].missing)
			printf("\t%s ... %s\n", f[i].name, f[i].description);
	output_close(&out);
	exit(EXIT_OK);
}

static _Noreturn void unknown(const char *name, const struct function *f, size_t n)
{
	char text[1024] = "";
	size_t len = 0;

	for (size_t i = 0; i < n && len < sizeof(text); i++)
		if (!f[i].missing)
			len += (size_t)snprintf(text + len, sizeof(text) - len, ", %s", f[i].name);
	die(EXIT_USAGE, "Unknown function: '%s'; available functions: all%s", name, text);
}

static const struct function *find(const char *name, const struct function *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(f[i].name, name))
			return &f[i];
	return NULL;
}

static void choose_all(struct mem *m, const struct function *f, size_t n)
{
	m->all = true;
	for (size_t i = 0; i < n; i++)
		if (!f[i].missing)
			m->functions[m->n_functions++] = f[i];
}

void functions_choose(struct mem *m, const struct mem_collection *collection)
{
	struct function known[FUNCTIONS_MAX];
	size_t words, n = collection->functions(known);
	char **word;

	m->n_functions = 0;
	m->all = false;
	if (!strcmp(m->function_text, "help") || !strcmp(m->function_text, "h"))
		list(known, n);
	if (!strcmp(m->function_text, "all")) {
		choose_all(m, known, n);
		return;
	}
	word = parse_words("--function", m->function_text, &words);
	for (size_t i = 0; i < words; i++) {
		const struct function *f = find(word[i], known, n);

		if (!f)
			unknown(word[i], known, n);
		if (f->missing)
			die(EXIT_FAILED, "--function: '%s' is not available here: %s", f->name, f->missing);
		if (m->n_functions == FUNCTIONS_MAX)
			die(EXIT_USAGE, "--function: '%s' has more than %d functions", m->function_text, FUNCTIONS_MAX);
		m->functions[m->n_functions++] = *f;
	}
	free_words(word, words);
}
