/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats.c - `kernel stats`: what was cleared, by routine and order; once, or again and again as rates.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../bench/bench.h"
#include "kernel.h"

struct options {
	bool json, reset, histogram;
	double watch; /* seconds; 0: once */
};

enum { OPT_JSON = OPT_LONG, OPT_WATCH, OPT_RESET, OPT_HISTOGRAM };

static const struct argp_option argp_options[] = {
	{ "watch", OPT_WATCH, "SECONDS", OPTION_ARG_OPTIONAL, "Rates, again and again (default: each second)", 0 },
	{ "histogram", OPT_HISTOGRAM, NULL, 0, "How many calls took how many cycles", 0 },
	{ "reset", OPT_RESET, NULL, 0, "Show, then set all to zero", 0 },
	{ "json", OPT_JSON, NULL, 0, "JSON Lines on standard output instead of text", 0 },
	{ 0 },
};

static double parse_seconds(const char *text)
{
	char *end;
	double value = text ? strtod(text, &end) : 1;

	if (text && (end == text || *end || !(value >= 0.05) || value > 86400))
		die(EXIT_USAGE, "--watch: '%s' is not a time from 0.05 to 86400 seconds", text);
	return value;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case OPT_JSON:
		o->json = true;
		return 0;
	case OPT_WATCH:
		o->watch = parse_seconds(arg);
		return 0;
	case OPT_RESET:
		o->reset = true;
		return 0;
	case OPT_HISTOGRAM:
		o->histogram = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct column columns[] = {
	{ "routine", "routine", -11, 0, false },
	{ "order", "order", 5, 0, false },
	{ "size", "size", 8, 0, true },
	{ "calls", "calls", 12, 0, false },
	{ "pages", "pages", 14, 0, false },
	{ "gib", "GiB", 10, 2, false },
	{ "cycles_per_page", "cycles/page", 11, 1, false },
	{ 0 },
};

static const struct column rate_columns[] = {
	{ "routine", "routine", -11, 0, false },
	{ "order", "order", 5, 0, false },
	{ "size", "size", 8, 0, true },
	{ "calls", "calls/s", 12, 0, false },
	{ "pages", "pages/s", 14, 0, false },
	{ "gib", "GiB/s", 10, 2, false },
	{ "cycles_per_page", "cycles/page", 11, 1, false },
	{ 0 },
};

static void show_count(struct output *out, const struct count *c, double seconds)
{
	struct record r;

	record_begin(&r, "summary");
	record_text(&r, "bench", "kernel-stats");
	record_text(&r, "routine", c->routine);
	record_whole(&r, "order", c->order);
	record_whole(&r, "size", (int64_t)KERNEL_PAGE << c->order);
	record_whole(&r, "calls", llround((double)c->calls / seconds));
	record_whole(&r, "pages", llround((double)c->pages / seconds));
	record_real(&r, "gib", (double)c->pages * KERNEL_PAGE / (1 << 30) / seconds);
	if (c->timed) {
		record_whole(&r, "cycles", llround((double)c->cycles / seconds));
		if (c->pages)
			record_real(&r, "cycles_per_page", (double)c->cycles / (double)c->pages);
	}
	if (out->columns == rate_columns)
		record_real(&r, "interval", seconds);
	output_record(out, &r);
	record_end(&r);
}

/* False where there was nothing to show. */
static bool show_counts(struct output *out, const struct counts *c, double seconds)
{
	bool any = false;

	for (size_t i = 0; i < c->n; i++) {
		if (!c->at[i].calls)
			continue;
		show_count(out, &c->at[i], seconds);
		any = true;
	}
	return any;
}

static void show_bucket(struct output *out, const char *routine, uint64_t lower, uint64_t calls, uint64_t most)
{
	struct record r;
	int bar = most ? (int)(40 * calls / most) : 0;

	record_begin(&r, "histogram");
	record_text(&r, "routine", routine);
	record_whole(&r, "from_cycles", (int64_t)lower);
	record_whole(&r, "calls", (int64_t)calls);
	output_record(out, &r);
	record_end(&r);
	output_say(out, "  %14" PRIu64 " %12" PRIu64 " %.*s", lower, calls, bar + !bar,
		   "########################################");
}

static void show_histogram(struct output *out, const char *routine)
{
	char *text = read_all(at_root("/sys/kernel/clearpages/stats/%s/histogram", routine));
	uint64_t lower, calls, most = 0;
	const char *line;

	for (line = text; line && sscanf(line, "%" SCNu64 " %" SCNu64, &lower, &calls) == 2; line = strchr(line, '\n') + 1) {
		most = calls > most ? calls : most;
		if (!strchr(line, '\n'))
			break;
	}
	if (most)
		output_say(out, "\n%s: calls that took from so many cycles to less than twice as many", routine);
	for (line = text; most && sscanf(line, "%" SCNu64 " %" SCNu64, &lower, &calls) == 2; line = strchr(line, '\n') + 1) {
		show_bucket(out, routine, lower, calls, most);
		if (!strchr(line, '\n'))
			break;
	}
	free(text);
}

static void show_histograms(struct output *out)
{
	struct routines routines;

	routines_read(&routines);
	for (size_t i = 0; i < routines.n; i++)
		show_histogram(out, routines.at[i].name);
	routines_free(&routines);
}

static void show_missed(struct output *out)
{
	int64_t missed = read_number(at_root("/sys/kernel/clearpages/stats/missed"), 0);

	if (missed)
		output_say(out, "\n%lld faults of order 0 were left to the kernel: all probes were in use",
			   (long long)missed);
}

/* False where we were interrupted. */
static bool wait_seconds(double seconds)
{
	struct timespec t = { .tv_sec = (time_t)seconds };

	t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
	while (!interrupted && nanosleep(&t, &t) && errno == EINTR)
		;
	return !interrupted;
}

/* On a terminal a table takes the place of the one before; elsewhere they follow one another. */
static void watch(struct output *out, double seconds)
{
	bool redraw = out->text && isatty(STDOUT_FILENO);
	struct counts before, now, rates;
	double since, at;

	catch_interrupts();
	counts_read(&before);
	since = clock_seconds();
	while (wait_seconds(seconds) && module_loaded()) {
		counts_read(&now);
		at = clock_seconds();
		counts_since(&rates, &now, &before);
		if (redraw)
			output_say(out, "\033[H\033[2Jeach %g s; end with Ctrl-C", seconds);
		output_columns(out, rate_columns);
		if (!show_counts(out, &rates, at - since))
			output_say(out, "nothing was cleared");
		output_say(out, "%s", "");
		counts_free(&rates);
		counts_free(&before);
		before = now;
		since = at;
	}
	counts_free(&before);
}

static void once(struct output *out, const struct options *o)
{
	struct counts counts;
	char line[LINE_MAX_KERNEL];

	counts_read(&counts);
	output_columns(out, columns);
	if (!show_counts(out, &counts, 1))
		output_say(out, "nothing is counted yet%s",
			   *module_line("enabled", line, sizeof(line)) == '1' ? "" : ", and the module is not in effect");
	counts_free(&counts);
	if (o->histogram)
		show_histograms(out);
	show_missed(out);
}

int kernel_stats(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.doc = "Show what the module has cleared, by routine and order: calls, pages and TSC cycles.",
	};
	struct options o = { 0 };
	struct output out;
	struct record header;
	int err;

	parse_options(&argp, argc, argv, &o);
	if (o.watch > 0 && (o.reset || o.histogram))
		die(EXIT_USAGE, "--watch: it shows rates; leave out '%s'", o.reset ? "--reset" : "--histogram");
	module_require();
	output_open(&out, o.json, NULL);
	if (o.json) {
		record_begin(&header, "header");
		record_text(&header, "bench", "kernel-stats");
		record_machine(&header, argc, argv, 0);
		output_record(&out, &header);
		record_end(&header);
	}
	if (o.watch > 0)
		watch(&out, o.watch);
	else
		once(&out, &o);
	output_close(&out);
	err = o.reset ? -module_write(at_root("/sys/kernel/clearpages/stats/reset"), "1") : 0;
	if (err)
		die(EXIT_FAILED, "--reset: %s", explain_write("stats/reset", "1", err, ""));
	return EXIT_OK;
}
