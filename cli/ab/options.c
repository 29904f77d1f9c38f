/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.c - the command line of ab: what to run or read, how to judge, how to show it.
 */
#define _GNU_SOURCE
#include "options.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct argp_option argp_options[] = {
	{ NULL, 0, NULL, 0, "Live:", 1 },
	{ "base", OPT_BASE, "CMD", 0, "What candidates are compared with: 'bench ...' or any program", 1 },
	{ "cand", OPT_CAND, "NAME=CMD", 0, "A candidate (can be repeated)", 1 },
	{ "sessions", OPT_SESSIONS, "N", 0, "Blocks, in each a session of all (default 8)", 1 },
	{ "repeats", OPT_REPEATS, "N", 0, "Measured runs in a session, each a fresh process (default 3)", 1 },
	{ "warmup", OPT_WARMUP, "N", 0, "Runs before them that don't count (default 1)", 1 },
	{ "metric", OPT_METRIC, "WHAT", 0,
	  "Of other programs: wall (default), or an extended regular expression with a group around the number that they "
	  "print",
	  1 },
	{ "prepare", OPT_PREPARE, "CMD", 0,
	  "Run this before each session, untimed, with base or the candidate's name in CLEARPAGES_LABEL", 1 },
	{ "pin", OPT_PIN, "CPU", 0, "Run all on this CPU", 1 },
	{ "seed", OPT_SEED, "N", 0, "Seed of the order (default: the time)", 1 },
	{ "output", 'o', "FILE", 0, "Where the runs are stored (default: ab-HOST-TIME.jsonl); from files: the comparisons",
	  1 },
	{ "resume", OPT_RESUME, "FILE", 0, "Go on with an interrupted run", 1 },
	{ NULL, 0, NULL, 0, "Both:", 2 },
	{ "lower-is-better", OPT_LOWER, NULL, 0, "Where the unit does not tell", 2 },
	{ "higher-is-better", OPT_HIGHER, NULL, 0, "Where the unit does not tell", 2 },
	{ "threshold", OPT_THRESHOLD, "PERCENT", 0, "The least effect that counts (default 1)", 2 },
	{ "format", OPT_FORMAT, "FORMAT", 0, "text (default), markdown, csv, json", 2 },
	{ "json", OPT_JSON, NULL, 0, "The same as --format json", 2 },
	{ "fail-on", OPT_FAIL_ON, "LIST", 0, "regression: exit status 1 if there is one; unsure: 3 if a row reads '?'", 2 },
	{ 0 },
};

static void add_side(struct plan *p, const char *label, const char *command)
{
	for (unsigned i = 0; i < p->n; i++)
		if (!strcmp(p->labels[i], label))
			die(EXIT_USAGE, "--cand: there are two of the name '%s'", label);
	if (p->n == LABELS_MAX)
		die(EXIT_USAGE, "--cand: '%s' is one more than %d candidates", label, LABELS_MAX - 1);
	if (!*command)
		die(EXIT_USAGE, "'%s' has no command", label);
	p->labels[p->n] = copy_text(label);
	p->commands[p->n++] = copy_text(command);
}

/* The base stands first, wherever it is on the command line. */
static void set_base(struct plan *p, const char *command)
{
	if (p->n && !strcmp(p->labels[0], "base"))
		die(EXIT_USAGE, "--base: '%s' is a second base; further commands are candidates: --cand NAME=CMD", command);
	add_side(p, "base", command);
	for (unsigned i = p->n - 1; i > 0; i--) {
		char *label = p->labels[i], *other = p->commands[i];

		p->labels[i] = p->labels[i - 1];
		p->commands[i] = p->commands[i - 1];
		p->labels[i - 1] = label;
		p->commands[i - 1] = other;
	}
}

static void add_candidate(struct plan *p, const char *arg)
{
	size_t len = strspn(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-");
	char label[64];

	if (!len || arg[len] != '=' || len >= sizeof(label))
		die(EXIT_USAGE, "--cand: '%s' has no name; write NAME=CMD", arg);
	snprintf(label, sizeof(label), "%.*s", (int)len, arg);
	if (!strcmp(label, "base"))
		die(EXIT_USAGE, "--cand: '%s': that name is the base's", label);
	add_side(p, label, arg + len + 1);
}

static double parse_percent(const char *option, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value > 0) || value > 100)
		die(EXIT_USAGE, "%s: '%s' is not a percentage above 0, at most 100", option, text);
	return value / 100;
}

static enum format parse_format(const char *text)
{
	static const char *const formats[] = { "text", "markdown", "csv", "json" };

	for (unsigned i = 0; i < 4; i++)
		if (!strcmp(formats[i], text))
			return (enum format)i;
	die(EXIT_USAGE, "--format: '%s' is none of text, markdown, csv, json", text);
}

static void parse_fail_on(struct options *o, const char *text)
{
	size_t n;
	char **words = parse_words("--fail-on", text, &n);

	for (size_t i = 0; i < n; i++) {
		if (!strcmp(words[i], "regression"))
			o->fail_regression = true;
		else if (!strcmp(words[i], "unsure"))
			o->fail_unsure = true;
		else
			die(EXIT_USAGE, "--fail-on: '%s' is neither regression nor unsure", words[i]);
	}
	free_words(words, n);
}

