/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check.c - the subcommand `clearpages check`: which targets, in which form the verdicts come out.
 */
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "cli.h"
#include "harness.h"

struct check {
	struct plan plan;
	char **names; /* NULL: all */
	size_t names_n;
	int op; /* -1: both */
	bool emulate;
	bool list;
	bool json;
	const char *path;
	unsigned passed, failed, skipped;
};

enum { OPT_SEED = OPT_LONG, OPT_VARIANT, OPT_OPERATION, OPT_EMULATE, OPT_QUICK, OPT_LARGE, OPT_LIST, OPT_JSON, OPT_OUTPUT };

static const struct argp_option options[] = {
	{ "seed", OPT_SEED, "N", 0, "Seed of the random cases and contents (1)", 0 },
	{ "variant", OPT_VARIANT, "LIST", 0, "Only these, by full name or its last part: avx2,policy/hot", 0 },
	{ "operation", OPT_OPERATION, "clear|copy", 0, "Only one operation", 0 },
	{ "emulate", OPT_EMULATE, NULL, 0, "Emulate instructions that this processor lacks", 0 },
	{ "quick", OPT_QUICK, NULL, 0, "Fewer alignments and lengths", 0 },
	{ "large", OPT_LARGE, NULL, 0, "Also a length over 4 GiB (of addresses; it needs some 30 MiB of memory)", 0 },
	{ "list", OPT_LIST, NULL, 0, "List what can be checked here, and why not", 0 },
	{ "json", OPT_JSON, NULL, 0, "JSON Lines on standard output", 0 },
	{ "output", OPT_OUTPUT, "FILE", 0, "JSON Lines into FILE, beside the text", 0 },
	{ 0 },
};

static const char doc[] =
	"Is every routine correct on this machine?\v"
	"Calls each routine directly and through the library on every small alignment and length, against unmapped pages, "
	"between canaries; looks at every byte and at the registers that a routine must keep. Exit status: 0 if nothing "
	"failed, 1 otherwise.";

static void parse_operation(struct check *check, const char *text)
{
	if (!strcmp(text, "clear"))
		check->op = CLP_OP_CLEAR;
	else if (!strcmp(text, "copy"))
		check->op = CLP_OP_COPY;
	else
		die(EXIT_USAGE, "--operation: '%s' is not an operation; known: clear, copy", text);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct check *check = state->input;

	switch (key) {
	case OPT_SEED:
		check->plan.seed = parse_count("--seed", arg, 0, INT64_MAX);
		return 0;
	case OPT_VARIANT:
		if (check->names)
			free_words(check->names, check->names_n);
		check->names = parse_words("--variant", arg, &check->names_n);
		return 0;
	case OPT_OPERATION:
		parse_operation(check, arg);
		return 0;
	case OPT_EMULATE:
		check->emulate = true;
		return 0;
	case OPT_QUICK:
		check->plan.quick = true;
		return 0;
	case OPT_LARGE:
		check->plan.large = true;
		return 0;
	case OPT_LIST:
		check->list = true;
		return 0;
	case OPT_JSON:
		check->json = true;
		return 0;
	case OPT_OUTPUT:
		check->path = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* "clear/avx2" by that name and by "avx2". */
static bool is_called(const struct target *t, const char *name)
{
	return !strcmp(t->name, name) || !strcmp(strchr(t->name, '/') + 1, name);
}

static bool has_op(const struct check *check, const struct target *t)
{
	return check->op < 0 || t->op == (unsigned)check->op;
}

static _Noreturn void die_unknown(const struct check *check, const struct target *list, size_t n, const char *name)
{
	char known[1024] = "";
	size_t len = 0;

	for (size_t i = 0; i < n && len < sizeof(known); i++)
		if (has_op(check, &list[i]))
			len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s", len ? ", " : "", list[i].name);
	die(EXIT_USAGE, "--variant: '%s' is not a known routine; known: %s", name, known);
}

/* Which targets were asked for; dies for a name that there is not, or that can't run here. */
static bool *choose(const struct check *check, const struct target *list, size_t n)
{
	bool *chosen = calloc(n, sizeof(*chosen));

	if (!chosen)
		die(EXIT_FAILED, "out of memory");
	for (size_t i = 0; i < n; i++)
		chosen[i] = !check->names && has_op(check, &list[i]);
	for (size_t w = 0; check->names && w < check->names_n; w++) {
		bool found = false;

		for (size_t i = 0; i < n; i++) {
			if (!has_op(check, &list[i]) || !is_called(&list[i], check->names[w]))
				continue;
			found = chosen[i] = true;
		}
		if (!found)
			die_unknown(check, list, n, check->names[w]);
	}
	return chosen;
}

static void die_unavailable(const struct check *check, const struct target *list, const bool *chosen, size_t n)
{
	for (size_t i = 0; check->names && i < n; i++)
		if (chosen[i] && list[i].skip)
			die(EXIT_FAILED, "--variant: '%s' can't run here: %s%s", list[i].name, list[i].skip,
			    check->emulate ? "" : "; try --emulate");
}

static void print_list(const struct target *list, const bool *chosen, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!chosen[i])
			continue;
		if (list[i].skip)
			printf("%-20s unavailable: %s\n", list[i].name, list[i].skip);
		else
			printf("%-20s %s\n", list[i].name, list[i].emulated ? "emulated" : "available");
	}
}

