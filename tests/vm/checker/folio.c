// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * folio.c - kinds of memory, and one folio's life: first write at a random place, every byte verified, made dirty, freed.
 *
 * The first access to a folio is a write. A read would map the shared zero page, of which every byte is zero whatever the
 * module does. Loops work on 64-bit words in general registers, which the emulator translates best.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "checker.h"

#ifndef MAP_HUGE_2MB
#define MAP_HUGE_2MB (21 << 26)
#define MAP_HUGE_1GB (30 << 26)
#endif

#define ANONYMOUS (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

const struct kind kinds[] = {
	{ "page", 0, ANONYMOUS, MADV_NOHUGEPAGE, false },
	{ "mthp-16k", 2, ANONYMOUS, MADV_HUGEPAGE, true },
	{ "mthp-64k", 4, ANONYMOUS, MADV_HUGEPAGE, true },
	{ "thp", 9, ANONYMOUS, MADV_HUGEPAGE, true },
	{ "hugetlb", 9, ANONYMOUS | MAP_HUGETLB | MAP_HUGE_2MB, -1, false },
	/* The same, where the pool is empty, and more may be had from the allocator. */
	{ "surplus", 9, ANONYMOUS | MAP_HUGETLB | MAP_HUGE_2MB, -1, false },
	{ "hugetlb-1g", 18, ANONYMOUS | MAP_HUGETLB | MAP_HUGE_1GB, -1, false },
};
const size_t kind_count = sizeof(kinds) / sizeof(*kinds);

const struct kind *kind_named(const char *name)
{
	for (size_t i = 0; i < kind_count; i++) {
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	}
	errno = 0;
	die("'%s': no such kind of memory", name);
}

/* Has this kernel the kind, and this machine memory of it? */
bool kind_exists(const struct kind *kind)
{
	char path[128], text[32];

	if (!strncmp(kind->name, "mthp", 4)) {
		snprintf(path, sizeof(path), "/sys/kernel/mm/transparent_hugepage/hugepages-%lukB", PAGE << kind->order >> 10);
		return !access(path, F_OK);
	}
	if (!(kind->mmap_flags & MAP_HUGETLB))
		return true;
	snprintf(path, sizeof(path), "/sys/kernel/mm/hugepages/hugepages-%lukB/%s", PAGE << kind->order >> 10,
		 strcmp(kind->name, "surplus") ? "nr_hugepages" : "nr_overcommit_hugepages");
	if (access(path, F_OK))
		return false;
	read_text(path, text, sizeof(text));
	return strcmp(text, "0") != 0;
}

/* A comma-separated list; without one, all huge kinds that exist here. */
size_t kinds_listed(const char *list, const struct kind **out, size_t max)
{
	char copy[256], *rest = copy, *name;
	size_t n = 0;

	if (!list) {
		for (size_t i = 0; i < kind_count && n < max; i++) {
			if (kinds[i].order && kind_exists(&kinds[i]))
				out[n++] = &kinds[i];
		}
		return n;
	}
	snprintf(copy, sizeof(copy), "%s", list);
	while ((name = strsep(&rest, ",")) && n < max) {
		const struct kind *kind = kind_named(name);

		if (kind_exists(kind))
			out[n++] = kind;
	}
	return n;
}

void area_map(struct area *area, const struct kind *kind, size_t folios)
{
	size_t size = PAGE << kind->order;
	unsigned char *base;

	*area = (struct area){ .kind = kind, .size = size, .stride = kind->spaced ? 2 * size : size, .folios = folios };
	if (kind->mmap_flags & MAP_HUGETLB) {
		area->whole_size = folios * size;
		area->whole = mmap(NULL, area->whole_size, PROT_READ | PROT_WRITE, kind->mmap_flags, -1, 0);
		if (area->whole == MAP_FAILED)
			die("%s: can't map %zu folios", kind->name, folios);
		area->base = area->whole;
		return;
	}
	area->whole_size = folios * area->stride + 2 * size;
	area->whole = mmap(NULL, area->whole_size, PROT_NONE, kind->mmap_flags, -1, 0);
	if (area->whole == MAP_FAILED)
		die("%s: can't map %zu folios", kind->name, folios);
	base = (unsigned char *)(((uintptr_t)area->whole + size - 1) & -size);
	/* An aligned folio with something inaccessible on both sides. */
	area->base = base == area->whole && kind->spaced ? base + size : base;
	for (size_t i = 0; i < folios; i++) {
		unsigned char *folio = area_folio(area, i);

		if (mprotect(folio, size, PROT_READ | PROT_WRITE) || (kind->advice >= 0 && madvise(folio, size, kind->advice)))
			die("%s: can't prepare the mapping", kind->name);
	}
}

void area_unmap(struct area *area)
{
	munmap(area->whole, area->whole_size);
}

unsigned char *area_folio(const struct area *area, size_t i)
{
	return area->base + i * area->stride;
}

uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* The offset of the first byte that is not zero, or ALL_RIGHT. */
size_t verify_zero(const unsigned char *from, size_t len)
{
	const uint64_t *word = (const uint64_t *)from;

	for (size_t i = 0; i < len / 8; i += 8) {
		const uint64_t *w = word + i;

		if (w[0] | w[1] | w[2] | w[3] | w[4] | w[5] | w[6] | w[7]) {
			size_t at = i * 8;

			while (!from[at])
				at++;
			return at;
		}
	}
	return ALL_RIGHT;
}

void fill(unsigned char *from, size_t len, uint64_t value)
{
	uint64_t *word = (uint64_t *)from;

	for (size_t i = 0; i < len / 8; i += 8) {
		uint64_t *w = word + i;

		w[0] = w[1] = w[2] = w[3] = w[4] = w[5] = w[6] = w[7] = value;
	}
}

size_t verify_fill(const unsigned char *from, size_t len, uint64_t value)
{
	const uint64_t *word = (const uint64_t *)from;

	for (size_t i = 0; i < len / 8; i++) {
		if (word[i] != value)
			return i * 8;
	}
	return ALL_RIGHT;
}

/* Fault a folio by a write into its page `touch`; returns the offset of a byte that is not zero, or ALL_RIGHT. */
size_t fault_and_verify(const struct area *area, size_t i, size_t touch, uint64_t *seed)
{
	volatile unsigned char *folio = area_folio(area, i);
	size_t at = touch * PAGE + next_random(seed) % PAGE;

	folio[at] = 0x5a;
	if (folio[at] != 0x5a)
		return at;
	folio[at] = 0;
	return verify_zero(area_folio(area, i), area->size);
}

void dirty_and_free(const struct area *area, size_t i)
{
	fill(area_folio(area, i), area->size, DIRT);
	if (madvise(area_folio(area, i), area->size, MADV_DONTNEED))
		die("%s: MADV_DONTNEED", area->kind->name);
}

void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	/* With one processor there is nothing to choose. */
	if (sched_setaffinity(0, sizeof(set), &set) && cpu == 0)
		die("can't run on processor 0");
}
