/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.c - argp with this command's habits: --help and --version on every subcommand, errors in one line, exit status 2.
 */
#include <stdlib.h>
#include <string.h>

#include "clearpages.h"
#include "cli.h"

/* Outside what a subcommand's own keys use. */
enum { OPT_HELP = 0x7f00, OPT_VERSION };

struct parse {
	const struct argp *shown;
	void *input;
	int next; /* behind the argument that was not understood */
};

static const struct argp_option common_options[] = {
	{ "help", OPT_HELP, NULL, 0, "Show this help", -1 },
	{ "version", OPT_VERSION, NULL, 0, "Show the version", -1 },
	{ 0 },
};

static error_t parse_common(int key, char *arg, struct argp_state *state)
{
	struct parse *parse = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = parse->input;
		return 0;
	case ARGP_KEY_ERROR:
		parse->next = state->next;
		return 0;
	case OPT_HELP:
		argp_help(parse->shown, stdout, ARGP_HELP_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG | ARGP_HELP_POST_DOC,
			  state->name);
		exit(EXIT_OK);
	case OPT_VERSION:
		printf("clearpages %s\n", clp_version());
		exit(EXIT_OK);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void parse_options(const struct argp *argp, int argc, char **argv, void *input)
{
	/* Without its texts, which `all` shows: a child's would come a second time. */
	const struct argp bare = { .options = argp->options, .parser = argp->parser, .children = argp->children };
	const struct argp_child children[] = { { &bare, 0, NULL, 0 }, { 0 } };
	/* --help shows the subcommand's text and options and the common ones. */
	const struct argp all = { common_options, parse_common, argp->args_doc, argp->doc, children, NULL, NULL };
	struct parse parse = { &all, input, 0 };
	int index = 0;
	error_t err;

	err = argp_parse(&all, argc, argv, ARGP_NO_HELP | ARGP_NO_ERRS, &index, &parse);
	if (err)
		die(EXIT_USAGE, "'%s': unknown option or missing value; see '%s --help'",
		    argv[parse.next > 1 ? parse.next - 1 : argc - 1], argv[0]);
	if (index < argc)
		die(EXIT_USAGE, "'%s': unexpected argument; see '%s --help'", argv[index], argv[0]);
}

static void list(const struct command *table, const char *parent, FILE *to)
{
	fprintf(to, "Usage: %s COMMAND [OPTION...]\n\nCommands:\n", parent);
	for (; table->name; table++)
		fprintf(to, "  %-10s %s\n", table->name, table->summary);
	fprintf(to, "\n'%s COMMAND --help' shows the options of one.\n", parent);
}

int run_command(const struct command *table, const char *parent, int argc, char **argv)
{
	static char name[128];

	if (argc < 2)
		die(EXIT_USAGE, "which command? See '%s --help'", parent);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		list(table, parent, stdout);
		return EXIT_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("clearpages %s\n", clp_version());
		return EXIT_OK;
	}
	for (const struct command *c = table; c->name; c++) {
		if (strcmp(c->name, argv[1]) != 0)
			continue;
		snprintf(name, sizeof(name), "%s %s", parent, c->name);
		argv[1] = name;
		return c->run(argc - 1, argv + 1);
	}
	die(EXIT_USAGE, "'%s': unknown command; see '%s --help'", argv[1], parent);
}
