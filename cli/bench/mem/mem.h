/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mem.h - `bench mem`: the workloads of perf bench mem. What its files share: a run's options, functions, pages, timing.
 */
#ifndef MEM_H
#define MEM_H

#include "../bench.h"

/* pages.c: the page under the memory. */
struct page_size {
	size_t size;
	enum { PAGES_BASE, PAGES_HUGETLB, PAGES_TRANSPARENT } kind;
};
/* Dies with status 2, listing the sizes that there are. */
struct page_size page_parse(const char *option, const char *text);
/* "4KB", in a static ring; "base", "hugetlb" or "transparent". */
const char *page_name(size_t size);
const char *page_kind_text(const struct page_size *page);
bool page_transparent_exists(size_t size);
size_t page_transparent_default(void); /* 0 without transparent huge pages */
/* May memory that asks for it with madvise(), shared: a memfd's, have such pages? In path: the file that decides. */
enum allowed { ALLOWED_NO, ALLOWED_ON_ADVICE, ALLOWED_ALWAYS };
enum allowed page_transparent_allowed(size_t size, bool shared, char *path, size_t room);

/* The file that decides for this size alone. */
void page_transparent_switch(size_t size, bool shared, char *path, size_t room);

/* A region of memory: `at` is aligned to its pages. */
struct region {
	unsigned char *base, *at;
	size_t length;
};
/* Map `size` bytes, advised where the page is transparent. flags: more of mmap's. fd: a memfd, or -1. 0 or an errno. */
int region_map(struct region *r, size_t size, const struct page_size *page, int flags, int fd);
void region_unmap(struct region *r);
/* Bytes that there is memory for; all, where that can't be learnt. */
size_t region_resident(const struct region *r, size_t size);
/* What a file for region_map() has to hold, and its flags for memfd_create(). */
size_t region_length(size_t size, const struct page_size *page);
unsigned region_memfd_flags(const struct page_size *page);

/*
 * reserve.c: see to it that `size` bytes on such pages can be had, `shared`: through a memfd. With `reserve`, huge pages are
 * added to the pool, or the transparent ones are switched on, and given back when the process ends, however it ends. Dies
 * with status 1, saying what is lacking.
 */
void pages_need(const struct page_size *page, size_t size, unsigned times, bool shared, bool reserve);
/* What to make of a pool that has `now` pages, if `added` were wanted on top of `before`: never less than that. */
int64_t pool_target(int64_t before, int64_t added, int64_t now);

/* meter.c: time and cycles of the calling thread. */
enum cycles { CYCLES_NONE, CYCLES_TSC, CYCLES_CORE };
struct lap {
	double seconds;
	double cycles;
};
struct meter {
	int fd;		 /* of the thread's own counter of core cycles; -1: the time stamp counter */
	double overhead; /* core cycles of an empty start and stop */
	uint64_t cycles, ticks;
};
enum cycles meter_choose(void);	 /* what there is; dies with status 1 where there is nothing */
const char *meter_why_not(void); /* core cycles: a reason, after meter_choose() */
const char *cycles_name(enum cycles cycles);
void meter_open(struct meter *m, enum cycles cycles);
void meter_start(struct meter *m);
void meter_stop(struct meter *m, struct lap *lap); /* adds to *lap */
void meter_close(struct meter *m);

/* histogram.c: times, in buckets each 1/16 of its octave wide. */
#define BUCKETS_OCTAVE 16
#define BUCKETS (64 * BUCKETS_OCTAVE)
struct histogram {
	uint64_t n, most;
	uint64_t count[BUCKETS];
};
unsigned histogram_bucket(uint64_t value);
/* The smallest value of a bucket; that of bucket + 1 ends it. */
uint64_t histogram_from(unsigned bucket);
void histogram_add(struct histogram *h, uint64_t value);
void histogram_merge(struct histogram *h, const struct histogram *other);
/* share 0.5: the median, linear within its bucket, never above the largest value; 0 where empty. */
double histogram_percentile(const struct histogram *h, double share);

