/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kinds.c - records of the benchmarks that have situations of their own: short clears, perf's workloads, other tools,
 * faults.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../cli.h"
#include "../results.h"
#include "report.h"

/* A chart that needs no more than names. */
static struct chart *named_chart(struct report *r, enum section section, const char *key, const char *title,
				 const char *detail, const char *unit)
{
	struct chart *c = chart_get(r, section, key);

	if (c && !c->title) {
		c->title = copy_text(title);
		c->detail = copy_text(detail);
		c->unit = copy_text(unit);
		c->family = copy_text(key);
		c->state = copy_text("");
	}
	return c;
}

enum taken take_small(struct report *r, json_t *record)
{
	static const struct {
		const char *name, *min, *median, *max;
	} curves[] = {
		{ "libc", "libc_min", "libc_ns", "libc_max" },
		{ "clp_clear", "clear_min", "clear_ns", "clear_max" },
	};
	double size = result_real(record, "size", 0);
	struct chart *c;

	if (result_truth(record, "interrupted"))
		return take_summary(r, record);
	if (!(size >= 1))
		return UNUSABLE;
	c = named_chart(r, SECTION_SMALL, "small", "Short clears of memory in cache",
			"small benchmark, nanoseconds a call, the loop's own time taken off", "ns");
	if (!c)
		return SURPLUS;
	for (size_t i = 0; i < sizeof(curves) / sizeof(curves[0]); i++) {
		double ns = result_real(record, curves[i].median, NAN);
		struct point *p;

		if (isnan(ns))
			return UNUSABLE;
		p = chart_point(c, curves[i].name, size);
		if (!p)
			return SURPLUS;
		point_give(p, result_real(record, curves[i].min, ns), ns, result_real(record, curves[i].max, ns), 1);
	}
	return TAKEN;
}

/* What a summary says of one place in a chart. */
struct place {
	double x, low, mid, high;
};

/* Into the chart of that title and detail, both to be freed. size: of a chart against shares; else 0. */
static enum taken give_place(struct report *r, enum section section, char *title, char *detail, const char *unit, double size,
			     const char *series, const struct place *at)
{
	char *key = text_of("%s|%s", title, detail);
	struct chart *c = named_chart(r, section, key, title, detail, unit);
	struct point *p = NULL;

	free(title);
	free(detail);
	free(key);
	if (c) {
		c->size = size;
		p = chart_point(c, series, at->x);
	}
	if (!p)
		return SURPLUS;
	point_give(p, at->low, at->mid, at->high, 1);
	return TAKEN;
}

enum taken take_around(struct report *r, json_t *record)
{
	const char *way = result_text(record, "variant", NULL);
	double size = result_real(record, "size", 0), us = result_real(record, "all_us", 0);
	struct place at = { size, result_real(record, "all_min", us), us, result_real(record, "all_max", us) };
	json_int_t used = 2 * result_whole(record, "radius", 0) + 1;

	if (result_truth(record, "interrupted"))
		return take_summary(r, record);
	if (!way || !(size >= 1) || !(us > 0))
		return UNUSABLE;
	return give_place(r, SECTION_AROUND, text_of("Clear, then use %s pages around one", show_count((double)used)),
			  copy_text(result_text(record, "state", "")), "µs", 0, way, &at);
}

/* A chart a size: means of rounds against the share of the pages that they write. */
enum taken take_recycle(struct report *r, json_t *record)
{
	const char *way = result_text(record, "variant", NULL), *page = result_text(record, "page", "");
	double size = result_real(record, "size", 0), ms = result_real(record, "mean_ms", 0);
	double share = read_share(result_text(record, "share", ""));
	struct place at = { share, result_real(record, "min_ms", ms), ms, result_real(record, "max_ms", ms) };

	if (result_truth(record, "interrupted"))
		return take_summary(r, record);
	if (!way || !(size >= 1) || !(ms > 0) || isnan(share))
		return UNUSABLE;
	return give_place(r, SECTION_RECYCLE, text_of("Recycling %s, a round", show_size(size)),
			  text_of("pages of %s, %s of them read besides", *page ? page : "unknown size", result_text(record, "read", "none")),
			  "ms", size, way, &at);
}

/* bench parallel and populate: the ways, against the size. */
enum taken take_ways(struct report *r, json_t *record)
{
	const char *way = result_text(record, "variant", NULL), *page = result_text(record, "page", "");
	double size = result_real(record, "size", 0), gbps = result_real(record, "gbps", 0);
	struct place at = { size, result_real(record, "gbps_min", gbps), gbps, result_real(record, "gbps_max", gbps) };
	char *title, *detail;

