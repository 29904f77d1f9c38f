/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * clearpages.h - the public interface of libclearpages: clearing and copying memory by page ranges.
 *
 * Conventions for every function below, unless its comment says otherwise:
 *  - Lengths are in bytes and of type size_t; a region over 4 GiB is never truncated. A length of 0 is valid and does
 *    nothing, whatever the address.
 *  - Errors are returned as negative errno values; 0 or a positive value is success. errno is left alone.
 *  - Functions are thread-safe, async-signal-safe and safe after fork() and vfork(); they allocate nothing, read no
 *    file, take no lock and print nothing. The exceptions are named.
 *  - A region must be mapped writable. As with memset(), an unmapped or read-only region raises SIGSEGV or SIGBUS.
 *  - No initialisation call exists or is needed.
 */
#ifndef CLEARPAGES_H
#define CLEARPAGES_H

#include <stddef.h>
#include <stdint.h>

#define CLP_VERSION_MAJOR 0
#define CLP_VERSION_MINOR 1
#define CLP_VERSION_PATCH 0

#if defined(__GNUC__)
#define CLP_API __attribute__((visibility("default")))
#else
#define CLP_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Flags. HOT and COLD state the later use of the memory, not the kind of store. With neither, the policy decides
 * (AUTO). AUTO and, from larger lengths on, HOT go by length and, between a page and a few MiB, by a short probe that
 * times a few loads from the destination to learn whether it is in cache.
 *
 * The probe reads the time stamp counter, where a process may do so when the library is loaded. A process that gives
 * this up later (prctl(PR_SET_TSC), seccomp's strict mode) has to pass CLP_NOPROBE from then on, and count nothing.
 */
#define CLP_HOT     0x1u /* all of the region is used soon after: leave it in cache where it fits */
#define CLP_COLD    0x2u /* the region is used later, or sparsely: keep it out of the cache */
#define CLP_NODRAIN 0x4u /* leave weakly ordered stores in flight; the caller calls clp_drain() before publishing */
#define CLP_NOPROBE 0x8u /* never read from the destination (device memory, memory whose reads have effects) */

/* Of clp_recycle() alone. */
#define CLP_TRACKED  0x10u /* may go by what the kernel says was written: nothing writes around the page tables */
#define CLP_SPLIT_OK 0x20u /* with CLP_TRACKED: huge pages too, which the first write to each then splits */
#define CLP_COUNT    0x40u /* count what is in memory, and in huge pages, before and after */

/* Operations, for the functions that take one. */
#define CLP_OP_CLEAR 0u
#define CLP_OP_COPY  1u

/*
 * clp_clear - set len bytes at addr to zero.
 *
 * addr: any alignment. len: any, up to the end of the address space. flags: a combination of CLP_HOT or CLP_COLD,
 * CLP_NODRAIN and CLP_NOPROBE.
 * On return every byte is zero and, without CLP_NODRAIN, the stores are ordered before any later store of this thread,
 * so that the region may be handed to another thread with a release store.
 * Returns 0; -EINVAL for unknown flags, for CLP_HOT with CLP_COLD, or for a region that wraps around the address space.
 * On error nothing has been written.
 */
CLP_API int clp_clear(void *addr, size_t len, unsigned flags);

/*
 * clp_clear_pages - set npages base pages (sysconf(_SC_PAGESIZE) bytes each) at addr to zero.
 *
 * addr: page-aligned. One call covers the whole extent, so that per-page set-up is paid once and the processor sees
 * the real length. Otherwise as clp_clear(). Returns also -EINVAL for an address that is not page-aligned and
 * -EOVERFLOW when npages times the page size exceeds SIZE_MAX.
 */
CLP_API int clp_clear_pages(void *addr, size_t npages, unsigned flags);

/*
 * clp_clear_around - set len bytes at base to zero, of which the page that holds `touch` is used at once.
 *
 * Clears what lies right of the neighbourhood of that page, then what lies left of it, then the neighbourhood itself, which is in cache on
 * return. Without a hint in `flags` the far parts are cleared as under CLP_COLD and the neighbourhood as under CLP_HOT;
 * a hint holds for all of it. radius: base pages each side of the touched one that are its neighbourhood, as far as they are in the region;
 * 0 to 512, 0: there is none, and all is far (Linux uses 2: mm/memory.c, folio_zero_user()). base, len: any. touch: an address in the region.
 * Returns 0; -EINVAL as clp_clear(), for a larger radius, and for a touched address outside of the region (unless len is 0). On error
 * nothing has been written.
 */
CLP_API int clp_clear_around(void *base, size_t len, const void *touch, unsigned flags, unsigned radius);

/*
 * clp_clear_batched - set len bytes at addr to zero in batches, and ask the caller between them whether to go on.
 *
 * options: NULL for the defaults. batch: bytes, at least a base page; 0: 8 MiB. Where clearing is slow, as on the first touch of memory,
 * and unless flags has CLP_NOPROBE, a batch is cut into steps: the first of 256 KiB, later ones of about 2 ms by the clock of
 * clock_gettime(CLOCK_MONOTONIC).
 * between: called after each batch or step but the last one, with what is clear so far, from addr on; whatever it returns but 0
 * ends the call. It may call any function of this library, also to clear in batches, and leave by longjmp(). Without CLP_NODRAIN
 * it may publish what is clear.
 * Returns how many bytes from addr on are clear: len, or less where `between` said so, and then the rest is untouched;
 * -EINVAL as clp_clear(), for options->sz or batch too small, and for a region of more than PTRDIFF_MAX bytes.
 */
struct clp_batch_options {
	size_t sz; /* in: sizeof(struct clp_batch_options) of the caller */
	size_t batch;
	int (*between)(void *arg, size_t done, size_t len);
	void *arg;
};
CLP_API ptrdiff_t clp_clear_batched(void *addr, size_t len, unsigned flags, const struct clp_batch_options *options);

/*
 * clp_clear_parallel, clp_populate_parallel - clear a region, or have all its pages made writable, with several threads.
 *
 * The threads are the library's own: started when first needed, asleep between, ended when unused for some seconds, with all signals
 * blocked but those that their own stores raise. The caller works as well; its affinity mask and its control group's CPU quota hold for all,
 * and each takes the parts first that live on its NUMA node. As many work as pay, which a call of 64 MiB or more finds out and later ones
 * know; until then one, to populate four; one below 8 MiB. options: NULL for the defaults. threads: at most so many, the caller among
 * them; 0: as many as pay. Where no more threads can be had, fewer do it.
 * Not async-signal-safe, and not between vfork() and exec: they take a lock and start threads. No cancellation points. After fork() the child
 * starts its own threads. A call that is in flight in another thread is not in the child: what it cleared there is what was clear at the
 * fork. A signal handler that interrupts a call must not fork.
 *
 * clp_clear_parallel: addr, len, flags as clp_clear(). Returns 0, or -EINVAL as clp_clear() and for options->sz too small.
 * Memory that can't be written raises SIGSEGV or SIGBUS, as for memset(), in whichever thread meets it.
 *
 * clp_populate_parallel: addr, len: multiples of the base page. Pages that are there are left as they are. By
 * madvise(MADV_POPULATE_WRITE), which fails where a store would raise SIGBUS. Returns 0; -EOPNOTSUPP on kernels before 5.14; -EINVAL; or
 * what madvise() says: -EFAULT short of huge pages or behind a file's end, -ENOMEM short of memory or not mapped, -EINVAL not writable,
 * -EHWPOISON. *done, where it is not NULL: the bytes from addr on that are there without a gap; beyond, other pages may be there too. A
 * control group's memory limit is the OOM killer's matter.
 */
struct clp_parallel_options {
	size_t sz; /* in: sizeof(struct clp_parallel_options) of the caller */
	unsigned threads;
};
CLP_API int clp_clear_parallel(void *addr, size_t len, unsigned flags, const struct clp_parallel_options *options);
CLP_API int clp_populate_parallel(void *addr, size_t len, const struct clp_parallel_options *options, size_t *done);

/*
 * clp_recycle - make a used region zero again, by the cheapest way that is safe.
 *
 * addr, len: any. flags: as clp_clear() without CLP_NODRAIN, and the three above. recycler: what is known of this region, one for each; all zero but `sz`
 * before the first round, and the same in each round. NULL: none of that, and CLP_TRACKED and CLP_COUNT are -EINVAL. No other thread may use the
 * region, or map or unmap in it, meanwhile. Pages that are only partly in the region are cleared as by clp_clear().
 *
 * What is done with private anonymous memory (of any other every byte is stored to, for whatever is behind it):
 *  - What is not in memory stays so: it reads as zero. What was swapped out is discarded.
 *  - The rest is cleared in place; where len is at least `threshold`, only the first `keep` bytes of it are, and madvise(MADV_DONTNEED) gives the
 *    others back, which the next use then pays for. threshold 0: never. Locked memory is always cleared in place.
 *  - With CLP_TRACKED pages are write-protected once they are zero (userfaultfd's asynchronous mode), and the next round clears those that were
 *    written since. Each first write to a page then costs a fault, so a sample finds out from time to time whether that pays, and where it does
 *    not nothing is protected. The caller asserts that nothing writes past the page tables: no io_uring registered buffers, VFIO, RDMA or other
 *    pins from before a round; and that no other tool protects it by PAGEMAP_SCAN. What is written so STAYS, unreported. `threshold` then holds where the memory can't be tracked.
 * A userfaultfd of the program's own is respected: its memory is cleared whole, and its missing pages are not taken for zero.
 *
 * Returns what was done, a sum of CLP_DID_*; -EINVAL as clp_clear(), and for flags that contradict each other; -ENOMEM where part of the region is not mapped,
 * -EACCES where it is not writable, what open() says of /proc/thread-self/maps (-ENOENT: no /proc; -EMFILE); then nothing was written.
 * It opens /proc/thread-self/maps, for tracked memory pagemap beside it, and keeps one userfaultfd for the process, as soon as it has to ask whether
 * the program's own has what is missing. That one is closed on exec and not used in a child; where a program closes it, the next round clears all.
 */
#define CLP_DID_CLEAR 0x1 /* stored zeros */
#define CLP_DID_SKIP  0x2 /* left alone what is zero: not written since the last round, or not in memory */
#define CLP_DID_DROP  0x4 /* gave memory back to the kernel */

/* Whether the region's pages are protected now, so that the next round can go by what was written; and why not. */
enum clp_tracking {
	CLP_TRACKING_UNASKED = 0, /* no CLP_TRACKED */
	CLP_TRACKING_ON,
	CLP_TRACKING_SAMPLE,   /* a part is, to find out whether it pays */
	CLP_TRACKING_RESTS,    /* it did not pay; another sample comes in some rounds */
	CLP_TRACKING_SMALL,    /* fewer than 1024 whole pages */
	CLP_TRACKING_HUGE,     /* all in huge pages, and no CLP_SPLIT_OK */
	CLP_TRACKING_MAPPING,  /* not private anonymous memory */
	CLP_TRACKING_TAKEN,    /* another userfaultfd has it */
	CLP_TRACKING_DENIED,   /* the system does not allow userfaultfd(2) or /proc/self/pagemap */
	CLP_TRACKING_MISSING   /* the kernel can't: Linux 6.7 on */
};

struct clp_recycler {
	size_t sz;        /* in: sizeof(struct clp_recycler) of the caller */
	size_t threshold; /* in: bytes; 0: never give memory back */
	size_t keep;      /* in: bytes */
	enum clp_tracking tracking;
	size_t cleared, skipped, dropped;       /* bytes, len in all */
	size_t resident_before, resident_after; /* with CLP_COUNT: bytes of whole pages in memory */
	size_t huge_before, huge_after;         /* and in huge pages; SIZE_MAX: this kernel (before Linux 6.7) does not say */
	uint64_t state[6];                      /* the library's */
};
CLP_API int clp_recycle(void *addr, size_t len, unsigned flags, struct clp_recycler *recycler);

/* clp_tracking_name - a word for it, as `bench recycle` shows: "on", "rests", ...; static, never NULL. */
CLP_API const char *clp_tracking_name(enum clp_tracking tracking);

/*
 * clp_copy_pages - copy npages base pages from src to dst.
 *
 * Both page-aligned and not overlapping. The hint speaks of the destination. CLP_NOPROBE is accepted and has no
 * effect: a copy reads its source in any case and never probes its destination. Returns as clp_clear_pages(), and -EINVAL for
 * regions that overlap.
 */
CLP_API int clp_copy_pages(void *dst, const void *src, size_t npages, unsigned flags);

/*
 * clp_clear_explicit - erase secrets: set len bytes at addr to zero, with guarantees.
 *
 * The call is never elided by a compiler, every byte is written through the mapping (never madvise() or a remapping in
 * its place), and all stores have completed, in the order of a full fence, on return. Copies that the
 * program made elsewhere (registers, swap, core dumps, other mappings' pages after copy-on-write) are outside its reach.
 * Returns 0, or -EINVAL for a region that wraps around the address space.
 */
CLP_API int clp_clear_explicit(void *addr, size_t len);

/*
 * clp_drain - order every earlier store of this thread, also weakly ordered ones, before its later stores.
 * To be called once after a series of CLP_NODRAIN calls, before the memory is published. On x86: SFENCE
 * (AMD64 APM vol. 3 "SFENCE"; Intel SDM vol. 2B "SFENCE").
 */
CLP_API void clp_drain(void);

/*
 * Routines. Each operation has a table of routines ("variants"), in a fixed order; an index is valid from 0 up to, not including,
 * clp_variant_count(). Indexes may differ between versions of the library; names do not change.
 */
#define CLP_TRAIT_NONTEMPORAL 0x1u /* bypasses the caches on write */
#define CLP_TRAIT_WEAK        0x2u /* leaves weakly ordered stores: fenced by the library unless CLP_NODRAIN */
#define CLP_TRAIT_STRING      0x4u /* one instruction for the whole extent: the processor sees its length */

struct clp_variant_info {
	size_t sz;               /* in: sizeof(struct clp_variant_info) of the caller */
	const char *name;        /* static, never NULL */
	const char *description; /* static, never NULL */
	const char *missing;     /* NULL where available; else why not, e.g. "CPU lacks clzero". Static. */
	unsigned op;             /* CLP_OP_CLEAR or CLP_OP_COPY */
	unsigned traits;         /* CLP_TRAIT_* */
	unsigned granule;        /* bytes: the routine itself handles multiples of this */
	unsigned alignment;      /* bytes: the alignment the routine itself needs; the library does heads and tails */
};

/* clp_variant_count - how many routines an operation has, available or not; 0 for an unknown operation. */
CLP_API unsigned clp_variant_count(unsigned op);

/*
 * clp_variant_get - describe routine `index` of operation `op`.
 * Set info->sz first. Returns 0; -EINVAL for a NULL or too small info; -ENOENT for an unknown operation or index.
 */
CLP_API int clp_variant_get(unsigned op, unsigned index, struct clp_variant_info *info);

/* clp_variant_find - the index of the routine called `name`; -ENOENT if there is none, -EINVAL for a NULL name. */
CLP_API int clp_variant_find(unsigned op, const char *name);

/*
 * clp_clear_with, clp_copy_with - clear or copy with routine `index`, past the policy and past clp_variant_force().
 *
 * Any alignment and length. flags: CLP_NODRAIN and, without effect, CLP_NOPROBE; a hint is -EINVAL, for it would be ignored. Returns 0; -EINVAL
 * as clp_clear() (copy: also for overlapping regions); -ENOENT for an unknown index; -ENOTSUP where the processor or
 * system lacks what the routine needs, or CLEARPAGES_DISABLE names it. On error nothing has been written.
 */
CLP_API int clp_clear_with(unsigned index, void *addr, size_t len, unsigned flags);
CLP_API int clp_copy_with(unsigned index, void *dst, const void *src, size_t len, unsigned flags);

/*
 * clp_variant_force - make every later call of `op` under hint `hint` use the routine called `name`.
 *
 * hint: 0 (AUTO), CLP_HOT, CLP_COLD, or CLP_HOT | CLP_COLD for all three. name: a routine, or NULL to give the choice
 * back to the policy. A forced routine serves every length; probing stops. Returns 0, -EINVAL, -ENOENT or -ENOTSUP as
 * above. The change reaches other threads' later calls without a lock; calls in flight finish with what they had.
 */
CLP_API int clp_variant_force(unsigned op, unsigned hint, const char *name);

/*
 * clp_choice - what the policy would do with a call, without doing it.
 *
 * len: bytes. flags: as for the call. resident: for lengths that are probed, what the probe is taken to find
 * (0 not in cache, 1 in cache). Writes to *index the routine, to *probed whether the call would probe; either may be NULL.
 * Returns 0, or -EINVAL for an unknown operation or flags.
 */
CLP_API int clp_choice(unsigned op, size_t len, unsigned flags, int resident, unsigned *index, int *probed);

/*
 * Counters: what was cleared and copied, by which routine, for how long. Off by default; off they cost one predicted branch in a
 * call. On, a call costs 25 to 45 ns more: two reads of the time stamp counter, the CPU's number and three relaxed atomic
 * additions (measured, docs/counters.md).
 */
struct clp_counters {
	size_t sz; /* in: sizeof(struct clp_counters) of the caller */
	/* [0]: calls of at most one base page; [1]: calls of more */
	uint64_t calls[2];
	uint64_t bytes[2];
	uint64_t cycles[2]; /* time stamp counter ticks (x86: TSC reference cycles), fence included; 0 where there is no counter */
};

/* clp_counters_enable - switch counting on (1) or off (0); returns the former state. Values are kept. */
CLP_API int clp_counters_enable(int on);

/*
 * clp_counters_read - add up the counters of routine `index` of `op`. Set counters->sz first.
 * A reading taken while other threads clear may be ahead in one field and behind in another. Returns as clp_variant_get().
 */
CLP_API int clp_counters_read(unsigned op, unsigned index, struct clp_counters *counters);

/* clp_counters_reset - set all counters to zero. Additions in flight may survive. */
CLP_API void clp_counters_reset(void);

/*
 * The measured profile (see clearpages-tune(1)). A constructor loads $CLEARPAGES_PROFILE, else /etc/clearpages/profile; a process
 * that runs with raised privileges (AT_SECURE) ignores the variable.
 */
enum clp_profile_state {
	CLP_PROFILE_NONE = 0, /* no profile was found: built-in defaults are in use */
	CLP_PROFILE_USED,     /* loaded and in use */
	CLP_PROFILE_FOREIGN,  /* valid, but measured on another processor or hypervisor: ignored */
	CLP_PROFILE_DAMAGED,  /* unreadable, too large or not a valid profile: ignored */
	CLP_PROFILE_OFF       /* switched off: $CLEARPAGES_PROFILE is empty */
};

/* clp_profile_status - the state of the profile and, where `path` is not NULL, the file tried (static; "" for none). */
CLP_API enum clp_profile_state clp_profile_status(const char **path);

/*
 * clp_profile_load - replace the profile in use by the file at `path`; NULL: by the built-in defaults.
 *
 * Reads the file with open() and read() into a static buffer: not for signal handlers, and not for two threads at once
 * (the second gets -EBUSY). Clearing calls may run meanwhile. Returns 0; the errno of open() or read() negated; -EINVAL for a damaged profile; -ESTALE for a
 * foreign one. On error the profile in use stays.
 */
CLP_API int clp_profile_load(const char *path);

/*
 * clp_strerror - an English sentence without a full stop for an error returned by this library (negative or positive);
 * static, never NULL.
 */
CLP_API const char *clp_strerror(int error);

/* clp_version - "MAJOR.MINOR.PATCH" of the library that runs (the macros above are those it was compiled against). */
CLP_API const char *clp_version(void);

#ifdef __cplusplus
}
#endif

#endif
