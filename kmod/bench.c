// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench.c - debugfs clearpages/bench: cycles a page of a routine in the kernel, on pages of its own.
 *
 * Written: "ROUTINE ORDER BLOCKS REPETITIONS cached|uncached". Read: the figures of the last run. Each repetition dirties the blocks, brings
 * them into the caches or flushes them, and then times one sweep over all of them, to its fence.
 */
#include "kmod.h"

#include <asm/cacheflush.h>
#include <asm/msr.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#define BLOCKS_MOST      4096u
#define REPETITIONS_MOST 100000u
#define LINE_MOST        128

struct run {
	enum clp_routine routine;
	unsigned int order, nblocks, repetitions;
	bool cached;
	void **blocks;
	u64 *samples; /* cycles of a sweep */
};

static DEFINE_MUTEX(lock); /* one run at a time; its result */
static char result[192];
static struct dentry *dir;

static void dirty(const struct run *run)
{
	size_t size = PAGE_SIZE << run->order;
	unsigned int i;

	for (i = 0; i < run->nblocks; i++) {
		memset(run->blocks[i], 0xa5, size);
		/* What was just written is in the caches as far as it fits. */
		if (!run->cached)
			clflush_cache_range(run->blocks[i], size);
		cond_resched();
	}
}

/* The kernel's own way, as it clears a folio: a page at a time. */
static void clear_block(enum clp_routine routine, void *block, size_t size)
{
	size_t at;

	if (routine != CLP_KERNEL) {
		clp_clear(routine, block, size);
		return;
	}
	for (at = 0; at < size; at += PAGE_SIZE)
		clear_page(block + at);
}

static u64 sweep(const struct run *run)
{
	u64 start, end;
	unsigned int i;

	start = rdtsc_ordered();
	for (i = 0; i < run->nblocks; i++)
		clear_block(run->routine, run->blocks[i], PAGE_SIZE << run->order);
	mb(); /* all stores have completed */
	end = rdtsc_ordered();
	return end - start;
}

static bool all_zero(const struct run *run)
{
	unsigned int i;

	for (i = 0; i < run->nblocks; i++) {
		if (memchr_inv(run->blocks[i], 0, PAGE_SIZE << run->order))
			return false;
		cond_resched();
	}
	return true;
}

static int ascending(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static int measure(const struct run *run)
{
	unsigned int i;

	for (i = 0; i < run->repetitions; i++) {
		if (fatal_signal_pending(current))
			return -EINTR;
		dirty(run);
		run->samples[i] = sweep(run);
		cond_resched();
	}
	if (!all_zero(run)) {
		pr_err("bench: '%s': it left bytes that are not zero\n", clp_routines[run->routine].name);
		return -EIO;
	}
	sort(run->samples, run->repetitions, sizeof(*run->samples), ascending, NULL);
	return 0;
}

static void print_result(const struct run *run)
{
	unsigned long npages = (unsigned long)run->nblocks << run->order;
	const u64 *s = run->samples;
	unsigned int n = run->repetitions;
	u64 figures[] = { s[0], (s[(n - 1) / 2] + s[n / 2]) / 2, s[n - 1] };
	u64 tenths[ARRAY_SIZE(figures)];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(figures); i++)
		tenths[i] = (10 * figures[i] + npages / 2) / npages;
	scnprintf(result, sizeof(result),
		  "routine=%s order=%u blocks=%u repetitions=%u state=%s cycles_per_page min=%llu.%llu median=%llu.%llu max=%llu.%llu\n",
		  clp_routines[run->routine].name, run->order, run->nblocks, n, run->cached ? "cached" : "uncached", tenths[0] / 10,
		  tenths[0] % 10, tenths[1] / 10, tenths[1] % 10, tenths[2] / 10, tenths[2] % 10);
}