	if (result_truth(record, "interrupted"))
		return take_summary(r, record);
	if (!way || !(size >= 1) || !(gbps > 0))
		return UNUSABLE;
	if (!strcmp(result_text(record, "bench", ""), "populate")) {
		title = text_of("Populating pages of %s", *page ? page : "unknown size");
		detail = text_of("%s, %s", result_text(record, "pages", "unknown"), result_text(record, "backing", "unknown"));
	} else {
		title = copy_text("Clearing");
		detail = copy_text("not in cache");
	}
	return give_place(r, SECTION_PARALLEL, title, detail, "GB/s", 0, way, &at);
}

/* What is said beside the title: only what is not usual. */
static char *mem_detail(const json_t *record, bool map, json_int_t chunk, json_int_t threads)
{
	const char *page = result_text(record, "page", ""), *pages = result_text(record, "pages", "");
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		die(EXIT_FAILED, "out of memory");
	fputs("perf's workload", f);
	if (!map)
		fprintf(f, ", %s pages%s", *page ? page : "unknown", !strcmp(pages, "transparent") ? " (transparent)" : "");
	if (chunk)
		fprintf(f, ", chunks of %s", show_size((double)chunk));
	if (threads > 1)
		fprintf(f, ", %s threads", show_count((double)threads));
	if (result_whole(record, "offset", 0))
		fprintf(f, ", %s bytes into the page", show_count((double)result_whole(record, "offset", 0)));
	if (result_whole(record, "randomize", 0))
		fputs(", random places in the pages", f);
	fclose(f);
	return text;
}

/* bench mem: bytes a second become GB/s. Page faults are drawn against the page size, fills against the size. */
enum taken take_mem(struct report *r, json_t *record)
{
	const char *bench = result_text(record, "bench", ""), *unit = result_text(record, "unit", "");
	const char *function = result_text(record, "function", NULL), *page = result_text(record, "page", "");
	bool rate = !strcmp(unit, "bytes/sec"), map = !strcmp(bench, "mem/mmap");
	double value = result_real(record, "value", 0), size = result_real(record, "size", 0);
	json_int_t threads = result_whole(record, "threads", 1), chunk = result_whole(record, "chunk", 0);
	uint64_t page_size;
	struct chart *c;
	struct point *p;
	char *title, *detail, *key;

	if (!function || !(value > 0) || !(size >= 1))
		return UNUSABLE;
	if (map && read_size(page, &page_size))
		map = false;
	if ((double)chunk >= size)
		chunk = 0;
	title = map ? text_of("%s of %s", bench, show_size(size)) : text_of("%s", bench);
	detail = mem_detail(record, map, chunk, threads);
	key = text_of("%s|%s|%s|%s", title, detail, unit, map ? "page" : "size");
	c = named_chart(r, SECTION_MEM, key, title, detail, rate ? "GB/s" : unit);
	free(title);
	free(detail);
	free(key);
	p = c ? chart_point(c, function, map ? (double)page_size : size) : NULL;
	if (!p)
		return SURPLUS;
	point_add(p, rate ? value / 1e9 : value);
	return TAKEN;
}

enum taken take_peer(struct report *r, json_t *record)
{
	const char *peer = result_text(record, "peer", NULL);
	double gbps = result_real(record, "gbps", 0);
	struct chart *c;
	struct point *p;

	if (!peer || !(gbps > 0))
		return UNUSABLE;
	c = named_chart(r, SECTION_PEERS, "peers", "Other tools beside ours", "bench/peers/run, 1 GiB that is not in cache",
			"GB/s");
	p = c ? chart_point(c, peer, 1 << 30) : NULL;
	if (!p)
		return SURPLUS;
	point_add(p, gbps);
	return TAKEN;
}

enum taken take_bucket(struct report *r, json_t *record)
{
	const char *page = result_text(record, "page", ""), *function = result_text(record, "function", NULL);
	double from = result_real(record, "from_ns", -1), to = result_real(record, "to_ns", -1);
	double count = result_real(record, "count", -1);
	char *title, *key;
	struct chart *c;
	struct point *p;

	if (!function || from < 0 || !(to > from) || count < 0)
		return UNUSABLE;
	title = text_of("Time of a fault, %s pages", *page ? page : "unknown");
	key = text_of("%s|%s", result_text(record, "bench", ""), page);
	c = named_chart(r, SECTION_FAULTS, key, title, "faults by their latency", "faults");
	free(title);
	free(key);
	p = c ? chart_point(c, function, from) : NULL;
	if (!p)
		return SURPLUS;
	p->to = to;
	/* Several runs: the faults of all. */
	if (p->n)
		p->samples[0] += count;
	else
		point_add(p, count);
	return TAKEN;
}
