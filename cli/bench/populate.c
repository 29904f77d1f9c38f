/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * populate.c - `bench populate`: memory from the kernel, all its pages at once, as a virtual machine or a heap wants it before it starts.
 *
 * A sample maps the memory, has its pages made, and gives all of it back. So the kernel clears each page; what a virtual machine's host
 * does when its pages are touched for the first time is in no sample but, as far as we can see to it, in the warm-up before.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "mem/mem.h"
#include "ways.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { POPULATE, MADVISE, MMAP, TOUCH };

struct options {
	struct ways_options ways;
	bool memfd;
};

enum { OPT_MEMFD = OPT_LONG };

static const struct argp_option argp_options[] = {
	{ "memfd", OPT_MEMFD, NULL, 0, "Shared memory of a memfd (default: private, anonymous)", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	(void)arg;
	if (key == ARGP_KEY_INIT)
		state->child_inputs[0] = &o->ways;
	else if (key == OPT_MEMFD)
		o->memfd = true;
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

/* What is populated: so many bytes, on such pages. */
struct wanted {
	const struct options *o;
	struct page_size page;
	size_t size;
	struct random random;
};

static struct page_size page_of(const struct common *c)
{
	switch (c->page) {
	case PAGE_4K:
		return (struct page_size){ .size = (size_t)sysconf(_SC_PAGESIZE), .kind = PAGES_BASE };
	case PAGE_THP:
		return (struct page_size){ .size = page_transparent_default(), .kind = PAGES_TRANSPARENT };
	default:
		return page_parse("--page", page_kind_name(c->page));
	}
}

static _Noreturn void cant(const struct way *way, const struct wanted *w, const char *what, const char *why)
{
	die(EXIT_FAILED, "%s: can't %s %s on pages of %s: %s", way->name, what, format_size(w->size), page_name(w->page.size), why);
}

static int backing(const struct way *way, const struct wanted *w)
{
	int fd = -1;

	if (!w->o->memfd)
		return fd;
	fd = memfd_create("clearpages", region_memfd_flags(&w->page));
	if (fd < 0 || ftruncate(fd, (off_t)region_length(w->size, &w->page)))
		cant(way, w, "make a memfd of", strerror(errno));
	return fd;
}

static void touch(const struct wanted *w, unsigned char *at)
{
	/* A transparent huge page may be lacking, and then comes as base pages. */
	size_t step = w->page.kind == PAGES_HUGETLB ? w->page.size : (size_t)sysconf(_SC_PAGESIZE);

	for (size_t done = 0; done < w->size; done += step)
		*(volatile unsigned char *)(at + done) = 0;
}

static void populate(const struct way *way, const struct wanted *w, unsigned char *at)
{
	struct clp_parallel_options threads = { .sz = sizeof(threads), .threads = way->threads };
	size_t done = w->size;
	int err = 0;

	switch (way->kind) {
	case POPULATE:
		err = -clp_populate_parallel(at, w->size, &threads, &done);
		break;
	case MADVISE:
		err = madvise(at, w->size, MADV_POPULATE_WRITE) ? errno : 0;
		break;
	case TOUCH:
		touch(w, at);
		break;
	default:
		break;
	}
	if (err == EINVAL || err == EOPNOTSUPP)
		cant(way, w, "populate", "this kernel does not know MADV_POPULATE_WRITE (Linux 5.14)");
	if (err)
		cant(way, w, "populate", strerror(err));
}

static struct cost sample(void *arg, const struct way *way)
{
	struct wanted *w = arg;
	struct stopwatch watch;
	struct region r = { 0 };
	struct cost cost;
	int fd, err;

	stopwatch_start(&watch);
	fd = backing(way, w);
	err = region_map(&r, w->size, &w->page, way->kind == MMAP ? MAP_POPULATE : 0, fd);
	if (err)
		cant(way, w, "map", strerror(err));
	populate(way, w, r.at);
	cost = stopwatch_stop(&watch);
	if (region_resident(&r, w->size) < w->size)
		cant(way, w, "populate", "some pages are not there after all");
	region_unmap(&r);
	if (fd >= 0)
		close(fd);
	return cost;
}

static void describe(void *arg, struct record *r)
{
	const struct wanted *w = arg;

	record_text(r, "page", page_name(w->page.size));
	record_text(r, "pages", page_kind_text(&w->page));
	record_text(r, "backing", w->o->memfd ? "memfd" : "anonymous");
}

/* The first time, with a host that may have to back the pages first; then a call that finds out how many threads pay. */
static void warm_up(struct wanted *w, struct output *out)
{
	const struct way touched = { .name = "touch", .kind = TOUCH }, found = { .name = "parallel", .kind = POPULATE };
	double ns = sample(w, &touched).ns;
	struct record r;

	sample(w, &found);
	record_begin(&r, "warmup");
	record_text(&r, "bench", "populate");
	record_whole(&r, "size", (int64_t)w->size);
	describe(w, &r);
	record_real(&r, "value", ns);
	record_text(&r, "unit", "ns");
	output_record(out, &r);
	record_end(&r);
	output_say(out, "%s on %s pages (%s), %s", format_size(w->size), page_name(w->page.size), page_kind_text(&w->page),
		   w->o->memfd ? "a memfd" : "private");
	output_say(out, "Warm-up, a host's first touch perhaps in it: %.1f ms", ns * 1e-6);
}

static const struct column columns[] = {
	{ "variant", "way", -11, 0, false }, { "us", "us", 10, 0, false },	 { "us_min", "min", 9, 0, false },
	{ "us_max", "max", 9, 0, false },    { "gbps", "GB/s", 6, 2, false },	 { "vs_touch", "x touch", 7, 2, false },
	{ "cpu_us", "CPU us", 9, 0, false }, { "faults", "faults", 9, 0, false }, { 0 },
};

/* Why mmap() can't populate with such pages; NULL if it can. The advice that asks for transparent ones would come after the pages. */
static const char *mmap_missing(const struct wanted *w)
{
	char path[160];

	if (w->page.kind != PAGES_TRANSPARENT)
		return NULL;
	return page_transparent_allowed(w->page.size, w->o->memfd, path, sizeof(path)) == ALLOWED_ALWAYS ?
		       NULL :
		       "mmap() can't be told to populate with transparent huge pages";
}

static void run_size(struct wanted *w, struct output *out)
{
	const struct ways_options *o = &w->o->ways;
	const char *missing = mmap_missing(w);
	struct ways ways = { .bench = "populate",
			     .base = "touch",
			     .versus = "vs_touch",
			     .size = w->size,
			     .samples = o->common.samples ? o->common.samples : 7,
			     .random = &w->random,
			     .arg = w,
			     .sample = sample,
			     .describe = describe };

	ways_add(&ways, "touch", TOUCH, NULL);
	ways_add(&ways, "mmap", MMAP, missing);
	ways_add(&ways, "madvise", MADVISE, NULL);
	ways_add(&ways, "parallel", POPULATE, NULL);
	ways_add_threads(&ways, "parallel", POPULATE, o->threads, o->n_threads);
	warm_up(w, out);
	output_columns(out, columns);
	if (!interrupted)
		ways_run(&ways, out);
	if (missing)
		output_say(out, "mmap: left out: %s", missing);
}

/* Of all sizes, before anything is measured. */
static void check(const struct wanted *w, const uint64_t *sizes, size_t n, size_t largest)
{
	char path[160];

	if (w->page.kind == PAGES_TRANSPARENT && !w->page.size)
		die(EXIT_FAILED, "--page: 'thp': this kernel has no transparent huge pages; use 4KB");
	for (size_t i = 0; i < n; i++)
		if (sizes[i] % w->page.size)
			die(EXIT_USAGE, "--size: '%s' is not a multiple of its page, %s", format_size(sizes[i]), page_name(w->page.size));
	if (w->page.kind == PAGES_TRANSPARENT &&
	    page_transparent_allowed(w->page.size, w->o->memfd, path, sizeof(path)) == ALLOWED_NO)
		die(EXIT_FAILED, "--page: 'thp': transparent huge pages are switched off; switch them on: echo %s >%s",
		    w->o->memfd ? "advise" : "madvise", path);
	memory_check(largest, w->o->ways.common.page, "--size");
}

int bench_populate(int argc, char **argv)
{
	static const struct argp_child children[] = { { &ways_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		argp_options,
		parse,
		NULL,
		"Measure getting memory from the kernel with all its pages, as before a virtual machine starts: clp_populate_parallel with as "
		"many threads as pay and with as many as are said, madvise(), mmap(), and a touch of each page. --variant and --pin do not "
		"apply.",
		children,
		NULL,
		NULL,
	};
	struct options o = { .memfd = false };
	struct common *c = &o.ways.common;
	struct wanted w = { .o = &o };
	size_t n_sizes, largest;
	struct output out;
	uint64_t *sizes;

	common_init(c);
	parse_options(&argp, argc, argv, &o);
	sizes = page_sizes(c, "1GB", &n_sizes, &largest);
	ways_check(&o.ways);
	w.page = page_of(c);
	w.random.state = c->seed;
	check(&w, sizes, n_sizes, largest);
	/* Base pages are to stay what they are, also where the system makes them huge unasked. */
	if (w.page.kind == PAGES_BASE)
		prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	ways_start(c, &out, "populate", argc, argv);
	for (size_t s = 0; s < n_sizes && !interrupted; s++) {
		w.size = sizes[s];
		run_size(&w, &out);
	}
	free(sizes);
	return common_end(&out, "populate");
}
