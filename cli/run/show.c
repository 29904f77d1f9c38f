/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * show.c - what was counted: a row for each kind of call and class of sizes, and what it comes to.
 */
#include <inttypes.h>
#include <math.h>

#include "run.h"

static const char *const call_names[] = {
	[PRELOAD_CLEAR] = "clear",
	[PRELOAD_ERASE] = "erase",
	[PRELOAD_COPY] = "copy",
	[PRELOAD_CALLOC] = "calloc",
};

static const struct column columns[] = {
	{ "call", "call", -6, 0, false },
	{ "size", "size", 8, 0, true },
	{ "calls", "calls", 8, 0, false },
	{ "gib", "GiB", 7, 2, false },
	{ "us", "us", 9, 2, false },
	{ "pairs", "pairs", 6, 0, false },
	{ "libc_us", "libc us", 9, 2, false },
	{ "gain_us", "gain us", 9, 2, false },
	{ "margin_us", "+/- us", 9, 2, false },
	{ 0 },
};

static const struct column process_columns[] = {
	{ "pid", "process", 10, 0, false },
	{ "name", "name", -16, 0, false },
	{ "state", "state", -6, 0, false },
	{ "calls", "calls", 10, 0, false },
	{ "gib", "GiB", 9, 2, false },
	{ "seconds", "seconds", 9, 3, false },
	{ "share_percent", "% of CPU", 8, 2, false },
	{ 0 },
};

static double gib(uint64_t bytes)
{
	return (double)bytes / (double)(1 << 30);
}

static uint64_t calls_of(const struct preload_cell *cell)
{
	return cell->side[PRELOAD_OURS].calls + cell->side[PRELOAD_LIBC].calls;
}

/* What is not known is left out: the table shows a dash. */
static void record_known(struct record *r, const char *key, double value)
{
	if (isfinite(value))
		record_real(r, key, value);
}

static uint64_t cleared_sum(const struct preload_file *file, uint64_t (*of)(const struct preload_cell *cell))
{
	uint64_t sum = 0;

	for (unsigned call = 0; call < PRELOAD_CALLOC; call++)
		for (unsigned class = 0; class < PRELOAD_CLASSES; class++)
			sum += of(&file->cells[call][class]);
	return sum;
}

static uint64_t ns_of(const struct preload_cell *cell)
{
	return cell->side[PRELOAD_OURS].ns + cell->side[PRELOAD_LIBC].ns;
}

static uint64_t bytes_of(const struct preload_cell *cell)
{
	return cell->bytes;
}

uint64_t counted_ns(const struct preload_file *file)
{
	return cleared_sum(file, ns_of);
}

uint64_t counted_calls(const struct preload_file *file)
{
	return cleared_sum(file, calls_of);
}

static void show_cell(struct output *out, const struct preload_cell *cell, enum preload_call call, unsigned class,
		      const struct gain *g)
{
	struct record r;

	record_begin(&r, "summary");
	record_text(&r, "call", call_names[call]);
	record_whole(&r, "size", (int64_t)1 << (PRELOAD_CLASS_SHIFT + class));
	record_whole(&r, "calls", (int64_t)calls_of(cell));
	record_real(&r, "gib", gib(cell->bytes));
	if (call != PRELOAD_CALLOC) {
		record_whole(&r, "libc_calls", (int64_t)cell->side[PRELOAD_LIBC].calls);
		record_real(&r, "seconds", (double)ns_of(cell) / 1e9);
		record_real(&r, "us", (double)ns_of(cell) / (double)calls_of(cell) / 1e3);
		record_whole(&r, "pairs", (int64_t)cell->pairs.n);
		record_whole(&r, "faulted_pairs", (int64_t)cell->pairs.faulted);
		record_known(&r, "libc_us", g->libc / 1e3);
		record_known(&r, "gain_us", g->each / 1e3);
		record_known(&r, "margin_us", gain_margin(g) / 1e3);
	}
	output_record(out, &r);
	record_end(&r);
}