static void set_better(struct plan *p, enum better better)
{
	if (p->better != BETTER_UNKNOWN && p->better != better)
		die(EXIT_USAGE, "--lower-is-better and --higher-is-better contradict each other");
	p->better = better;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	struct plan *p = &o->plan;

	if (key >= OPT_LONG && key <= OPT_FAIL_ON)
		o->given[key - OPT_LONG] = true;
	switch (key) {
	case ARGP_KEY_ARG:
		o->files = reallocarray(o->files, o->n_files + 1, sizeof(*o->files));
		if (!o->files)
			die(EXIT_FAILED, "out of memory");
		o->files[o->n_files++] = arg;
		return 0;
	case OPT_BASE:
		set_base(p, arg);
		return 0;
	case OPT_CAND:
		add_candidate(p, arg);
		return 0;
	case OPT_SESSIONS:
		p->sessions = (unsigned)parse_count("--sessions", arg, 2, SESSIONS_MAX);
		return 0;
	case OPT_REPEATS:
		p->repeats = (unsigned)parse_count("--repeats", arg, 1, REPEATS_MAX);
		return 0;
	case OPT_WARMUP:
		p->warmup = (unsigned)parse_count("--warmup", arg, 0, REPEATS_MAX);
		return 0;
	case OPT_METRIC:
		free(p->metric);
		p->metric = copy_text(arg);
		return 0;
	case OPT_PREPARE:
		if (!*arg)
			die(EXIT_USAGE, "--prepare: '' is not a command");
		free(p->prepare);
		p->prepare = copy_text(arg);
		return 0;
	case OPT_PIN:
		p->pin = (int)parse_count("--pin", arg, 0, CPU_SETSIZE - 1);
		return 0;
	case OPT_SEED:
		p->seed = parse_count("--seed", arg, 0, INT64_MAX);
		return 0;
	case OPT_LOWER:
		set_better(p, BETTER_LOWER);
		return 0;
	case OPT_HIGHER:
		set_better(p, BETTER_HIGHER);
		return 0;
	case 'o':
		if (!*arg)
			die(EXIT_USAGE, "--output: '' is not a file name");
		o->output = arg;
		return 0;
	case OPT_RESUME:
		o->resume = arg;
		return 0;
	case OPT_THRESHOLD:
		o->threshold = parse_percent("--threshold", arg);
		return 0;
	case OPT_FORMAT:
		o->format = parse_format(arg);
		return 0;
	case OPT_JSON:
		o->format = FORMAT_JSON;
		return 0;
	case OPT_FAIL_ON:
		parse_fail_on(o, arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static bool given(const struct options *o, int key)
{
	return o->given[key - OPT_LONG];
}

void options_refuse_live(const struct options *o)
{
	for (const struct argp_option *a = argp_options; a->name || a->group; a++)
		if (a->group == 1 && a->key >= OPT_LONG && given(o, a->key))
			die(EXIT_USAGE, "--%s is for live runs, and '%s' holds results already", a->name, o->files[0]);
}

static void differ(const char *path, const char *option, const char *was)
{
	die(EXIT_USAGE, "--resume: '%s' was begun with --%s '%s'; leave --%s out, or begin another run", path, option, was,
	    option);
}

void options_check_same(const struct options *o, const struct plan *was)
{
	const struct plan *p = &o->plan;
	const struct {
		int key;
		const char *option;
		uint64_t now, was;
	} numbers[] = {
		{ OPT_SESSIONS, "sessions", p->sessions, was->sessions },
		{ OPT_REPEATS, "repeats", p->repeats, was->repeats },
		{ OPT_WARMUP, "warmup", p->warmup, was->warmup },
		{ OPT_SEED, "seed", p->seed, was->seed },
		{ OPT_PIN, "pin", (uint64_t)p->pin, (uint64_t)was->pin },
	};
	char text[32];

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		snprintf(text, sizeof(text), "%lld", (long long)numbers[i].was);
		if (given(o, numbers[i].key) && numbers[i].now != numbers[i].was)
			differ(o->resume, numbers[i].option, text);
	}
	if (given(o, OPT_METRIC) && (!was->metric || strcmp(p->metric, was->metric) != 0))
		differ(o->resume, "metric", was->metric ? was->metric : "");
	if (given(o, OPT_PREPARE) && (!was->prepare || strcmp(p->prepare, was->prepare) != 0))
		differ(o->resume, "prepare", was->prepare ? was->prepare : "");
	if (p->better != BETTER_UNKNOWN && p->better != was->better)
		die(EXIT_USAGE, "--resume: '%s' was begun with another direction; leave --%s-is-better out", o->resume,
		    better_name(p->better));
	for (unsigned i = 0; i < p->n; i++) {
		unsigned k = 0;

		while (k < was->n && strcmp(was->labels[k], p->labels[i]) != 0)
			k++;
		if (k == was->n || strcmp(was->commands[k], p->commands[i]) != 0)
			die(EXIT_USAGE, "--resume: '%s' was begun with '%s' as '%s', not '%s'", o->resume,
			    k < was->n ? was->commands[k] : "no command", p->labels[i], p->commands[i]);
	}
}

void options_parse(struct options *o, int argc, char **argv)
{
	static const struct argp argp = {
		argp_options,
		parse,
		"[[NAME=]FILE...]",
		"Compare a base with candidates: run them side by side (--base, --cand), or take stored results (the base's "
		"file "
		"first, or files of earlier live runs). The verdict on each row is (R)egression, (I)mprovement, ~ the same, "
		"or ? "
		"not known.",
		NULL,
		NULL,
		NULL,
	};

	*o = (struct options){
		.plan = { .sessions = 8, .repeats = 3, .warmup = 1, .pin = -1, .seed = (uint64_t)time(NULL) },
		.threshold = 0.01,
	};
	parse_options(&argp, argc, argv, o);
	if (o->n_files && o->resume)
		die(EXIT_USAGE, "'%s': --resume goes on with '%s' alone", o->files[0], o->resume);
}
