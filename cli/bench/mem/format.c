// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * format.c - the figures of `bench mem`: in perf's two text formats, such that what reads perf's output reads this, and as
 * records.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

/* The repetitions of the function that runs. */
static struct {
	double *values, *seconds;
	size_t n;
	double error; /* the largest */
} taken;

static bool text_is(const struct mem *m, enum format format)
{
	return m->out.text && m->format == format;
}

void format_note(struct mem *m, const char *format, ...)
{
	va_list args;
	char line[512];

	if (!text_is(m, FORMAT_DEFAULT))
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	output_say(&m->out, "%s", line);
}

void format_begin(struct mem *m)
{
	format_note(m, "# Running '%s' benchmark:", m->bench);
	/* In the simple format, too: a figure must not pass for what it is not. */
	if (m->cycles == CYCLES_TSC)
		output_say(&m->out, "# cycles: %s (%s)", cycles_name(m->cycles), meter_why_not());
}

void format_function(struct mem *m, const struct function *f)
{
	taken.n = 0;
	taken.error = 0;
	if (m->format == FORMAT_JSON)
		return;
	output_say(&m->out, "# function '%s' (%s)", f->name, f->description);
	format_note(m, "# Copying %s bytes ...\n", m->size_text);
}

void record_run(struct record *r, const struct mem *m, const struct function *f)
{
	record_text(r, "bench", m->bench);
	record_text(r, "function", f->name);
	record_whole(r, "size", (int64_t)m->size);
	if (m->chunk)
		record_whole(r, "chunk", (int64_t)m->chunk);
	/* Always, so that runs which differ in one of them can be compared. */
	record_whole(r, "offset", (int64_t)m->offset);
	record_whole(r, "source", m->source);
	record_whole(r, "randomize", m->random_seed);
	record_text(r, "page", page_name(m->used.size));
	record_text(r, "pages", page_kind_text(&m->used));
	record_whole(r, "threads", m->threads);
	record_whole(r, "loops", m->loops);
}

static void record_unit(struct record *r, const struct mem *m)
{
	record_text(r, "unit", m->cycles ? "cycles/byte" : "bytes/sec");
	if (m->cycles)
		record_text(r, "cycles", cycles_name(m->cycles));
	record_text(r, "better", m->cycles ? "lower" : "higher");
}

static void keep(double value, double seconds, double error)
{
	double *values = realloc(taken.values, (taken.n + 1) * sizeof(*values));
	double *times = realloc(taken.seconds, (taken.n + 1) * sizeof(*times));

	if (!values || !times)
		die(EXIT_FAILED, "out of memory");
	taken.values = values;
	taken.seconds = times;
	values[taken.n] = value;
	times[taken.n++] = seconds;
	if (error > taken.error)
		taken.error = error;
}

void format_sample(struct mem *m, const struct function *f, const struct result *result)
{
	/* All threads' bytes: cycles add up, while the time is one and the same. */
	double bytes = (double)result->bytes;
	double value = m->cycles ? result->lap.cycles * m->threads / bytes : bytes / result->lap.seconds;
	struct record r;

	keep(value, result->lap.seconds, result->error);
	record_begin(&r, "sample");
	record_run(&r, m, f);
	record_whole(&r, "repeat", (int64_t)taken.n);
	record_real(&r, "seconds", result->lap.seconds);
	record_whole(&r, "bytes", (int64_t)result->bytes);
	if (result->faults >= 0)
		record_whole(&r, "faults", result->faults);
	if (result->given)
		record_whole(&r, "given", (int64_t)result->given);
	record_real(&r, "value", value);
	record_unit(&r, m);
	output_record(&m->out, &r);
	record_end(&r);
}

