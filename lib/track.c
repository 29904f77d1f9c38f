/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * track.c - which pages were written: userfaultfd(2) in its asynchronous write-protect mode, and the PAGEMAP_SCAN ioctl (Documentation/admin-guide/mm/pagemap.rst).
 *
 * One userfaultfd serves the process. It is tied to the address space that opened it, so its number is kept in a page that a forked child
 * finds empty; and as a program may close descriptors that it does not know, its inode is looked at before each use.
 */
#define _GNU_SOURCE
#include "track.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib.h"

/* Newer than the headers of some distributions: include/uapi/linux/fs.h, include/uapi/linux/userfaultfd.h of Linux 6.7. */
struct scan_query {
	uint64_t size;
	uint64_t flags;
	uint64_t start, end, walked;
	uint64_t pages, most;
	uint64_t pages_max;
	uint64_t inverted, all_of, any_of;
	uint64_t returned;
};
#define SCAN		 _IOWR('f', 16, struct scan_query)
#define SCAN_PROTECT	 0x1u /* PM_SCAN_WP_MATCHING */
#define SCAN_ASYNC_ONLY  0x2u /* PM_SCAN_CHECK_WPASYNC */
#define FEATURE_WP_ASYNC ((uint64_t)1 << 15)
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

/* The descriptor plus one above, its inode's lower half below; 0: none. In a page of its own, see above. */
static uint64_t *slot;

int clp_pagemap_open(void)
{
	struct scan_query q = { .size = sizeof(q), .all_of = CLP_PAGES_WRITTEN, .returned = CLP_PAGES_WRITTEN };
	int fd = open("/proc/thread-self/pagemap", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -EPERM;
	/* Of no page it does nothing, where it is known. */
	if (ioctl(fd, SCAN, &q) < 0) {
		close(fd);
		return -ENOSYS;
	}
	return fd;
}

static int scan(int pagemap, struct scan_query *q, uintptr_t *at, uintptr_t end, struct clp_pages *pages, size_t most)
{
	int n;

	q->size = sizeof(*q);
	q->start = *at;
	q->end = end;
	q->pages = (uintptr_t)pages;
	q->most = most;
	do
		n = ioctl(pagemap, SCAN, q);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	*at = (uintptr_t)q->walked;
	return n;
}

int clp_scan(int pagemap, enum clp_scan what, uintptr_t *at, uintptr_t end, struct clp_pages *pages, size_t most)
{
	/* Not "written" asked for and returned alone, for which the kernel has a short way: that takes pages that are not there for written. */
	static const struct scan_query queries[] = {
		[CLP_SCAN_WRITTEN] = { .flags = SCAN_ASYNC_ONLY, .all_of = CLP_PAGES_WRITTEN, .returned = CLP_PAGES_WRITTEN | CLP_PAGES_PRESENT },
		[CLP_SCAN_PROTECTED] = { .flags = SCAN_ASYNC_ONLY, .inverted = CLP_PAGES_WRITTEN, .all_of = CLP_PAGES_WRITTEN | CLP_PAGES_PRESENT,
					 .returned = CLP_PAGES_PRESENT },
		[CLP_SCAN_HUGE] = { .all_of = CLP_PAGES_HUGE, .returned = CLP_PAGES_HUGE },
	};
	struct scan_query q = queries[what];

	return scan(pagemap, &q, at, end, pages, most);
}

ptrdiff_t clp_protect(int pagemap, uintptr_t from, uintptr_t end, bool split)
{
	struct scan_query q = { .flags = SCAN_PROTECT | SCAN_ASYNC_ONLY, .returned = CLP_PAGES_WRITTEN };
	struct clp_pages pages[64];
	ptrdiff_t protected = 0;

	/* Without PRESENT, or a place for its answer, the kernel would also mark pages that are not there. */
	q.all_of = CLP_PAGES_WRITTEN | CLP_PAGES_PRESENT;
	if (!split) {
		q.all_of |= CLP_PAGES_HUGE;
		q.inverted = CLP_PAGES_HUGE;
	}
	while (from < end) {
		int n = scan(pagemap, &q, &from, end, pages, sizeof(pages) / sizeof(pages[0]));

		if (n < 0)
			return n;
		for (int i = 0; i < n; i++)
			protected += (ptrdiff_t)((pages[i].end - pages[i].start) / clp_cpu_page());
	}
	return protected;
}

/* A new userfaultfd; asynchronous where the kernel can, otherwise one that can do no more than ask whose a mapping is. */
static int open_uffd(void)
{
	struct uffdio_api api = { .api = UFFD_API, .features = FEATURE_WP_ASYNC };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);

	/* Before Linux 5.11 there was no such mode. */
	if (fd < 0 && errno == EINVAL)
		fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (!ioctl(fd, UFFDIO_API, &api))
		return fd;
	api = (struct uffdio_api){ .api = UFFD_API };
	if (!ioctl(fd, UFFDIO_API, &api))
		return fd;
	close(fd);
	return -ENOSYS;
}

