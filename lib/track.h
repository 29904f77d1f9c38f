/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * track.h - which pages were written since they were protected, by userfaultfd's asynchronous write-protection and PAGEMAP_SCAN (Linux 6.7).
 * Addresses are page-aligned. Errors are negative errno values.
 */
#ifndef CLP_TRACK_H
#define CLP_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As the kernel writes it: include/uapi/linux/fs.h, struct page_region. */
struct clp_pages {
	uint64_t start, end;
	uint64_t is; /* CLP_PAGES_* */
};
#define CLP_PAGES_WRITTEN 0x02u
#define CLP_PAGES_PRESENT 0x08u
#define CLP_PAGES_HUGE	  0x40u

/* Of this process, as it is now: after fork() it is opened anew, for it speaks of the process that opened it. -ENOSYS: no PAGEMAP_SCAN. */
int clp_pagemap_open(void);

enum clp_scan {
	CLP_SCAN_WRITTEN,   /* in memory or swapped out, and written since it was protected; `is` has PRESENT */
	CLP_SCAN_PROTECTED, /* in memory, and not written since */
	CLP_SCAN_HUGE
};

/*
 * Look from *at on, up to `end`, for pages of that kind: their stretches, up to `most`, into pages[]; *at: how far it has looked. Returns how many stretches,
 * -EPERM where a mapping is not under asynchronous write-protection (not with SCAN_HUGE).
 */
int clp_scan(int pagemap, enum clp_scan what, uintptr_t *at, uintptr_t end, struct clp_pages *pages, size_t most);

/*
 * Protect what is in memory of [from, end), huge pages only if `split`. Returns how many pages were not protected before, or why it stopped.
 */
ptrdiff_t clp_protect(int pagemap, uintptr_t from, uintptr_t end, bool split);

/*
 * Put [from, end), in one mapping, under this library's userfaultfd. *fresh: it was not before, and nothing in it is protected. -EBUSY where another one
 * has it, -ENOSYS where the kernel can't, -EPERM where it may not; -ENOMEM.
 */
int clp_track(int pagemap, uintptr_t from, uintptr_t end, bool *fresh);

/* Take the protection off [from, end): all of it counts as written. */
void clp_unprotect(uintptr_t from, uintptr_t end);

/* Let go of [from, end), in one mapping, if it is this library's. */
void clp_untrack(uintptr_t from, uintptr_t end);

/* Whether another userfaultfd has the mapping that holds the page at `at`, which nobody may use meanwhile. False where it can't be told. */
bool clp_track_taken(uintptr_t at);

#endif