static double deviation(const double *values, size_t n)
{
	double mean = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		mean += values[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += pow(values[i] - mean, 2);
	return n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
}

/* perf's unit for a rate, base 1024, or cycles a byte; what to divide by in *by. */
static const char *unit_of(const struct mem *m, double value, double *by)
{
	static const char *const units[] = { "bytes/sec", "KB/sec", "MB/sec", "GB/sec" };
	unsigned unit = 0;

	*by = 1;
	if (m->cycles)
		return "cycles/byte";
	for (; unit < 3 && value / *by >= 1024; unit++)
		*by *= 1024;
	return units[unit];
}

/* perf's line: a thread's share, where there are several. */
static void say_figure(struct mem *m, double share)
{
	double by;
	const char *unit = unit_of(m, share, &by);

	if (m->threads > 1)
		output_say(&m->out, " %14lf %s/thread\t( +- %6.2f%% )", share / by, unit, 100 * taken.error);
	else
		output_say(&m->out, " %14lf %s", share / by, unit);
}

static void say_more(struct mem *m, double share, double least, double most, double sd)
{
	const char *each = m->threads > 1 ? "/thread" : "", *unit;
	double by;

	if (m->threads > 1 && !m->cycles) {
		unit = unit_of(m, share * m->threads, &by);
		format_note(m, "# all %u threads: %lf %s", m->threads, share * m->threads / by, unit);
	}
	if (taken.n < 2)
		return;
	unit = unit_of(m, share, &by);
	format_note(m, "# median of %zu, from %lf to %lf %s%s, standard deviation %.2f%%", taken.n, least / by, most / by,
		    unit, each, 100 * sd / share);
}

void format_figure(struct mem *m, const struct function *f)
{
	/* Rates are a thread's in perf's formats, cycles a byte are the same for all. */
	double among = m->cycles ? 1 : m->threads, sd, mid;
	struct record r;

	if (!taken.n)
		return;
	sd = deviation(taken.values, taken.n);
	mid = median(taken.values, taken.n);
	record_begin(&r, "summary");
	record_run(&r, m, f);
	record_whole(&r, "repeats", (int64_t)taken.n);
	record_real(&r, "seconds", median(taken.seconds, taken.n));
	record_real(&r, "value", mid);
	record_real(&r, "median", mid);
	record_real(&r, "min", taken.values[0]);
	record_real(&r, "max", taken.values[taken.n - 1]);
	record_real(&r, "sd", sd);
	if (m->threads > 1)
		record_real(&r, "thread_error", taken.error);
	record_unit(&r, m);
	output_record(&m->out, &r);
	record_end(&r);
	if (text_is(m, FORMAT_DEFAULT)) {
		say_figure(m, mid / among);
		say_more(m, mid / among, taken.values[0] / among, taken.values[taken.n - 1] / among, sd / among);
	} else if (text_is(m, FORMAT_SIMPLE)) {
		output_say(&m->out, "%lf", mid / among);
	}
}

static void record_buckets(struct mem *m, const struct function *f, const struct histogram *h)
{
	struct record r;

	for (unsigned i = 0; i < BUCKETS; i++) {
		if (!h->count[i])
			continue;
		record_begin(&r, "bucket");
		record_text(&r, "bench", m->bench);
		record_text(&r, "function", f->name);
		record_text(&r, "page", page_name(m->used.size));
		record_whole(&r, "from_ns", (int64_t)histogram_from(i));
		record_whole(&r, "to_ns", (int64_t)histogram_from(i + 1));
		record_whole(&r, "count", (int64_t)h->count[i]);
		output_record(&m->out, &r);
		record_end(&r);
	}
}

/* "1.25 us", in a static ring. */
static const char *time_text(double ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	static char ring[8][24];
	static unsigned next;
	char *text = ring[next++ % 8];
	unsigned unit = 0;

	for (; unit < 3 && ns >= 1000; unit++)
		ns /= 1000;
	snprintf(text, sizeof(ring[0]), "%.*f %s", unit ? 2 : 0, ns, units[unit]);
	return text;
}

/* A line an octave. */
static void say_buckets(struct mem *m, const struct histogram *h)
{
	static const char bar[] = "########################################";

	for (unsigned at = 0; at < BUCKETS; at += BUCKETS_OCTAVE) {
		uint64_t n = 0;
		double share;

		for (unsigned i = at; i < at + BUCKETS_OCTAVE; i++)
			n += h->count[i];
		if (!n)
			continue;
		share = (double)n / (double)h->n;
		format_note(m, "# %9s - %9s %9llu %5.1f%% %.*s", time_text((double)histogram_from(at)),
			    time_text((double)histogram_from(at + BUCKETS_OCTAVE)), (unsigned long long)n, 100 * share,
			    (int)ceil(share * 36), bar);
	}
}

void format_latency(struct mem *m, const struct function *f, const struct histogram *h, int64_t faults)
{
	double p50 = histogram_percentile(h, 0.5), p99 = histogram_percentile(h, 0.99);
	struct record r;

	record_begin(&r, "latency");
	record_run(&r, m, f);
	record_whole(&r, "touches", (int64_t)h->n);
	record_whole(&r, "faults", faults);
	record_real(&r, "p50_ns", p50);
	record_real(&r, "p99_ns", p99);
	record_whole(&r, "max_ns", (int64_t)h->most);
	output_record(&m->out, &r);
	record_end(&r);
	record_buckets(m, f, h);
	if (!m->latency)
		return;
	format_note(m, "# a first touch: p50 %s, p99 %s, max %s", time_text(p50), time_text(p99),
		    time_text((double)h->most));
	format_note(m, "# in a loop of its own: %llu touches, %lld faults", (unsigned long long)h->n, (long long)faults);
	say_buckets(m, h);
}

void format_left_out(struct mem *m, const struct function *f, const char *why)
{
	struct record r;

	record_begin(&r, "skipped");
	record_text(&r, "bench", m->bench);
	record_text(&r, "function", f->name);
	record_text(&r, "reason", why);
	output_record(&m->out, &r);
	record_end(&r);
	format_note(m, "# '%s' is left out: %s", f->name, why);
}
