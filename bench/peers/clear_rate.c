/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clear_rate.c - one figure for one method: GB/s of clearing a large buffer that is prefaulted, non-zero and not in cache.
 *
 * The row that stands for us, for libc and for libpmem in bench/peers/run. The buffer is refilled with non-zero bytes before
 * each timed sweep, the sweep ends in a full fence, and what the last one left is checked.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "clearpages.h"

#define HUGE_PAGE ((size_t)2 << 20)
#define FILL 0xa5

/* libpmem.h's values, so that its header is not needed to build. */
#define PMEM_NOFLUSH     0x20u
#define PMEM_NONTEMPORAL 0x02u
#define PMEM_TEMPORAL    0x04u

typedef void *pmem_memset_fn(void *addr, int byte, size_t len, unsigned flags);

static const char *method = "auto";
static size_t size = (size_t)1 << 30, block;
static double seconds = 0.5;
static unsigned threads = 1;
static bool huge = true;
static int byte; /* to store: other than 0 for libc and libpmem alone */

/* What the method came to. */
static enum { WITH_LIBC, WITH_POLICY, WITH_ROUTINE, WITH_PMEM } way;
static unsigned flags, routine;
static pmem_memset_fn *pmem_memset;

static pthread_barrier_t barrier;
static unsigned sweeps;

struct worker {
	pthread_t id;
	unsigned number;
	unsigned char *buffer;
	double elapsed; /* summed over the sweeps */
	bool wrong;     /* a byte was not what it should be at the end */
};

static _Noreturn __attribute__((format(printf, 2, 3))) void die(int status, const char *format, ...)
{
	va_list args;

	fputs("clear_rate: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(status);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void clear_block(unsigned char *at, size_t len)
{
	switch (way) {
	case WITH_LIBC:
		memset(at, byte, len);
		/* The compiler must not see that the bytes are not read. */
		__asm__ volatile("" : : "r"(at) : "memory");
		break;
	case WITH_POLICY:
		clp_clear(at, len, flags);
		break;
	case WITH_ROUTINE:
		clp_clear_with(routine, at, len, 0);
		break;
	case WITH_PMEM:
		pmem_memset(at, byte, len, flags);
		break;
	}
}

/* Full: a locked instruction or MFENCE on x86, which also waits for weakly ordered stores. */
static void fence(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void pin(unsigned number)
{
	cpu_set_t allowed, one;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	number %= (unsigned)CPU_COUNT(&allowed);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed) || number-- > 0)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
		return;
	}
}

static bool all_stored(const unsigned char *at, size_t len)
{
	return at[0] == byte && !memcmp(at, at + 1, len - 1);
}

static void *work(void *arg)
{
	struct worker *w = arg;

	if (threads > 1)
		pin(w->number);
	/* One sweep more than is counted: the first warms up. */
	for (unsigned sweep = 0; sweep <= sweeps; sweep++) {
		double start;

		memset(w->buffer, FILL, size);
		fence();
		pthread_barrier_wait(&barrier);
		start = now();
		for (size_t at = 0; at < size; at += block)
			clear_block(w->buffer + at, size - at < block ? size - at : block);
		fence();
		/* A round ends for all threads when the slowest has ended. */
		pthread_barrier_wait(&barrier);
		if (sweep)
			w->elapsed += now() - start;
	}
	w->wrong = !all_stored(w->buffer, size);
	return NULL;
}

static unsigned char *buffer_get(void)
{
	int mapping = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	unsigned char *p = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, mapping, -1, 0);

	if (p == MAP_FAILED)
		die(1, "no address space for %zu bytes: %s", size, strerror(errno));
	p += -(uintptr_t)p & (HUGE_PAGE - 1);
	/* EINVAL: a kernel without transparent huge pages. Then 4 KiB is what there is, and the last line says so. */
	madvise(p, size, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	memset(p, FILL, size);
	return p;
}

/* A value in KiB from a file of "Name:  N kB" lines. */
static unsigned long long kib_of(const char *path, const char *name)
{
	FILE *f = fopen(path, "re");
	unsigned long long kib = 0;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			kib = strtoull(line + strlen(name), NULL, 10);
	if (f)
		fclose(f);
	return kib;
}

static size_t parse_size(const char *option, const char *text)
{
	static const char units[] = "KMGT";
	unsigned long long n;
	const char *unit;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	if (errno || *text < '0' || *text > '9' || !n || (*end && !unit) ||
	    (*end && end[1] && strcmp(end + 1, "B") != 0 && strcmp(end + 1, "iB") != 0))
		die(2, "%s: '%s' is not a size; write digits and K, M or G", option, text);
	if (unit && n > (SIZE_MAX >> 1) >> (10 * (unit - units + 1)))
		die(2, "%s: '%s' is too large", option, text);
	return (size_t)(unit ? n << (10 * (unit - units + 1)) : n);
}

