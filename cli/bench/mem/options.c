// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * options.c - the options of `bench mem`: perf's, with perf's letters, and ours, which have none that perf may use one day.
 *
 * -f and -r stand for the format and the repetitions before a collection's name, as in perf, and for the function and the
 * random offset after it.
 */
#include <stdlib.h>
#include <string.h>

#include "mem.h"

enum { OPT_FORMAT = OPT_LONG, OPT_REPEAT, OPT_JSON, OPT_PIN, OPT_RESERVE, OPT_OFFSET, OPT_SOURCE, OPT_LATENCY };

void mem_defaults(struct mem *m)
{
	*m = (struct mem){
		.repeat = 1,
		.size_text = "1MB",
		.size = (size_t)1 << 20,
		.function_text = "all",
		.page_text = "4KB",
		.loops = 1,
		.threads = 1,
		.pin = -1,
		.path = NULL,
	};
}

static enum format parse_format(const char *text)
{
	static const char *const names[] = { "default", "simple", "json" };

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(text, names[i]))
			return (enum format)i;
	die(EXIT_USAGE, "--format: '%s' is not a format; use default, simple or json", text);
}

/* What goes before a collection's name as well as after it. */
static error_t parse_frame(int key, char *arg, struct argp_state *state)
{
	struct mem *m = state->input;

	switch (key) {
	case OPT_FORMAT:
		m->format = parse_format(arg);
		return 0;
	case OPT_REPEAT:
		m->repeat = (unsigned)parse_count("--repeat", arg, 1, 1000000);
		return 0;
	case OPT_JSON:
		m->format = FORMAT_JSON;
		return 0;
	case 'o':
		m->path = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const char format_help[] = "Output: default and simple as perf's, or json (JSON Lines)";
static const char repeat_help[] = "Repetitions of each figure, which is then their median (default: 1)";
static const char json_help[] = "The same as --format json";
static const char output_help[] = "JSON Lines into FILE, beside the text";

static const struct argp_option frame_options[] = {
	{ "format", OPT_FORMAT, "NAME", 0, format_help, 5 },
	{ "repeat", OPT_REPEAT, "N", 0, repeat_help, 5 },
	{ "json", OPT_JSON, NULL, 0, json_help, 5 },
	{ "output", 'o', "FILE", 0, output_help, 5 },
	{ 0 },
};
static const struct argp frame_argp = { .options = frame_options, .parser = parse_frame };
static const struct argp_child frame_child[] = { { &frame_argp, 0, NULL, 5 }, { 0 } };

static error_t parse_leading(int key, char *arg, struct argp_state *state)
{
	return parse_frame(key == 'f' ? OPT_FORMAT : key == 'r' ? OPT_REPEAT : key, arg, state);
}

static const struct argp_option leading_options[] = {
	{ "format", 'f', "NAME", 0, format_help, 5 },
	{ "repeat", 'r', "N", 0, repeat_help, 5 },
	{ "json", OPT_JSON, NULL, 0, json_help, 5 },
	{ "output", 'o', "FILE", 0, output_help, 5 },
	{ 0 },
};
static const struct argp leading_argp = {
	.options = leading_options,
	.parser = parse_leading,
	.args_doc = "memcpy|memset|mmap|all|help [OPTION...]",
	.doc = "Measure memory with the workloads, options and output of perf bench mem, and the library's routines beside "
	       "perf's functions. These options stand before the collection's name; 'clearpages bench mem memset --help' "
	       "shows those after it.",
};

/* Does this argument, "-f" or "--format" or a beginning of it, take the next one as its value? */
static bool takes_next(const char *arg)
{
	for (const struct argp_option *o = leading_options; o->name; o++) {
		if (!o->arg)
			continue;
		if (arg[0] == '-' && arg[1] == o->key && !arg[2])
			return true;
		if (strlen(arg) > 2 && !strncmp(arg, "--", 2) && !strncmp(arg + 2, o->name, strlen(arg + 2)))
			return true;
	}
	return false;
}

int mem_skip(int argc, char **argv)
{
	int at = 1;

	while (at < argc && argv[at][0] == '-')
		at += 1 + (takes_next(argv[at]) && at + 1 < argc);
	return at - 1;
}

int mem_leading(struct mem *m, int argc, char **argv)
{
	int n = mem_skip(argc, argv);

	parse_options(&leading_argp, n + 1, argv, m);
	return n;
}

static error_t parse_common(int key, char *arg, struct argp_state *state)
{
	struct mem *m = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = m;
		return 0;
	case 's':
		m->size_text = arg;
		m->size = parse_size("--size", arg);
		return 0;
	case 'p':
		m->page_text = arg;
		return 0;
	case 'f':
		m->function_text = arg;
		return 0;
	case 'l':
		m->loops = (unsigned)parse_count("--nr_loops", arg, 1, UINT32_MAX);
		return 0;
	case 'c':
		m->cycles_wanted = true;
		return 0;
	case OPT_RESERVE:
		m->reserve = true;
		return 0;
	case OPT_PIN:
		m->pin = (int)parse_count("--pin", arg, 0, 1023);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option common_options[] = {
	{ "size", 's', "SIZE", 0, "Size of the memory (default: 1MB)", 2 },
	{ "page", 'p', "SIZE", 0, "Size of its pages: 4KB (default), 2MB, 1GB, or another that there is", 2 },
	{ "function", 'f', "LIST", 0, "Functions to run, or all (default); help lists them", 2 },
	{ "nr_loops", 'l', "N", 0, "Loops within one figure (default: 1)", 2 },
	{ "cycles", 'c', NULL, 0, "Cycles a byte instead of bytes a second", 2 },
	{ "reserve", OPT_RESERVE, NULL, 0, "Reserve the huge pages that are lacking, and give them back", 3 },
	{ "pin", OPT_PIN, "CPU", 0, "Run on this CPU (default: where it started)", 3 },
	{ 0 },
};
static const struct argp common_part = { .options = common_options, .parser = parse_common, .children = frame_child };
static const struct argp_child common_child[] = { { &common_part, 0, NULL, 2 }, { 0 } };

static size_t size_or_zero(const char *option, const char *text)
{
	uint64_t value;

	if (!read_size(text, &value) && !value)
		return 0;
	return parse_size(option, text);
}

static error_t parse_fill(int key, char *arg, struct argp_state *state)
{
	struct mem *m = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = m;
		return 0;
	case 'k':
		m->chunk = size_or_zero("--chunk", arg);
		return 0;
	case OPT_OFFSET:
		m->offset = size_or_zero("--offset", arg);
		return 0;
	case OPT_SOURCE:
		m->source = (int)parse_count("--source", arg, 0, 255);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option memcpy_options[] = {
	{ "source", OPT_SOURCE, "BYTE", 0, "The byte that is copied (default: 0, as in perf)", 3 },
	{ "chunk", 'k', "SIZE", 0, "Bytes a call (default: 0, all of them)", 2 },
	{ "offset", OPT_OFFSET, "BYTES", 0, "Begin so many bytes into the first page (default: 0)", 3 },
	{ 0 },
};
const struct argp memcpy_argp = {
	.options = memcpy_options,
	.parser = parse_fill,
	.doc = "Measure copying, as perf bench mem memcpy does, with the library's routines and its policy beside.",
	.children = common_child,
};
/* From the second row: without a source. */
const struct argp memset_argp = {
	.options = memcpy_options + 1,
	.parser = parse_fill,
	.doc = "Measure setting memory, as perf bench mem memset does, with the library's routines and its policy beside. "
	       "perf's functions store the loop's number; the library's clear memory that is not zero.",
	.children = common_child,
};

static error_t parse_mmap(int key, char *arg, struct argp_state *state)
{
	struct mem *m = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = m;
		return 0;
	case 'r':
		m->random_seed = (unsigned)parse_count("--randomize", arg, 0, UINT32_MAX);
		return 0;
	case 't':
		m->threads = (unsigned)parse_count("--threads", arg, 1, 65536);
		return 0;
	case OPT_LATENCY:
		m->latency = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option mmap_options[] = {
	{ "randomize", 'r', "SEED", 0, "Touch a random byte of each page (0, the default: the first)", 2 },
	{ "threads", 't', "N", 0, "Threads at once, each with a CPU and memory of its own (default: 1)", 2 },
	{ "latency", OPT_LATENCY, NULL, 0, "Show the time a fault takes, from a loop of its own", 3 },
	{ 0 },
};
const struct argp mmap_argp = {
	.options = mmap_options,
	.parser = parse_mmap,
	.doc = "Measure getting memory from the kernel, which clears it, as perf bench mem mmap does: mmap() and one "
	       "read-modify-write a page.",
	.children = common_child,
};

void mem_parse(struct mem *m, const struct mem_collection *collection, int argc, char **argv)
{
	m->bench = collection->bench;
	parse_options(collection->argp, argc, argv, m);
	functions_choose(m, collection);
	m->page = page_parse("--page", m->page_text);
	if (m->size > INT64_MAX / m->loops / m->threads)
		die(EXIT_USAGE, "--nr_loops: %u times %s is more than can be counted", m->loops, m->size_text);
	if (m->cycles_wanted)
		m->cycles = meter_choose();
	collection->check(m);
}
