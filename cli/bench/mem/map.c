// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * map.c - mmap: what it takes to get memory from the kernel, which clears it: mmap() and one read-modify-write a page,
 * munmap() left out.
 *
 * Each thread has a CPU, a mapping, a clock and, with --cycles, a counter of its own. Fault times are taken in a loop of
 * their own, so that reading the clock for each fault is not in the throughput.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "mem.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* A way to get memory. */
struct mapping {
	const char *name, *description;
	int flags;	  /* more of mmap's */
	bool populate;	  /* by madvise(), once mapped */
	bool shared;	  /* a memfd's */
	bool transparent; /* on transparent huge pages, also where there are others of that size */
	bool faults;	  /* page by page, as they are touched: their times are of interest */
};

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

static unsigned cpus_allowed(cpu_set_t *set)
{
	if (sched_getaffinity(0, sizeof(*set), set))
		die(EXIT_FAILED, "the CPUs that may be used are not known: %s", strerror(errno));
	return (unsigned)CPU_COUNT(set);
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
	f->missing = why ? strdup(why) : NULL;
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

/* A thread of one repetition. */
struct worker {
	pthread_t thread;
	const struct mem *m;
	const struct mapping *how;
	struct page_size page;
	int cpu; /* -1: any */
	pthread_barrier_t *go;
	struct histogram *histogram; /* NULL: none is wanted */
	struct random random;
	bool tells; /* how far it is: one of them */
	unsigned loop;
	struct lap lap;
	int64_t faults;
	size_t given; /* bytes, after the last loop */
	int error;
};

/* On x86 one instruction, which faults once, as for a write; a load first would fault for the zero page, too. */
static inline void modify(unsigned char *at, size_t i)
{
#if defined(__x86_64__)
	__asm__ volatile("addb %b1, %0" : "+m"(*at) : "q"(i) : "cc");
#else
	*(volatile unsigned char *)at = (unsigned char)(*(volatile unsigned char *)at + i);
#endif
}

static inline size_t offset_in_page(struct worker *w)
{
	return w->m->random_seed ? random_next(&w->random) % w->page.size : 0;
}

/* In blocks, so that an interruption need not wait for all of it. */
#define BLOCK ((size_t)64 << 20)

static void touch(struct worker *w, unsigned char *at, size_t size)
{
	size_t i = 0;

	for (size_t done = 0; done < size && !interrupted;) {
		size_t end = size - done > BLOCK ? done + BLOCK : size;

		for (; done < end; done += w->page.size)
			modify(at + done + offset_in_page(w), i++);
		if (w->tells)
			progress((double)w->loop + (double)done / (double)size, w->m->loops, w->how->name);
	}
}

static void touch_timed(struct worker *w, unsigned char *at, size_t size)
{
	double ghz = clock_ghz();
	size_t i = 0;

	for (size_t done = 0; done < size && !interrupted; done += w->page.size) {
		size_t offset = offset_in_page(w);
		uint64_t start = clock_start(), ticks;

		modify(at + done + offset, i++);
		ticks = clock_stop() - start;
		ticks = ticks > clock_overhead() ? ticks - clock_overhead() : 0;
		histogram_add(w->histogram, (uint64_t)((double)ticks / ghz));
	}
}

static int64_t faults_of_thread(void)
{
	struct rusage usage;

	/* With hugetlb, too, each fault counts as a minor one. */
	return getrusage(RUSAGE_THREAD, &usage) ? 0 : usage.ru_minflt + usage.ru_majflt;
}

/* The file is made outside the timed part: it is the memory that is measured. */
static int make_file(const struct worker *w)
{
	int fd = memfd_create("clearpages", region_memfd_flags(&w->page));

	if (fd >= 0 && ftruncate(fd, (off_t)region_length(w->m->size, &w->page))) {
		int err = errno;

		close(fd);
		errno = err;
		return -1;
	}
	return fd;
}

/* One loop; an errno, or 0. */
static int loop(struct worker *w, struct meter *meter)
{
	struct region r = { 0 };
	struct lap lap = { 0 };
	int64_t faults;
	int fd = -1, err;

	if (w->how->shared && (fd = make_file(w)) < 0)
		return errno;
	faults = faults_of_thread();
	meter_start(meter);
	err = region_map(&r, w->m->size, &w->page, w->how->flags, fd);
	if (!err && w->how->populate && madvise(r.at, w->m->size, MADV_POPULATE_WRITE))
		err = errno;
	if (!err && w->histogram)
		touch_timed(w, r.at, w->m->size);
	else if (!err)
		touch(w, r.at, w->m->size);
	meter_stop(meter, &lap);
	w->faults += faults_of_thread() - faults;
	w->lap.seconds += lap.seconds;
	w->lap.cycles += lap.cycles;
	/* One touch a page gets less memory where the kernel gives smaller pages. Base pages and hugetlb come as they are.
	 */
	w->given = w->m->size;
	if (!err && w->page.kind == PAGES_TRANSPARENT && w->loop + 1 == w->m->loops)
		w->given = region_resident(&r, w->m->size);
	region_unmap(&r);
	if (fd >= 0)
		close(fd);
	return err;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct meter meter;

	if (w->cpu >= 0)
		pin_to(w->cpu);
	meter_open(&meter, w->m->cycles);
	pthread_barrier_wait(w->go);
	for (; w->loop < (w->histogram ? 1 : w->m->loops) && !w->error && !interrupted; w->loop++)
		w->error = loop(w, &meter);
	meter_close(&meter);
	return NULL;
}

/* The n-th CPU of those that may be used. */
static int nth_cpu(const cpu_set_t *set, unsigned n)
{
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, set) && n-- == 0)
			return cpu;
	return -1;
}

