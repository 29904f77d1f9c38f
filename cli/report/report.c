/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.c - `report`: result files in, one HTML page out, with everything that it needs in it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../cli.h"
#include "report.h"

#define FILES_MAX 1024

struct options {
	char *files[FILES_MAX];
	size_t n;
	const char *output, *title, *png, *chart_js;
};

enum { OPT_TITLE = OPT_LONG, OPT_PNG, OPT_CHART_JS };

static const struct argp_option argp_options[] = {
	{ "output", 'o', "FILE", 0, "Write the page here ('-': standard output)", 0 },
	{ "title", OPT_TITLE, "TEXT", 0, "The page's heading (default: the machines' names)", 0 },
	{ "png", OPT_PNG, "DIR", 0, "Also a picture of the page and of each chart into DIR, through headless Chromium", 0 },
	{ "chart-js", OPT_CHART_JS, "FILE", 0, "Chart.js 3 (default: " CHART_JS ")", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'o':
		if (!*arg)
			die(EXIT_USAGE, "--output: '' is not a file name");
		o->output = arg;
		return 0;
	case OPT_TITLE:
		o->title = arg;
		return 0;
	case OPT_PNG:
		if (!*arg)
			die(EXIT_USAGE, "--png: '' is not a directory");
		o->png = arg;
		return 0;
	case OPT_CHART_JS:
		o->chart_js = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (o->n == FILES_MAX)
			die(EXIT_USAGE, "'%s': more than %d files; put several into one with cat", arg, FILES_MAX);
		o->files[o->n++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int pictures(const char *chrome, const struct options *o, const char *text, size_t len)
{
	char *page;
	int status;

	if (!chrome)
		return EXIT_OK;
	/* The page itself may be a pipe by now. */
	page = file_temporary(text, len);
	status = chrome_pictures(chrome, page, o->png);
	unlink(page);
	free(page);
	return status;
}

int cmd_report(int argc, char **argv)
{
	static const struct argp argp = {
		argp_options,
		parse,
		"FILE...",
		"Make one HTML page of results that the benchmarks, tune and ab wrote (JSON Lines; '-': standard input): "
		"charts with "
		"their tables, machine facts, notes. The page needs nothing beside it and no network.",
		NULL,
		NULL,
		NULL,
	};
	static struct options o = { .chart_js = CHART_JS };
	struct report report = { 0 };
	const char *chrome = NULL;
	char *chart_js, *text;
	size_t len;
	int status;

	parse_options(&argp, argc, argv, &o);
	if (!o.n)
		die(EXIT_USAGE, "which results? Name a file that a benchmark wrote with --output; see '%s --help'", argv[0]);
	if (!o.output)
		die(EXIT_USAGE, "where to? Name the page with --output FILE.html; see '%s --help'", argv[0]);
	/* What would fail at the end fails now. */
	file_check(o.output);
	chart_js = chart_js_read(o.chart_js);
	if (o.png)
		chrome = chrome_find();
	report_load(&report, o.files, o.n);
	text = page_make(&report, o.title, chart_js, &len);
	file_write(o.output, text, len);
	status = pictures(chrome, &o, text, len);
	store_free(&report);
	free(chart_js);
	free(text);
	return status;
}