static uint64_t word_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : (uint64_t)(fd + 1) << 32 | (uint32_t)st.st_ino;
}

static uint64_t *slot_page(void)
{
	size_t page = clp_cpu_page();
	uint64_t *mine = load(slot), *none = NULL;

	if (mine)
		return mine;
	mine = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mine == MAP_FAILED)
		return NULL;
	if (madvise(mine, page, MADV_WIPEONFORK) ||
	    !__atomic_compare_exchange_n(&slot, &none, mine, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		munmap(mine, page);
		return none;
	}
	return mine;
}

/* This process's userfaultfd. */
static int uffd(void)
{
	uint64_t *at = slot_page(), was, mine;
	int fd;

	if (!at)
		return -ENOMEM;
	was = load(*at);
	if (was && word_of((int)(was >> 32) - 1) == was)
		return (int)(was >> 32) - 1;
	fd = open_uffd();
	if (fd < 0)
		return fd;
	mine = word_of(fd);
	if (__atomic_compare_exchange_n(at, &was, mine, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return fd;
	/* Another thread was first. */
	close(fd);
	return (int)(was >> 32) - 1;
}

static int enlist(int fd, uintptr_t from, uintptr_t end, uint64_t mode)
{
	struct uffdio_register r = { .range = { .start = from, .len = end - from }, .mode = mode };

	return ioctl(fd, UFFDIO_REGISTER, &r) ? -errno : 0;
}

static void dismiss(int fd, uintptr_t from, uintptr_t end)
{
	struct uffdio_range r = { .start = from, .len = end - from };

	ioctl(fd, UFFDIO_UNREGISTER, &r);
}

static int unprotect(int fd, uintptr_t from, uintptr_t end)
{
	struct uffdio_writeprotect w = { .range = { .start = from, .len = end - from } };

	return ioctl(fd, UFFDIO_WRITEPROTECT, &w) ? -errno : 0;
}

void clp_unprotect(uintptr_t from, uintptr_t end)
{
	int fd = uffd();

	if (fd >= 0)
		unprotect(fd, from, end);
}

/* Pages that mremap() brought along have their protection still, on kernels before 6.13, though they may be writable: they would count as not written. */
static int release_leftovers(int pagemap, int fd, uintptr_t from, uintptr_t end)
{
	struct clp_pages pages[1];
	uintptr_t at = from;
	int n = 0;

	while (!n && at < end)
		n = clp_scan(pagemap, CLP_SCAN_PROTECTED, &at, end, pages, 1);
	return n > 0 ? unprotect(fd, from, end) : n;
}

int clp_track(int pagemap, uintptr_t from, uintptr_t end, bool *fresh)
{
	struct clp_pages pages[1];
	uintptr_t at = from;
	int fd = uffd(), err;

	if (fd < 0)
		return fd;
	/* Whether some userfaultfd tracks the mapping already; and then whether it is this one, which alone may be asked again. */
	*fresh = clp_scan(pagemap, CLP_SCAN_WRITTEN, &at, from + clp_cpu_page(), pages, 1) < 0;
	err = enlist(fd, from, end, UFFDIO_REGISTER_MODE_WP);
	if (err)
		return err == -EBUSY || err == -ENOMEM ? err : -ENOSYS;
	return *fresh ? release_leftovers(pagemap, fd, from, end) : 0;
}

void clp_untrack(uintptr_t from, uintptr_t end)
{
	int fd = uffd();

	/* Asked for again first, which only its owner may: before Linux 6.17 any userfaultfd could let go of any other's memory. */
	if (fd >= 0 && !enlist(fd, from, end, UFFDIO_REGISTER_MODE_WP))
		dismiss(fd, from, end);
}

bool clp_track_taken(uintptr_t at)
{
	size_t page = clp_cpu_page();
	int fd = uffd(), err;

	/* Where nobody may have one, nobody has; but short of descriptors or memory it can't be told. */
	if (fd < 0)
		return fd != -EPERM && fd != -ENOSYS;
	err = enlist(fd, at, at + page, UFFDIO_REGISTER_MODE_MISSING);
	if (!err)
		dismiss(fd, at, at + page);
	return err == -EBUSY;
}