static _Noreturn void failed(const struct mem *m, const struct worker *w)
{
	if (w->how->populate && w->error == EINVAL)
		die(EXIT_FAILED, "madvise-populate: this kernel does not know MADV_POPULATE_WRITE (Linux 5.14)");
	die(EXIT_FAILED, "%s: can't get %s on pages of %s: %s", w->how->name, m->size_text, page_name(w->page.size),
	    strerror(w->error));
}

/* All threads, once. Dies where one of them got no memory. */
static void run_threads(const struct mem *m, const struct function *f, struct worker *workers, bool timed)
{
	pthread_barrier_t go;
	cpu_set_t set;
	int err = 0;

	cpus_allowed(&set);
	pthread_barrier_init(&go, NULL, m->threads);
	for (unsigned i = 0; i < m->threads && !err; i++) {
		struct worker *w = &workers[i];

		*w = (struct worker){ .m = m, .how = f->mapping, .page = m->used, .go = &go };
		/* A single thread stays where the command is pinned to. */
		w->cpu = m->threads > 1 ? nth_cpu(&set, i) : -1;
		w->tells = i == 0;
		w->random.state = m->random_seed + i;
		if (timed && !(w->histogram = calloc(1, sizeof(*w->histogram))))
			die(EXIT_FAILED, "out of memory");
		err = pthread_create(&w->thread, NULL, work, w);
	}
	if (err)
		die(EXIT_FAILED, "--threads: can't start %u threads: %s", m->threads, strerror(err));
	for (unsigned i = 0; i < m->threads; i++)
		pthread_join(workers[i].thread, NULL);
	pthread_barrier_destroy(&go);
	for (unsigned i = 0; i < m->threads; i++)
		if (workers[i].error)
			failed(m, &workers[i]);
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

	run_threads(m, f, workers, true);
	for (unsigned i = 0; i < m->threads; i++) {
		histogram_merge(&all, workers[i].histogram);
		faults += workers[i].faults;
		free(workers[i].histogram);
	}
	if (!interrupted)
		format_latency(m, f, &all, faults);
}

void map_run(struct mem *m, const struct function *f)
{
	struct worker *workers = calloc(m->threads, sizeof(*workers));
	struct result result = { 0 };

	if (!workers)
		die(EXIT_FAILED, "out of memory");
	m->used = page_of(m, f->mapping);
	format_function(m, f);
	for (unsigned repeat = 0; repeat < m->repeat && !interrupted; repeat++) {
		run_threads(m, f, workers, false);
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