static void choose_method(void)
{
	static const struct {
		const char *name;
		unsigned flags;
	} hints[] = {
		{ "auto", 0 }, { "hot", CLP_HOT }, { "cold", CLP_COLD },
	}, pmem[] = {
		{ "pmem", 0 }, { "pmem_nt", PMEM_NONTEMPORAL }, { "pmem_temporal", PMEM_TEMPORAL | PMEM_NOFLUSH },
	};
	unsigned char probe[64];
	void *library;
	int index;

	if (!strcmp(method, "libc")) {
		way = WITH_LIBC;
		return;
	}
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
		if (strcmp(method, hints[i].name) != 0)
			continue;
		way = WITH_POLICY;
		flags = hints[i].flags;
		return;
	}
	for (size_t i = 0; i < sizeof(pmem) / sizeof(pmem[0]); i++) {
		if (strcmp(method, pmem[i].name) != 0)
			continue;
		way = WITH_PMEM;
		flags = pmem[i].flags;
		library = dlopen("libpmem.so.1", RTLD_NOW);
		if (!library)
			die(1, "%s: %s", method, dlerror());
		pmem_memset = (pmem_memset_fn *)(uintptr_t)dlsym(library, "pmem_memset");
		if (!pmem_memset)
			die(1, "%s: libpmem.so.1 has no pmem_memset", method);
		return;
	}
	index = clp_variant_find(CLP_OP_CLEAR, method);
	if (index < 0)
		die(2, "'%s': no such method; see --help", method);
	way = WITH_ROUTINE;
	routine = (unsigned)index;
	if (clp_clear_with(routine, probe, sizeof(probe), 0))
		die(1, "'%s': not available on this machine", method);
}

static void usage(FILE *to)
{
	fputs("Usage: clear_rate [--method NAME] [--size BYTES] [--block BYTES] [--seconds S] [--threads N]\n"
	      "                  [--page 4KB|thp] [--byte B]\n"
	      "One line on standard output: the settings and GB/s (10^9 bytes cleared a second, all threads).\n"
	      "--size is for each thread. NAME: libc, auto, hot, cold, pmem, pmem_nt, pmem_temporal, or a routine.\n"
	      "--byte (default 0; libc and pmem alone): some processors store zeros faster than anything else.\n", to);
}

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "method", required_argument, NULL, 'm' }, { "size", required_argument, NULL, 's' },
		{ "block", required_argument, NULL, 'b' }, { "seconds", required_argument, NULL, 't' },
		{ "threads", required_argument, NULL, 'n' }, { "page", required_argument, NULL, 'p' },
		{ "byte", required_argument, NULL, 'y' },
		{ "help", no_argument, NULL, 'h' }, { 0 },
	};
	unsigned long n;
	char *end;
	int key;

	while ((key = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (key) {
		case 'm':
			method = optarg;
			break;
		case 's':
			size = parse_size("--size", optarg);
			break;
		case 'b':
			block = parse_size("--block", optarg);
			break;
		case 't':
			seconds = strtod(optarg, &end);
			if (end == optarg || *end || !(seconds > 0 && seconds <= 3600))
				die(2, "--seconds: '%s' is not a time from above 0 to 3600", optarg);
			break;
		case 'n':
			n = strtoul(optarg, &end, 10);
			if (end == optarg || *end || *optarg == '-' || n < 1 || n > 1024)
				die(2, "--threads: '%s' is not a whole number from 1 to 1024", optarg);
			threads = (unsigned)n;
			break;
		case 'p':
			if (strcmp(optarg, "4KB") != 0 && strcmp(optarg, "thp") != 0)
				die(2, "--page: '%s' is neither 4KB nor thp", optarg);
			huge = !strcmp(optarg, "thp");
			break;
		case 'y':
			n = strtoul(optarg, &end, 0);
			if (end == optarg || *end || *optarg == '-' || n > 255)
				die(2, "--byte: '%s' is not a whole number from 0 to 255", optarg);
			byte = (int)n;
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			usage(stderr);
			exit(2);
		}
	}
	if (optind < argc)
		die(2, "'%s': unexpected argument", argv[optind]);
	if (!block || block > size)
		block = size;
}

/* How many sweeps take about the time asked for: from one untimed sweep of one thread. */
static unsigned count_sweeps(unsigned char *buffer)
{
	double start = now(), took;

	for (size_t at = 0; at < size; at += block)
		clear_block(buffer + at, size - at < block ? size - at : block);
	fence();
	took = now() - start;
	return took * 100000 < seconds ? 100000 : seconds / took < 2 ? 2 : (unsigned)(seconds / took + 0.5);
}

int main(int argc, char **argv)
{
	unsigned long long available, backed;
	struct worker *workers;
	double elapsed = 0;

	parse(argc, argv);
	choose_method();
	if (byte && way != WITH_LIBC && way != WITH_PMEM)
		die(2, "--byte: '%s' stores zeros alone", method);
	available = kib_of("/proc/meminfo", "MemAvailable:");
	if (size >> 10 > available / threads)
		die(1, "%u times %zu MiB is more than the %llu MiB of memory that are free", threads, size >> 20, available >> 10);
	workers = calloc(threads, sizeof(*workers));
	if (!workers)
		die(1, "out of memory");
	assert(threads); /* parse() saw to it */
	for (unsigned i = 0; i < threads; i++) {
		workers[i].number = i;
		workers[i].buffer = buffer_get();
	}
	sweeps = count_sweeps(workers[0].buffer);
	pthread_barrier_init(&barrier, NULL, threads);
	for (unsigned i = 0; i < threads; i++)
		if (pthread_create(&workers[i].id, NULL, work, &workers[i]))
			die(1, "thread %u can't be started", i);
	for (unsigned i = 0; i < threads; i++) {
		pthread_join(workers[i].id, NULL);
		if (workers[i].elapsed > elapsed)
			elapsed = workers[i].elapsed;
		if (workers[i].wrong)
			die(1, "%s: the buffer does not hold %d throughout afterwards", method, byte);
	}
	backed = kib_of("/proc/self/smaps_rollup", "AnonHugePages:");
	printf("method=%s size=%zu block=%zu threads=%u sweeps=%u huge_kib=%llu GB/s=%.3f\n", method, size, block, threads, sweeps,
	       backed, (double)size * threads * sweeps / elapsed * 1e-9);
	free(workers);
	return 0;
}
