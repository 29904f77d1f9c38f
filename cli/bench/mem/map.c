// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * map.c - mmap: what it takes to get memory from the kernel, which clears it: mmap() and one read-modify-write a page,
 * munmap() left out.
 *
 * This file has the ways to get memory, what goes with which page, and the figures; map_thread.c does the work.
 */
#define _GNU_SOURCE
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "map.h"

static const struct mapping mappings[] = {
	{ .name = "demand", .description = "a fault a page, as it is touched", .faults = true },
	{ .name = "populate", .description = "all pages by mmap(), MAP_POPULATE", .flags = MAP_POPULATE },
	{ .name = "madvise-populate", .description = "all pages by madvise(), MADV_POPULATE_WRITE", .populate = true },
	{ .name = "memfd", .description = "a fault a page of a memfd", .shared = true, .faults = true },
	{ .name = "thp", .description = "a fault a transparent huge page", .transparent = true, .faults = true },
};
#define MAPPINGS (sizeof(mappings) / sizeof(mappings[0]))

size_t mmap_functions(struct function *f)
{
	for (size_t i = 0; i < MAPPINGS; i++)
		f[i] = (struct function){ .name = mappings[i].name,
					  .description = mappings[i].description,
					  .mapping = &mappings[i] };
	return MAPPINGS;
}

/* The page that a function works on: for thp, where -p says nothing of use, the one that a page table's entry spans. */
static struct page_size page_of(const struct mem *m, const struct mapping *how)
{
	struct page_size page = m->page;

	if (!how->transparent || page.kind == PAGES_TRANSPARENT)
		return page;
	page.kind = PAGES_TRANSPARENT;
	if (m->page.kind == PAGES_BASE)
		page.size = page_transparent_default();
	return page;
}

/* Why the function does not go with the page; NULL if it does. */
static const char *unfit(const struct mem *m, const struct mapping *how)
{
	static char why[256];
	struct page_size page = page_of(m, how);
	char path[160];

	if (how->transparent && !page_transparent_exists(page.size))
		snprintf(why, sizeof(why), "there are no transparent huge pages%s%s here", page.size ? " of " : "",
			 page.size ? page_name(page.size) : "");
	else if (m->size < page.size || m->size % page.size)
		snprintf(why, sizeof(why), "--size %s is not a multiple of its page, %s", m->size_text,
			 page_name(page.size));
	else if (how->flags & MAP_POPULATE && page.kind == PAGES_TRANSPARENT &&
		 page_transparent_allowed(page.size, false, path, sizeof(path)) != ALLOWED_ALWAYS)
		/* The advice would come after the pages. */
		snprintf(why, sizeof(why),
			 "mmap() can't be told to populate with pages of %s unless %s says always; use madvise-populate",
			 page_name(page.size), path);
	else
		return NULL;
	return why;
}

/* Asked for by its name, a function that can't run is an error; of all, it is left out. */
static void check_function(const struct mem *m, struct function *f, unsigned *fit)
{
	struct page_size page = page_of(m, f->mapping);
	const char *why = unfit(m, f->mapping);
	char path[160];

	if (why && !m->all)
		die(EXIT_USAGE, "--function: '%s': %s", f->name, why);
	/* Nor does it change the system then, unless that is what the page asks for. */
	if (!why && m->all && page.kind == PAGES_TRANSPARENT && m->page.kind != PAGES_TRANSPARENT &&
	    page_transparent_allowed(page.size, f->mapping->shared, path, sizeof(path)) == ALLOWED_NO)
		why = "transparent huge pages are switched off";
	f->missing = why ? copy_text(why) : NULL;
	if (why)
		return;
	++*fit;
	pages_need(&page, m->size, m->threads, f->mapping->shared, m->reserve);
}

void map_check(struct mem *m)
{
	cpu_set_t set;
	unsigned cpus = cpus_allowed(&set), fit = 0;

	if (m->threads > cpus)
		die(EXIT_FAILED, "--threads: %u threads need as many CPUs, there are %u", m->threads, cpus);
	if (m->threads > 1 && m->pin >= 0)
		die(EXIT_USAGE, "--pin: one CPU is not enough for %u threads", m->threads);
	for (size_t i = 0; i < m->n_functions; i++)
		check_function(m, &m->functions[i], &fit);
	if (!fit)
		die(EXIT_USAGE, "%s", m->functions[0].missing);
}

static struct result add_up(const struct mem *m, const struct worker *workers)
{
	struct result r = { .bytes = (uint64_t)m->size * m->loops * m->threads };
	double n = m->threads, squares = 0;

	for (unsigned i = 0; i < m->threads; i++) {
		r.lap.seconds += workers[i].lap.seconds / n;
		r.lap.cycles += workers[i].lap.cycles / n;
		r.faults += workers[i].faults;
		r.given += workers[i].given;
	}
	for (unsigned i = 0; i < m->threads; i++)
		squares += pow(workers[i].lap.seconds - r.lap.seconds, 2);
	if (m->threads > 1)
		r.error = sqrt(squares / (n - 1) / n) / r.lap.seconds;
	return r;
}

/* Pages that came in another size than asked for are said, for they make the figure. */
static void tell_pages(struct mem *m, const struct function *f, const struct result *r)
{
	int64_t pages = (int64_t)(r->bytes / m->used.size);
	uint64_t asked = (uint64_t)m->size * m->threads;

	if (f->mapping->faults && r->faults < pages - pages / 8)
		format_note(m, "# %lld faults for %lld pages of %s: the kernel gave larger ones", (long long)r->faults,
			    (long long)pages, page_name(m->used.size));
	/* In the simple format, too: this figure is not one. */
	if (r->given < asked - asked / 8 && m->format != FORMAT_JSON)
		output_say(&m->out, "# too high a figure: with pages smaller than %s the touches got %.1f%% of the memory",
			   page_name(m->used.size), 100 * (double)r->given / (double)asked);
}

static void run_latency(struct mem *m, const struct function *f, struct worker *workers)
{
	struct histogram all = { 0 };
	int64_t faults = 0;

	map_threads(m, f, workers, true);
	for (unsigned i = 0; i < m->threads; i++) {
		histogram_merge(&all, workers[i].histogram);
		faults += workers[i].faults;
		free(workers[i].histogram);
	}
	if (!interrupted)
		format_latency(m, f, &all, faults);
}

/* A virtual machine's host backs memory at its first touch; pages just reserved are touched before they are timed. */
static void touch_reserved(const struct mem *m, const struct function *f, struct worker *workers)
{
	map_threads(m, f, workers, true);
	for (unsigned i = 0; i < m->threads; i++)
		free(workers[i].histogram);
}

void map_run(struct mem *m, const struct function *f)
{
	struct worker *workers = calloc(m->threads, sizeof(*workers));
	struct result result = { 0 };

	if (!workers)
		die(EXIT_FAILED, "out of memory");
	m->used = page_of(m, f->mapping);
	format_function(m, f);
	if (m->reserve)
		touch_reserved(m, f, workers);
	for (unsigned repeat = 0; repeat < m->repeat && !interrupted; repeat++) {
		map_threads(m, f, workers, false);
		if (interrupted)
			break;
		result = add_up(m, workers);
		format_sample(m, f, &result);
		progress(repeat + 1, m->repeat, f->name);
	}
	format_figure(m, f);
	if (!interrupted)
		tell_pages(m, f, &result);
	if (f->mapping->faults && (m->latency || m->out.json) && !interrupted)
		run_latency(m, f, workers);
	free(workers);
}