static void report(struct check *check, struct output *out, const struct target *t, const struct verdict *verdict)
{
	const char *result = t->skip ? "skip" : verdict->failed ? "fail" : "ok";
	struct record r;

	record_begin(&r, "check");
	record_text(&r, "name", t->name);
	record_text(&r, "operation", t->op == CLP_OP_CLEAR ? "clear" : "copy");
	record_text(&r, "result", result);
	record_truth(&r, "emulated", t->emulated);
	record_whole(&r, "calls", (int64_t)verdict->calls);
	if (t->skip)
		record_text(&r, "reason", t->skip);
	if (verdict->failed)
		record_text(&r, "failure", verdict->what);
	output_record(out, &r);
	record_end(&r);

	if (t->skip) {
		check->skipped++;
		output_say(out, "skip %s: %s", t->name, t->skip);
	} else if (verdict->failed) {
		check->failed++;
		output_say(out, "FAIL %s: %s", t->name, verdict->what);
	} else {
		check->passed++;
		output_say(out, "ok   %-20s %8llu calls%s", t->name, (unsigned long long)verdict->calls,
			   t->emulated ? ", emulated" : "");
	}
}

static void run_all(struct check *check, struct output *out, const struct target *list, const bool *chosen, size_t n)
{
	harness_open(&check->plan);
	for (size_t i = 0; i < n && !interrupted; i++) {
		struct verdict verdict = { .failed = false };

		if (!chosen[i])
			continue;
		progress((double)i, (double)n, list[i].name);
		if (!list[i].skip)
			harness_check(&list[i], &verdict);
		if (!verdict.interrupted)
			report(check, out, &list[i], &verdict);
	}
	harness_close();
}

static void summarise(const struct check *check, struct output *out)
{
	struct record r;

	record_begin(&r, "summary");
	record_whole(&r, "passed", check->passed);
	record_whole(&r, "failed", check->failed);
	record_whole(&r, "skipped", check->skipped);
	record_truth(&r, "interrupted", interrupted != 0);
	output_record(out, &r);
	record_end(&r);
	output_say(out, "%u passed, %u failed, %u skipped%s", check->passed, check->failed, check->skipped,
		   interrupted ? " (interrupted)" : "");
}

static void header(const struct check *check, struct output *out, int argc, char **argv)
{
	struct record r;

	record_begin(&r, "header");
	record_machine(&r, argc, argv, check->plan.seed);
	record_text(&r, "registers", call_watches());
	output_record(out, &r);
	record_end(&r);
	output_say(out, "seed %llu; registers watched: %s", (unsigned long long)check->plan.seed, call_watches());
}

int cmd_check(int argc, char **argv)
{
	const struct argp argp = { options, parse, NULL, doc, NULL, NULL, NULL };
	struct check check = { .plan = { .seed = 1 }, .op = -1 };
	struct target *list;
	struct output out;
	bool *chosen;
	size_t n;

	parse_options(&argp, argc, argv, &check);
	list = target_list(check.emulate, &n);
	chosen = choose(&check, list, n);
	if (check.list) {
		print_list(list, chosen, n);
	} else {
		die_unavailable(&check, list, chosen, n);
		catch_interrupts();
		output_open(&out, check.json, check.path);
		header(&check, &out, argc, argv);
		run_all(&check, &out, list, chosen, n);
		summarise(&check, &out);
		output_close(&out);
	}
	free(list);
	free(chosen);
	if (check.names)
		free_words(check.names, check.names_n);
	if (interrupted)
		return EXIT_INTERRUPTED;
	return check.failed ? EXIT_FAILED : EXIT_OK;
}
