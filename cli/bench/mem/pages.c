// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pages.c - pages by their size: the base page, huge pages from a pool (hugetlb), transparent huge pages, among them those
 * smaller than a page table's reach (mTHP); which there are here, and memory mapped on them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mem.h"

#define TRANSPARENT "/sys/kernel/mm/transparent_hugepage"
#define HUGETLB "/sys/kernel/mm/hugepages"
#define LARGEST ((size_t)1 << 40)

static size_t base_page(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

const char *page_name(size_t size)
{
	static const char *const units[] = { "B", "KB", "MB", "GB", "TB" };
	static char ring[4][16];
	static unsigned next;
	char *text = ring[next++ % 4];
	unsigned unit = 0;

	for (; unit < 4 && size >= 1024 && size % 1024 == 0; unit++)
		size /= 1024;
	snprintf(text, sizeof(ring[0]), "%zu%s", size, units[unit]);
	return text;
}

const char *page_kind_text(const struct page_size *page)
{
	static const char *const names[] = { "base", "hugetlb", "transparent" };

	return names[page->kind];
}

static bool hugetlb_exists(size_t size)
{
	char path[96];

	snprintf(path, sizeof(path), HUGETLB "/hugepages-%zukB", size >> 10);
	return !access(path, F_OK);
}

size_t page_transparent_default(void)
{
	return (size_t)read_number(TRANSPARENT "/hpage_pmd_size", 0);
}

bool page_transparent_exists(size_t size)
{
	char path[96];

	snprintf(path, sizeof(path), TRANSPARENT "/hugepages-%zukB", size >> 10);
	return size > base_page() && (size == page_transparent_default() || !access(path, F_OK));
}

/* ", 2MB, 1GB" for each size that exists. */
static void list_sizes(char *text, size_t room, bool (*exists)(size_t))
{
	size_t len = 0;

	text[0] = '\0';
	for (size_t size = 2 * base_page(); size <= LARGEST && len < room; size *= 2)
		if (exists(size))
			len += (size_t)snprintf(text + len, room - len, "%s%s", len ? ", " : "", page_name(size));
}

struct page_size page_parse(const char *option, const char *text)
{
	struct page_size page = { .size = parse_size(option, text) };
	char huge[128], transparent[256];

	if (page.size == base_page())
		page.kind = PAGES_BASE;
	else if (hugetlb_exists(page.size))
		page.kind = PAGES_HUGETLB;
	else if (page_transparent_exists(page.size))
		page.kind = PAGES_TRANSPARENT;
	else {
		list_sizes(huge, sizeof(huge), hugetlb_exists);
		list_sizes(transparent, sizeof(transparent), page_transparent_exists);
		die(EXIT_USAGE,
		    "%s: there are no pages of '%s' here; there are %s; huge pages of %s; transparent ones of %s", option,
		    text, page_name(base_page()), huge[0] ? huge : "no size", transparent[0] ? transparent : "no size");
	}
	return page;
}

/* Does the file's chosen word, "[word]", equal one of these? An old kernel's file, or one that is missing, has none. */
static bool chosen(const char *path, const char *const *words)
{
	char line[128], wanted[32];

	read_line(path, line, sizeof(line));
	for (; *words; words++) {
		snprintf(wanted, sizeof(wanted), "[%s]", *words);
		if (strstr(line, wanted))
			return true;
	}
	return false;
}

static const char *switch_name(bool shared)
{
	return shared ? "shmem_enabled" : "enabled";
}

void page_transparent_switch(size_t size, bool shared, char *path, size_t room)
{
	snprintf(path, room, TRANSPARENT "/hugepages-%zukB/%s", size >> 10, switch_name(shared));
}

enum allowed page_transparent_allowed(size_t size, bool shared, char *path, size_t room)
{
	static const char *const always[] = { "always", "force", NULL };
	static const char *const advised[] = { "madvise", "advise", "within_size", NULL };
	static const char *const inherited[] = { "inherit", NULL };

	page_transparent_switch(size, shared, path, room);
	/* Before Linux 6.8 there was the common file alone. */
	if (access(path, F_OK) != 0 || chosen(path, inherited))
		snprintf(path, room, TRANSPARENT "/%s", switch_name(shared));
	if (chosen(path, always))
		return ALLOWED_ALWAYS;
	return chosen(path, advised) ? ALLOWED_ON_ADVICE : ALLOWED_NO;
}

static int shift_of(size_t size)
{
	return __builtin_ctzll(size);
}

size_t region_length(size_t size, const struct page_size *page)
{
	size_t pages = (size + page->size - 1) / page->size;

	/* One more, where the kernel may not align the mapping to the pages that are asked for. */
	return (pages + (page->kind == PAGES_TRANSPARENT)) * page->size;
}

unsigned region_memfd_flags(const struct page_size *page)
{
	return MFD_CLOEXEC |
	       (page->kind == PAGES_HUGETLB ? MFD_HUGETLB | (unsigned)shift_of(page->size) << MAP_HUGE_SHIFT : 0);
}

static unsigned char *align_up(unsigned char *at, size_t unit)
{
	return (unsigned char *)(((uintptr_t)at + unit - 1) & ~(uintptr_t)(unit - 1));
}

/* A transparent huge page of a file has to be aligned in the file, too: so its first byte goes to an aligned address. */
static void *map_file_aligned(struct region *r, const struct page_size *page, int flags, int fd)
{
	void *base = mmap(NULL, r->length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	void *at;

	if (base == MAP_FAILED)
		return base;
	at = mmap(align_up(base, page->size), r->length - page->size, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, 0);
	if (at == MAP_FAILED) {
		munmap(base, r->length);
		return at;
	}
	return base;
}

int region_map(struct region *r, size_t size, const struct page_size *page, int flags, int fd)
{
	bool transparent = page->kind == PAGES_TRANSPARENT;
	void *base;

	r->length = region_length(size, page);
	flags |= fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	if (page->kind == PAGES_HUGETLB && fd < 0)
		flags |= MAP_HUGETLB | shift_of(page->size) << MAP_HUGE_SHIFT;
	if (transparent && fd >= 0)
		base = map_file_aligned(r, page, flags, fd);
	else
		base = mmap(NULL, r->length, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (base == MAP_FAILED)
		return errno;
	r->base = base;
	r->at = transparent ? align_up(base, page->size) : r->base;
	if (transparent && madvise(r->at, r->length - page->size, MADV_HUGEPAGE)) {
		int err = errno;

		region_unmap(r);
		return err;
	}
	return 0;
}

void region_unmap(struct region *r)
{
	if (r->base)
		munmap(r->base, r->length);
	r->base = NULL;
}

size_t region_resident(const struct region *r, size_t size)
{
	enum { PAGES = 16384 };
	unsigned char vector[PAGES];
	size_t unit = base_page(), pages = 0;

	for (size_t done = 0; done < size; done += PAGES * unit) {
		size_t here = size - done < PAGES * unit ? size - done : PAGES * unit;

		if (mincore(r->at + done, here, vector))
			return size;
		for (size_t i = 0; i < here / unit; i++)
			pages += vector[i] & 1;
	}
	return pages * unit;
}
