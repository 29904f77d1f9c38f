// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * map_thread.c - the threads of one repetition of mmap: each has a CPU, a mapping, a clock and, with --cycles, a counter of
 * its own.
 *
 * Fault times are taken in a loop of their own, so that reading the clock for each fault is not in the throughput.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "map.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

unsigned cpus_allowed(cpu_set_t *set)
{
	if (sched_getaffinity(0, sizeof(*set), set))
		die(EXIT_FAILED, "the CPUs that may be used are not known: %s", strerror(errno));
	return (unsigned)CPU_COUNT(set);
}

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

void map_threads(const struct mem *m, const struct function *f, struct worker *workers, bool timed)
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
