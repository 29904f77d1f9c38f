/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats.c - `stats`: what programs under `run` have counted: one process, running or not, or a list of all there are.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "run.h"

struct options {
	bool json, clean;
	const char *pid;
};

enum { OPT_JSON = OPT_LONG, OPT_CLEAN };

static const struct argp_option argp_options[] = {
	{ "json", OPT_JSON, NULL, 0, "JSON Lines on standard output instead of text", 0 },
	{ "clean", OPT_CLEAN, NULL, 0, "Remove the counters of runs of which no process is left", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case OPT_JSON:
		o->json = true;
		return 0;
	case OPT_CLEAN:
		o->clean = true;
		return 0;
	case ARGP_KEY_ARG:
		if (o->pid)
			return ARGP_ERR_UNKNOWN;
		o->pid = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void load_all(struct counted_list *list)
{
	size_t n;
	char **folders = counts_folders(&n);

	for (size_t i = 0; i < n; i++)
		counted_load(list, folders[i]);
	free_words(folders, n);
}

static void clean(void)
{
	size_t n, removed = 0;
	char **folders = counts_folders(&n);

	for (size_t i = 0; i < n; i++) {
		struct counted_list list = { 0 };
		bool runs = counts_folder_begins(folders[i]);

		counted_load(&list, folders[i]);
		for (size_t k = 0; k < list.n; k++)
			runs = runs || list.at[k].runs;
		free(list.at);
		if (runs)
			continue;
		counts_folder_remove(folders[i]);
		removed++;
	}
	free_words(folders, n);
	printf("removed the counters of %zu run%s; %zu left, with processes that run\n", removed, removed == 1 ? "" : "s", n - removed);
}

/* A process id comes again, so there may be several. */
static void show_pid(struct output *out, const struct counted_list *list, const char *pid)
{
	uint64_t wanted = parse_count("PID", pid, 1, INT32_MAX);
	bool any = false;

	for (size_t i = 0; i < list->n; i++) {
		const struct counted *c = &list->at[i];
		struct counted_list one = { .at = &list->at[i], .n = 1 };

		if (c->file.pid != wanted)
			continue;
		any = true;
		show_processes(out, &one);
		show_counted(out, &c->file, c->cpu_ns);
	}
	if (!any)
		die(EXIT_FAILED,
		    "process '%s' has no counters: 'clearpages run --count' did not start it, or it was forked and made no large call",
		    pid);
}

int cmd_stats(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "[PID]",
		.doc = "Show the large clears of a process that was started by 'clearpages run --count' or '--stats': calls, bytes, "
		       "sizes, time, and what the library gained. Without PID: which processes there are.",
	};
	struct counted_list list = { 0 };
	struct options o = { 0 };
	struct record header;
	struct output out;

	parse_options(&argp, argc, argv, &o);
	if (o.clean && (o.pid || o.json))
		die(EXIT_USAGE, "--clean: it shows nothing; leave out '%s'", o.pid ? o.pid : "--json");
	if (o.clean) {
		clean();
		return EXIT_OK;
	}
	load_all(&list);
	output_open(&out, o.json, NULL);
	if (o.json) {
		record_begin(&header, "header");
		record_text(&header, "bench", "stats");
		record_machine(&header, argc, argv, 0);
		output_record(&out, &header);
		record_end(&header);
	}
	if (o.pid)
		show_pid(&out, &list, o.pid);
	else if (list.n)
		show_processes(&out, &list);
	else
		output_say(&out, "nothing is counted: 'clearpages run --count -- COMMAND' begins it");
	output_close(&out);
	free(list.at);
	return EXIT_OK;
}
