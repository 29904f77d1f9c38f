// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mem.c - `bench mem`: its collections, and the frame around a run of one or of all.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <string.h>

#include "mem.h"

static const struct mem_collection collections[] = {
	{ "memcpy", "mem/memcpy", "copying: perf's functions, the library's routines and policy", &memcpy_argp,
	  memcpy_functions, fill_check, fill_run },
	{ "memset", "mem/memset", "setting and clearing, likewise", &memset_argp, memset_functions, fill_check, fill_run },
	{ "mmap", "mem/mmap", "getting cleared memory from the kernel", &mmap_argp, mmap_functions, map_check, map_run },
	{ "map", "mem/mmap", "the same", &mmap_argp, mmap_functions, map_check, map_run },
};
#define COLLECTIONS (sizeof(collections) / sizeof(collections[0]))

static const struct mem_collection *find(const char *name)
{
	for (size_t i = 0; i < COLLECTIONS; i++)
		if (!strcmp(collections[i].name, name))
			return &collections[i];
	return NULL;
}

static int list(void)
{
	struct output out;

	output_open(&out, false, NULL);
	printf("Usage: clearpages bench mem [OPTION...] COLLECTION [OPTION...]\n\nCollections:\n");
	for (size_t i = 0; i < COLLECTIONS; i++)
		printf("  %-10s %s\n", collections[i].name, collections[i].summary);
	printf("  %-10s %s\n  %-10s %s\n", "all", "memcpy, memset and mmap, as they are without options", "help",
	       "this list");
	printf("\n'clearpages bench mem COLLECTION --help' shows the options of one,\n"
	       "'clearpages bench mem --help' those that may stand before it,\n"
	       "'clearpages bench mem COLLECTION -f help' its functions.\n");
	output_close(&out);
	return EXIT_OK;
}

static void begin(struct mem *m, const char *bench, int argc, char **argv)
{
	struct record r;

	output_open(&m->out, m->format == FORMAT_JSON, m->path);
	/* Lines in a file leave the terminal to the text, whatever the format. */
	if (m->format == FORMAT_JSON)
		m->out.text = NULL;
	catch_interrupts();
	/* Several threads pin themselves. */
	if (m->threads == 1)
		pin_to(m->pin < 0 ? sched_getcpu() : m->pin);
	record_begin(&r, "header");
	record_text(&r, "bench", bench);
	record_machine(&r, argc, argv, m->random_seed);
	record_real(&r, "tsc_ghz", clock_ghz());
	/* Learnt once, before there are threads. */
	clock_overhead();
	output_record(&m->out, &r);
	record_end(&r);
}

static int end(struct mem *m)
{
	struct record r;

	progress_clear();
	if (interrupted) {
		record_begin(&r, "summary");
		record_text(&r, "bench", m->bench);
		record_truth(&r, "interrupted", true);
		output_record(&m->out, &r);
		record_end(&r);
		output_say(&m->out, "# interrupted; the figures above are whole");
	}
	output_close(&m->out);
	return interrupted ? EXIT_INTERRUPTED : EXIT_OK;
}

static void run_functions(struct mem *m, const struct mem_collection *c)
{
	for (size_t i = 0; i < m->n_functions && !interrupted; i++) {
		const struct function *f = &m->functions[i];

		if (f->missing)
			format_left_out(m, f, f->missing);
		else
			c->run(m, f);
	}
}

static int run_one(struct mem *m, const struct mem_collection *c, int argc, char **argv, int at)
{
	static char name[64];

	snprintf(name, sizeof(name), "clearpages bench mem %s", c->name);
	argv[at] = name;
	mem_parse(m, c, argc - at, argv + at);
	/* For the header, which holds all arguments. */
	argv[at] = (char *)(uintptr_t)c->name;
	begin(m, c->bench, argc, argv);
	format_begin(m);
	run_functions(m, c);
	return end(m);
}

/* Each collection as without options, into one output; perf has a blank line after each. */
static int run_all(struct mem *m, int argc, char **argv)
{
	char *no_options[] = { argv[0], NULL };

	begin(m, "mem/all", argc, argv);
	for (size_t i = 0; i + 1 < COLLECTIONS && !interrupted; i++) {
		m->chunk = 0;
		mem_parse(m, &collections[i], 1, no_options);
		if (m->format != FORMAT_JSON)
			output_say(&m->out, "# Running %s benchmark...", m->bench);
		run_functions(m, &collections[i]);
		if (m->format != FORMAT_JSON)
			output_say(&m->out, "%s", "");
	}
	return end(m);
}

void mem_order(int argc, char **argv)
{
	int at = 1 + mem_skip(argc, argv);
	char *name = at < argc ? argv[at] : NULL;

	if (!name || strcmp(name, "mem") != 0)
		return;
	for (; at > 1; at--)
		argv[at] = argv[at - 1];
	argv[1] = name;
}

int bench_mem(int argc, char **argv)
{
	static struct mem m;
	const struct mem_collection *c;
	int at;

	mem_defaults(&m);
	at = 1 + mem_leading(&m, argc, argv);
	if (at >= argc)
		die(EXIT_USAGE, "which collection: memcpy, memset, mmap or all? See '%s help'", argv[0]);
	c = find(argv[at]);
	if (c)
		return run_one(&m, c, argc, argv, at);
	if (strcmp(argv[at], "all") != 0 && strcmp(argv[at], "help") != 0)
		die(EXIT_USAGE, "'%s': unknown collection; use memcpy, memset, mmap or all; see '%s help'", argv[at],
		    argv[0]);
	if (at + 1 < argc)
		die(EXIT_USAGE, "'%s': unexpected argument after '%s'; see '%s help'", argv[at + 1], argv[at], argv[0]);
	return strcmp(argv[at], "all") ? list() : run_all(&m, argc, argv);
}
