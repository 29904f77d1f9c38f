/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory.c - prefaulted, non-zero memory on pages of the kind asked for.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "bench.h"

#define SHIFT_2M 21
#define SHIFT_1G 30

static const char *const names[] = { "4KB", "thp", "2MB", "1GB" };

const char *page_kind_name(enum page_kind kind)
{
	return names[kind];
}

enum page_kind parse_page_kind(const char *option, const char *text)
{
	for (unsigned kind = 0; kind < sizeof(names) / sizeof(names[0]); kind++)
		if (!strcmp(text, names[kind]))
			return (enum page_kind)kind;
	die(EXIT_USAGE, "%s: '%s' is not a kind of page; use 4KB, thp, 2MB or 1GB", option, text);
}

void memory_require(uint64_t size, const char *purpose)
{
	uint64_t available = memory_available();

	/* Leave an eighth: the machine goes on living beside the measurement. */
	if (size > available - available / 8)
		die(EXIT_FAILED, "%s needs %s of memory, of which %s is free; choose smaller sizes", purpose,
		    format_size(size), format_size(available));
}

static void require_huge(size_t size, unsigned shift, const char *purpose)
{
	const char *dir = shift == SHIFT_1G ? "hugepages-1048576kB" : "hugepages-2048kB";
	size_t pages = size >> shift;
	char path[128];
	int64_t free;

	snprintf(path, sizeof(path), "/sys/kernel/mm/hugepages/%s/free_hugepages", dir);
	free = read_number(path, 0);
	if (free < (int64_t)pages)
		die(EXIT_FAILED,
		    "%s needs %zu huge pages of %s, %lld are free; reserve them: echo %zu > "
		    "/sys/kernel/mm/hugepages/%s/nr_hugepages",
		    purpose, pages, shift == SHIFT_1G ? "1GB" : "2MB", (long long)free,
		    pages + (size_t)read_number("/proc/sys/vm/nr_hugepages", 0) * (shift == SHIFT_2M), dir);
}

static unsigned shift_of(enum page_kind kind)
{
	return kind == PAGE_1G ? SHIFT_1G : SHIFT_2M;
}

/* In whole huge pages, also where ordinary ones are asked for. */
static size_t round_up(size_t size, enum page_kind kind)
{
	size_t unit = (size_t)1 << shift_of(kind);

	return (size + unit - 1) & ~(unit - 1);
}

void memory_check(size_t size, enum page_kind kind, const char *purpose)
{
	if (kind == PAGE_2M || kind == PAGE_1G)
		require_huge(round_up(size, kind), shift_of(kind), purpose);
	else
		memory_require(size, purpose);
}

void memory_get(struct memory *m, size_t size, enum page_kind kind, const char *purpose)
{
	size_t unit = (size_t)1 << shift_of(kind);
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;

	size = round_up(size, kind);
	memory_check(size, kind, purpose);
	if (kind == PAGE_2M || kind == PAGE_1G)
		flags |= MAP_HUGETLB | (int)(shift_of(kind) << MAP_HUGE_SHIFT);
	m->at = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (m->at == MAP_FAILED)
		die(EXIT_FAILED, "%s: can't map %s on %s pages: %s", purpose, format_size(size), names[kind],
		    strerror(errno));
	m->size = size;
	m->kind = kind;
	/* Advice may be unknown to the kernel; what came of it is in the figures' header (thp). */
	if (kind == PAGE_THP)
		madvise(m->at, size, MADV_HUGEPAGE);
	else if (kind == PAGE_4K)
		madvise(m->at, size, MADV_NOHUGEPAGE);
	for (size_t done = 0; done < size && !interrupted; done += unit) {
		memory_fill(m->at + done, unit);
		progress((double)done, (double)size, "touching memory for the first time");
	}
}

void memory_put(struct memory *m)
{
	if (m->size)
		munmap(m->at, m->size);
	m->size = 0;
}

void memory_fill(void *at, size_t len)
{
	memset(at, FILL, len);
	__asm__ volatile("" ::"r"(at) : "memory");
}

uint64_t memory_read(const void *at, size_t len, size_t stride)
{
	const volatile uint64_t *p = at;
	uint64_t sum = 0;

	for (size_t i = 0; i < len / 8; i += stride / 8)
		sum += p[i];
	return sum;
}

void memory_write(void *at, size_t len, size_t stride)
{
	volatile uint64_t *p = at;

	for (size_t i = 0; i < len / 8; i += stride / 8)
		p[i] = i | 1;
}

bool memory_is_zero(const void *at, size_t len)
{
	const unsigned char *p = at;

	/* The first bytes by hand, the rest by comparing the region with itself, shifted. */
	for (size_t i = 0; i < len && i < 16; i++)
		if (p[i])
			return false;
	return len <= 16 || !memcmp(p, p + 16, len - 16);
}