/* A function of a collection. */
typedef void *set_fn(void *at, int value, size_t len);
typedef void *copy_fn(void *to, const void *from, size_t len);
struct mapping;
struct function {
	const char *name;
	const char *description;
	const char *missing; /* why it can't run here; NULL if it can */
	set_fn *set;	     /* perf's kind: stores a value, over what is there */
	copy_fn *copy;
	struct method method;	       /* ours, where neither is set: clears what is not zero, or copies over it */
	const struct mapping *mapping; /* mmap's */
};
#define FUNCTIONS_MAX 48

/* perf's functions for x86-64, by their names; value_x86.c. NULL-terminated. */
extern const struct function x86_set_functions[], x86_copy_functions[];

enum format { FORMAT_DEFAULT, FORMAT_SIMPLE, FORMAT_JSON };

/* A run of one collection. */
struct mem {
	const char *bench; /* "mem/memset" */
	/* Before the collection's name, or after it. */
	enum format format;
	unsigned repeat;
	const char *path;
	/* The collection's. */
	const char *size_text; /* as typed */
	const char *function_text;
	size_t size, chunk, offset;
	unsigned loops, threads;
	bool cycles_wanted, reserve, latency;
	enum cycles cycles;
	unsigned random_seed; /* of mmap's offsets; 0: each page's first byte */
	int source;	      /* memcpy: the byte that is copied */
	int pin;	      /* -1: the CPU it started on */
	const char *page_text;
	struct page_size page;
	struct page_size used; /* under the function that runs: thp's may differ */
	struct function functions[FUNCTIONS_MAX];
	size_t n_functions;
	bool all; /* the functions were not named: what can't run is left out, and that is said */
	struct output out;
};

/* options.c */
struct mem_collection;
void mem_defaults(struct mem *m);
/* The number of arguments before the first that is no option, with their values; and that many parsed into *m. */
int mem_skip(int argc, char **argv);
int mem_leading(struct mem *m, int argc, char **argv);
void mem_parse(struct mem *m, const struct mem_collection *collection, int argc, char **argv);

/* A collection: its name, what its options are, its functions, and how it runs. */
struct mem_collection {
	const char *name;
	const char *bench;
	const char *summary;
	const struct argp *argp;
	size_t (*functions)(struct function *f);
	/* Dies where the options contradict each other or the memory is lacking. */
	void (*check)(struct mem *m);
	void (*run)(struct mem *m, const struct function *f);
};
extern const struct argp memset_argp, memcpy_argp, mmap_argp;

/* fill.c: memset and memcpy; map.c: mmap. */
size_t memset_functions(struct function *f);
size_t memcpy_functions(struct function *f);
void fill_check(struct mem *m);
void fill_run(struct mem *m, const struct function *f);
size_t mmap_functions(struct function *f);
void map_check(struct mem *m);
void map_run(struct mem *m, const struct function *f);

/* functions.c: -f, resolved; "help" lists and exits. */
void functions_choose(struct mem *m, const struct mem_collection *collection);

/* format.c: perf's formats, and the records. */
struct result {
	struct lap lap; /* the threads' mean */
	double error;	/* of the mean over the threads, relative; 0 for one */
	uint64_t bytes; /* of all threads */
	int64_t faults; /* of all threads; -1: not counted */
	uint64_t given; /* mmap: bytes of a loop of all threads that there is memory for; less, where pages were too small */
};
void format_begin(struct mem *m);
void format_function(struct mem *m, const struct function *f);
/* A repetition is done: its record. The figures are kept until format_figure(). */
void format_sample(struct mem *m, const struct function *f, const struct result *r);
/* The repetitions' median, as perf prints it, and a summary. Nothing where nothing was taken. */
void format_figure(struct mem *m, const struct function *f);
void format_latency(struct mem *m, const struct function *f, const struct histogram *h, int64_t faults);
void format_left_out(struct mem *m, const struct function *f, const char *why);
/* A comment, in the default format alone. */
void format_note(struct mem *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What a record says of a function's run. */
void record_run(struct record *r, const struct mem *m, const struct function *f);

#endif