static void show_total(struct output *out, const struct preload_file *file, uint64_t cpu_ns, const struct gain_sum *sum)
{
	double seconds = (double)counted_ns(file) / 1e9, cpu = (double)cpu_ns / 1e9, gained = sum->ns / 1e9;
	double margin = gain_sum_margin(sum) / 1e9;
	bool known = sum->calls > sum->missed;
	struct record r;

	record_begin(&r, "total");
	record_real(&r, "seconds", seconds);
	record_known(&r, "cpu_seconds", cpu_ns ? cpu : NAN);
	record_known(&r, "share_percent", cpu_ns ? 100 * seconds / cpu : NAN);
	record_known(&r, "gained_seconds", known ? gained : NAN);
	record_known(&r, "low_seconds", gained - margin);
	record_known(&r, "high_seconds", gained + margin);
	record_whole(&r, "calls_not_compared", (int64_t)sum->missed);
	record_whole(&r, "calls_faulted", (int64_t)sum->faulted);
	record_whole(&r, "adopted", (int64_t)file->adopted);
	output_record(out, &r);
	record_end(&r);

	if (cpu_ns)
		output_say(out, "time in them  %.3f s, %.2f%% of the CPU time of %.3f s", seconds, 100 * seconds / cpu, cpu);
	else
		output_say(out, "time in them  %.3f s; the CPU time is not known, for it did not end by exit()", seconds);
	if (known && isfinite(margin))
		output_say(out, "gained        %.3f s (%.3f to %.3f at 95%%), in the calls alone", gained, gained - margin,
			   gained + margin);
	else if (known)
		output_say(out, "gained        %.3f s, in the calls alone; built without Rmath, so without an interval", gained);
	if (sum->faulted)
		output_say(out, "without gain  about %" PRIu64 " calls, at the memory's first touch", sum->faulted);
	if (sum->missed)
		output_say(out, "not compared  %" PRIu64 " calls, of sizes with less than two pairs", sum->missed);
	if (file->adopted)
		output_say(out, "counted here  %" PRIu64 " forked processes that could make no file of their own", file->adopted);
}

void show_counted(struct output *out, const struct preload_file *file, uint64_t cpu_ns)
{
	struct gain_sum sum = { 0 };
	struct gain g;
	bool any = false;

	output_columns(out, columns);
	for (unsigned call = 0; call < PRELOAD_CALLS; call++) {
		for (unsigned class = 0; class < PRELOAD_CLASSES; class++) {
			const struct preload_cell *cell = &file->cells[call][class];

			if (!calls_of(cell))
				continue;
			any = true;
			gain_of(&g, cell, class);
			if (call != PRELOAD_CALLOC)
				gain_add(&sum, &g, cell->side[PRELOAD_OURS].calls);
			show_cell(out, cell, call, class, &g);
		}
	}
	output_columns(out, NULL);
	if (any)
		show_total(out, file, cpu_ns, &sum);
	else
		output_say(out, "no call of %s or more", format_size(file->large));
}

void show_processes(struct output *out, const struct counted_list *list)
{
	output_columns(out, process_columns);
	for (size_t i = 0; i < list->n; i++) {
		const struct counted *c = &list->at[i];
		double seconds = (double)counted_ns(&c->file) / 1e9;
		struct record r;

		record_begin(&r, "summary");
		record_whole(&r, "pid", (int64_t)c->file.pid);
		record_text(&r, "name", c->file.name);
		record_text(&r, "state", c->runs ? "runs" : "ended");
		record_whole(&r, "programs", (int64_t)c->file.images);
		record_whole(&r, "calls", (int64_t)counted_calls(&c->file));
		record_real(&r, "gib", gib(cleared_sum(&c->file, bytes_of)));
		record_real(&r, "seconds", seconds);
		if (c->cpu_ns) {
			record_real(&r, "cpu_seconds", (double)c->cpu_ns / 1e9);
			record_real(&r, "share_percent", 100 * seconds / ((double)c->cpu_ns / 1e9));
		}
		output_record(out, &r);
		record_end(&r);
	}
	output_columns(out, NULL);
}
