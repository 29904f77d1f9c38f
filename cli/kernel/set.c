/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * set.c - `kernel set` and `kernel restore`: a setting written as a whole.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

struct words {
	char **at;
	size_t n, room;
};

static error_t parse_set(int key, char *arg, struct argp_state *state)
{
	struct words *w = state->input;

	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	w->at = grow(w->at, w->n, &w->room, sizeof(*w->at));
	w->at[w->n++] = arg;
	return 0;
}

static void show_waiting(void)
{
	char line[LINE_MAX_KERNEL];

	if (strchr(module_line("enabled", line, sizeof(line)), '('))
		complain("enabled reads '%s': it is without effect until: sysctl kernel.ftrace_enabled=1", line);
}

int kernel_set(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse_set,
		.args_doc = "KEY=VALUE...",
		.doc = "Switch the module, all or nothing.\vKeys:\n"
		       "  enabled=0|1\n"
		       "  op=ROUTINE        both of the next two\n"
		       "  op_far=ROUTINE    what clears all but the neighbourhood; kernel: as without the module\n"
		       "  op_near=ROUTINE   what clears the faulting page's neighbourhood\n"
		       "  batch=auto|page|SIZE\n"
		       "  radius=PAGES      of the neighbourhood, 0 to 512; 0: none\n"
		       "  order0=off|ROUTINE\n"
		       "  stats=0|1",
	};
	struct setting wanted = { 0 };
	struct routines routines;
	struct words w = { 0 };
	char *why;

	parse_options(&argp, argc, argv, &w);
	if (!w.n)
		die(EXIT_USAGE, "what is to be set? KEY=VALUE...; see '%s --help'", argv[0]);
	module_require();
	kept_refuse();
	routines_read(&routines);
	for (size_t i = 0; i < w.n; i++)
		setting_parse(&wanted, w.at[i], &routines);
	why = setting_apply(&wanted);
	if (why)
		die(EXIT_FAILED, "%s; nothing is changed", why);
	show_waiting();
	routines_free(&routines);
	free(w.at);
	return EXIT_OK;
}

int kernel_restore(int argc, char **argv)
{
	static const struct argp argp = {
		.doc = "Put back the setting that was before a run of 'clearpages kernel ab' which was "
		       "killed, and forget it."
	};
	struct setting kept;
	pid_t pid = 0;
	char *why;

	parse_options(&argp, argc, argv, NULL);
	switch (kept_look(&kept, &pid)) {
	case KEPT_NONE:
		printf("there is nothing to restore\n");
		return EXIT_OK;
	case KEPT_LIVE:
		die(EXIT_FAILED,
		    "the run of 'clearpages kernel ab' is still going on, process %d; it restores the setting itself",
		    (int)pid);
	case KEPT_STALE:
		break;
	}
	if (!module_loaded()) {
		kept_remove();
		printf("the module is not loaded any more: the setting is forgotten\n");
		return EXIT_OK;
	}
	why = setting_apply(&kept);
	if (why)
		die(EXIT_FAILED, "%s; the setting is kept: try again", why);
	kept_remove();
	printf("restored, as before the run of process %d:", (int)pid);
	for (enum key key = 0; key < KEYS; key++)
		printf(" %s=%s", key_names[key], kept.value[key]);
	putchar('\n');
	return EXIT_OK;
}
