/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * info.c - `info`: the machine, its caches as claimed and as measured, its pages; each routine; what is chosen when.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/cpu.h"
#include "bench/bench.h"
#include "clearpages.h"
#include "cli.h"

struct options {
	bool json, no_measure;
	const char *output;
};

enum { OPT_JSON = OPT_LONG, OPT_NO_MEASURE };

static const struct argp_option argp_options[] = {
	{ "json", OPT_JSON, NULL, 0, "JSON Lines on standard output instead of text", 0 },
	{ "output", 'o', "FILE", 0, "JSON Lines into FILE, beside the text", 0 },
	{ "no-measure", OPT_NO_MEASURE, NULL, 0, "Leave out the caches as measured (a second or two)", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case OPT_JSON:
		o->json = true;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case OPT_NO_MEASURE:
		o->no_measure = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void show_cpu(struct output *out)
{
	struct clp_cpu cpu;

	clp_cpu_describe(&cpu);
	output_say(out, "Processor    %s", cpu.model_name);
	output_say(out, "             %s family %u model %u stepping %u; hypervisor: %s", cpu.vendor, cpu.family, cpu.model,
		   cpu.stepping, cpu.hypervisor);
	output_say(out, "Counter      TSC at %.3f GHz%s", clock_ghz(),
		   cpu.counter_invariant ? ", invariant" : ", not invariant");
}

static void show_cache(struct output *out, const char *level, size_t claimed, size_t measured, double ns, bool did_measure)
{
	struct record r;

	record_begin(&r, "cache");
	record_text(&r, "level", level);
	record_whole(&r, "claimed", (int64_t)claimed);
	if (did_measure && measured) {
		record_whole(&r, "measured", (int64_t)measured);
		record_real(&r, "load_ns", ns);
	}
	output_record(out, &r);
	record_end(&r);
	if (did_measure && measured)
		output_say(out, "  %-10s %10s %10s %8.1f ns", level, claimed ? format_size(claimed) : "-",
			   format_size(measured), ns);
	else
		output_say(out, "  %-10s %10s %10s", level, claimed ? format_size(claimed) : "-",
			   did_measure ? "no step" : "-");
}

static void show_caches(struct output *out, bool measure)
{
	static const struct caches none;
	const struct caches *c = measure ? measure_caches() : &none;
	struct clp_cpu cpu;

	clp_cpu_describe(&cpu);
	output_say(out, "\nCaches          claimed   measured     a load");
	show_cache(out, "L1 data", cpu.l1d, c->l1d, c->l1d_ns, measure);
	show_cache(out, "L2", cpu.l2, c->l2, c->l2_ns, measure);
	show_cache(out, "L3", cpu.l3, c->l3, c->l3_ns, measure);
	if (measure)
		output_say(out, "  %-10s %10s %10s %8.1f ns", "memory", "", "", c->memory_ns);
}

static void show_pool(struct output *out, const char *name)
{
	unsigned long long kib = strtoull(name + strlen("hugepages-"), NULL, 10);
	char path[256];
	struct record r;
	int64_t total, free;

	snprintf(path, sizeof(path), "/sys/kernel/mm/hugepages/%.64s/nr_hugepages", name);
	total = read_number(path, 0);
	snprintf(path, sizeof(path), "/sys/kernel/mm/hugepages/%.64s/free_hugepages", name);
	free = read_number(path, 0);
	record_begin(&r, "hugepages");
	record_whole(&r, "size", (int64_t)(kib << 10));
	record_whole(&r, "reserved", total);
	record_whole(&r, "free", free);
	output_record(out, &r);
	record_end(&r);
	output_say(out, "  huge pages of %s: %lld reserved, %lld free", format_size(kib << 10), (long long)total,
		   (long long)free);
}

static void show_pages(struct output *out)
{
	DIR *dir = opendir("/sys/kernel/mm/hugepages");
	char line[256];
	struct dirent *entry;

	output_say(out, "\nPages");
	output_say(out, "  base page: %s; memory available: %s", format_size(clp_cpu_page()),
		   format_size(memory_available()));
	output_say(out, "  transparent huge pages: %s",
		   read_line("/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof(line)));
	output_say(out, "  their defragmentation: %s",
		   read_line("/sys/kernel/mm/transparent_hugepage/defrag", line, sizeof(line)));
	while (dir && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, "hugepages-", 10))
			show_pool(out, entry->d_name);
	if (dir)
		closedir(dir);
}

static void show_routines(struct output *out, unsigned op)
{
	struct clp_variant_info info = { .sz = sizeof(info) };
	struct record r;

	output_say(out, "\nRoutines that %s", op == CLP_OP_COPY ? "copy" : "clear");
	for (unsigned i = 0; i < clp_variant_count(op); i++) {
		clp_variant_get(op, i, &info);
		record_begin(&r, "routine");
		record_text(&r, "operation", op == CLP_OP_COPY ? "copy" : "clear");
		record_text(&r, "name", info.name);
		record_text(&r, "description", info.description);
		record_truth(&r, "available", !info.missing);
		if (info.missing)
			record_text(&r, "missing", info.missing);
		record_truth(&r, "nontemporal", info.traits & CLP_TRAIT_NONTEMPORAL);
		output_record(out, &r);
		record_end(&r);
		if (info.missing)
			output_say(out, "  %-10s unavailable: %s", info.name, info.missing);
		else
			output_say(out, "  %-10s available: %s", info.name, info.description);
	}
}

/* What serves a call: the routine's name, or for a probed length both. */
static void choice_name(unsigned op, size_t len, unsigned flags, char *text, size_t size)
{
	struct clp_variant_info in = { .sz = sizeof(in) }, not = { .sz = sizeof(not ) };
	unsigned cached, uncached;
	int probed;

	clp_choice(op, len, flags, 1, &cached, &probed);
	clp_choice(op, len, flags, 0, &uncached, NULL);
	clp_variant_get(op, cached, &in);
	clp_variant_get(op, uncached, &not );
	if (probed && cached != uncached)
		snprintf(text, size, "%s if cached, else %s", in.name, not .name);
	else
		snprintf(text, size, "%s", not .name);
}

struct choice {
	const char *operation, *hint;
	unsigned op, flags;
};

static void show_choice(struct output *out, const struct choice *c, size_t from, const char *name)
{
	struct record r;

	record_begin(&r, "choice");
	record_text(&r, "operation", c->operation);
	record_text(&r, "hint", c->hint);
	record_whole(&r, "from", (int64_t)from);
	record_text(&r, "choice", name);
	output_record(out, &r);
	record_end(&r);
	output_say(out, "  %-5s from %9s: %s", c->hint, format_size(from), name);
}

/* The least length above `low` at which another name serves than at `low`; it does at `high`. */
static size_t change_between(const struct choice *c, size_t low, size_t high)
{
	char at_low[64], middle[64];

	choice_name(c->op, low, c->flags, at_low, sizeof(at_low));
	while (high - low > 1) {
		size_t half = low + (high - low) / 2;

		choice_name(c->op, half, c->flags, middle, sizeof(middle));
		if (strcmp(at_low, middle) != 0)
			high = half;
		else
			low = half;
	}
	return high;
}

/* Lengths in steps of a quarter: rules lie further apart than that. */
static void show_hint(struct output *out, const struct choice *c)
{
	char now[64], next[64];
	size_t from = 1, len, step;

	choice_name(c->op, 1, c->flags, now, sizeof(now));
	for (len = 1; len < (size_t)1 << 40; len = step) {
		step = len + len / 4 + 1;
		choice_name(c->op, step, c->flags, next, sizeof(next));
		if (!strcmp(now, next))
			continue;
		show_choice(out, c, from, now);
		from = change_between(c, len, step);
		strcpy(now, next);
	}
	show_choice(out, c, from, now);
}

static void show_choices(struct output *out, unsigned op)
{
	const char *operation = op == CLP_OP_COPY ? "copy" : "clear";
	const struct choice hints[] = {
		{ operation, "HOT", op, CLP_HOT },
		{ operation, "COLD", op, CLP_COLD },
		{ operation, "AUTO", op, 0 },
	};

	output_say(out, "\nChosen to %s", operation);
	for (unsigned h = 0; h < 3; h++)
		show_hint(out, &hints[h]);
}

static void show_profile(struct output *out)
{
	static const char *const states[] = {
		[CLP_PROFILE_NONE] = "none: built-in defaults are in use ('clearpages tune' measures one)",
		[CLP_PROFILE_USED] = "in use",
		[CLP_PROFILE_FOREIGN] = "ignored: measured on another processor or hypervisor",
		[CLP_PROFILE_DAMAGED] = "ignored: damaged or unreadable",
		[CLP_PROFILE_OFF] = "switched off",
	};
	static const char *const words[] = { "none", "used", "foreign", "damaged", "off" };
	const char *path;
	enum clp_profile_state state = clp_profile_status(&path);
	struct record r;

	record_begin(&r, "profile");
	record_text(&r, "state", words[state]);
	record_text(&r, "path", path);
	output_record(out, &r);
	record_end(&r);
	output_say(out, "Profile      %s", *path ? path : states[state]);
	if (*path)
		output_say(out, "             %s", states[state]);
}

int cmd_info(int argc, char **argv)
{
	static const struct argp argp = {
		argp_options,
		parse,
		NULL,
		"Show the processor, caches as claimed and as measured, pages, each routine and why it is not available, "
		"and which is chosen "
		"for which hint and length.",
		NULL,
		NULL,
		NULL,
	};
	struct options o = { 0 };
	struct output out;
	struct record r;

	parse_options(&argp, argc, argv, &o);
	output_open(&out, o.json, o.output);
	record_begin(&r, "header");
	record_text(&r, "bench", "info");
	record_machine(&r, argc, argv, 0);
	output_record(&out, &r);
	record_end(&r);
	show_cpu(&out);
	show_profile(&out);
	show_caches(&out, !o.no_measure);
	show_pages(&out);
	for (unsigned op = CLP_OP_CLEAR; op <= CLP_OP_COPY; op++)
		show_routines(&out, op);
	for (unsigned op = CLP_OP_CLEAR; op <= CLP_OP_COPY; op++)
		show_choices(&out, op);
	output_close(&out);
	return EXIT_OK;
}