static int run_on_own_pages(struct run *run)
{
	unsigned int got;
	int err = -ENOMEM;

	run->blocks = kvcalloc(run->nblocks, sizeof(*run->blocks), GFP_KERNEL);
	run->samples = kvcalloc(run->repetitions, sizeof(*run->samples), GFP_KERNEL);
	for (got = 0; run->blocks && run->samples && got < run->nblocks; got++) {
		if (fatal_signal_pending(current))
			break;
		run->blocks[got] = (void *)__get_free_pages(GFP_KERNEL | __GFP_NOWARN | __GFP_NORETRY, run->order);
		if (!run->blocks[got])
			break;
		cond_resched();
	}
	if (got == run->nblocks)
		err = measure(run);
	else if (fatal_signal_pending(current))
		err = -EINTR;
	else
		pr_warn("bench: '%u': so many blocks of order %u can't be had\n", run->nblocks, run->order);
	if (!err)
		print_result(run);
	while (got--)
		free_pages((unsigned long)run->blocks[got], run->order);
	kvfree(run->blocks);
	kvfree(run->samples);
	return err;
}

static int refuse(const char *value, const char *why)
{
	pr_warn("bench: '%s': %s\n", value, why);
	return -EINVAL;
}

static int parse_number(const char *word, unsigned int least, unsigned int most, const char *why, unsigned int *number)
{
	if (kstrtouint(word, 10, number) || *number < least || *number > most)
		return refuse(word, why);
	return 0;
}

static int parse(char *text, struct run *run)
{
	char line[LINE_MOST], *rest = line;
	char *words[5], *word;
	unsigned int n = 0;
	int r;

	text = strim(text);
	strscpy(line, text, sizeof(line));
	while ((word = strsep(&rest, " \t")))
		if (*word && n++ < ARRAY_SIZE(words))
			words[n - 1] = word;
	if (n != ARRAY_SIZE(words))
		return refuse(text, "write ROUTINE ORDER BLOCKS REPETITIONS cached|uncached");
	r = clp_routine_find(words[0]);
	if (r < 0)
		return refuse(words[0], "no such routine");
	run->routine = r;
	if (clp_routines[r].unusable) {
		refuse(words[0], clp_routines[r].unusable);
		return -EOPNOTSUPP;
	}
	r = parse_number(words[1], 0, CLP_ORDER_LARGEST, "order: 0 to the allocator's largest, 10", &run->order) ?:
	    parse_number(words[2], 1, BLOCKS_MOST, "blocks: 1 to 4096", &run->nblocks) ?:
	    parse_number(words[3], 1, REPETITIONS_MOST, "repetitions: 1 to 100000", &run->repetitions);
	if (r)
		return r;
	if ((u64)run->nblocks << (run->order + PAGE_SHIFT) > SZ_1G)
		return refuse(words[2], "more than 1 GiB in all");
	run->cached = !strcmp(words[4], "cached");
	return run->cached || !strcmp(words[4], "uncached") ? 0 : refuse(words[4], "cached or uncached");
}

static ssize_t bench_write(struct file *file, const char __user *from, size_t len, loff_t *at)
{
	struct run run = { 0 };
	char text[LINE_MOST];
	int err;

	if (len >= sizeof(text)) {
		pr_warn("bench: %zu characters: no line is that long\n", len);
		return -EINVAL;
	}
	if (copy_from_user(text, from, len))
		return -EFAULT;
	text[len] = '\0';
	err = parse(text, &run);
	if (err)
		return err;
	err = mutex_lock_killable(&lock);
	if (err)
		return err;
	err = run_on_own_pages(&run);
	mutex_unlock(&lock);
	return err ?: len;
}

static ssize_t bench_read(struct file *file, char __user *to, size_t len, loff_t *at)
{
	ssize_t n;
	int err = mutex_lock_killable(&lock);

	if (err)
		return err;
	n = *result ? simple_read_from_buffer(to, len, at, result, strlen(result)) : -ENODATA;
	mutex_unlock(&lock);
	return n;
}

static const struct file_operations bench_file = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = bench_read,
	.write = bench_write,
};

/* Without debugfs the rest serves: nobody looks at its errors. */
void clp_bench_init(void)
{
	dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("bench", 0600, dir, NULL, &bench_file);
}

void clp_bench_exit(void)
{
	debugfs_remove(dir);
}
