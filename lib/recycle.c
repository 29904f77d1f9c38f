/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * recycle.c - make a used region zero again by the cheapest safe way: in place, by giving memory back, or only what was written since the last round.
 *
 * The one thing it must never do is to take a byte for zero that is not. What may be left alone is a page of private anonymous memory that is not in memory,
 * and one that this library protected when it was zero and that the kernel says was not written since.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "learn.h"
#include "lib.h"
#include "mapping.h"
#include "track.h"

#define RECYCLE_FLAGS (CLP_HINTS | CLP_NOPROBE | CLP_TRACKED | CLP_SPLIT_OK | CLP_COUNT)
#define CLEAR_FLAGS   (CLP_HINTS | CLP_NOPROBE)
#define TRACKED_LEAST 1024u /* pages: less is cleared in the time that asking takes */
#define SAMPLED	      64u   /* a sample is one page in so many */
#define STRIPES	      64u   /* in which they lie; fewer in a small region */
#define TRIED	      16u   /* pages whose first write is timed */
#define LISTED	      256u
/* Protecting a stretch costs a call; looking whether a page has to be, so much less (measured, docs/recycle.md). */
#define CALL_PAGES 384u

_Static_assert(sizeof(struct clp_learnt) <= sizeof(((struct clp_recycler *)0)->state), "the state has room for what is learnt");

struct round {
	unsigned flags;
	bool drop;	      /* the threshold is reached */
	size_t keep;	      /* bytes that may still be kept */
	uintptr_t start, end; /* the whole pages of the region */
	int pagemap;	      /* a descriptor, or why there is none */
	bool track;	      /* then there is a descriptor */
	bool release;	      /* from the tracking of earlier rounds */
	bool fresh;	      /* some of it was not under tracking yet */
	struct clp_learnt learnt;
	struct clp_seen seen;
	enum clp_tracking tracking;
	size_t cleared, skipped, dropped;
};

static void clear(struct round *r, uintptr_t from, uintptr_t end)
{
	uint64_t start = r->track ? clp_nanoseconds(CLOCK_MONOTONIC) : 0;

	if (from == end)
		return;
	clp_clear((void *)from, end - from, (r->flags & CLEAR_FLAGS) | CLP_NODRAIN);
	r->cleared += end - from;
	if (r->track) {
		r->seen.clear_ns += clp_nanoseconds(CLOCK_MONOTONIC) - start;
		r->seen.cleared += (end - from) / clp_cpu_page();
	}
}

/* False where the kernel won't: locked memory. */
static bool discard(uintptr_t from, uintptr_t end)
{
	return !madvise((void *)from, end - from, MADV_DONTNEED);
}

/* What missing pages read as. */
enum missing { MISSING_UNKNOWN, MISSING_ZERO, MISSING_OTHER };

static enum missing ask_missing(uintptr_t at)
{
	return clp_track_taken(at) ? MISSING_OTHER : MISSING_ZERO;
}

/* All of it: clear what is in memory, discard what is swapped out, leave what never was. */
static void in_place(struct round *r, uintptr_t from, uintptr_t end, enum missing missing)
{
	struct clp_residency known = { 0 };

	while (from < end) {
		bool there = true;
		uintptr_t to = clp_resident_run(&known, from, end, &there);

		if (!to)
			to = end;
		if (!there && missing == MISSING_UNKNOWN)
			missing = ask_missing(from);
		if (there || missing == MISSING_OTHER || !discard(from, to))
			clear(r, from, to);
		else
			r->skipped += to - from;
		from = to;
	}
}

static void drop(struct round *r, uintptr_t from, uintptr_t end)
{
	enum missing missing = ask_missing(from);
	size_t kept = end - from < r->keep ? end - from : r->keep;

	r->keep -= kept;
	in_place(r, from, from + kept, missing);
	from += kept;
	if (from == end)
		return;
	if (missing == MISSING_OTHER || !discard(from, end))
		in_place(r, from, end, missing);
	else
		r->dropped += end - from;
}

/* Returns 0, or what the kernel says. */
static int protect(struct round *r, uintptr_t from, uintptr_t end)
{
	ptrdiff_t pages = clp_protect(r->pagemap, from, end, r->flags & CLP_SPLIT_OK);

	if (pages < 0)
		return (int)pages;
	r->learnt.guarded += (uint32_t)pages;
	return 0;
}

/* After they were cleared: each stretch, or all from the first to the last of them. */
static int protect_again(struct round *r, const struct clp_pages *pages, unsigned n)
{
	size_t span = (pages[n - 1].end - pages[0].start) / clp_cpu_page();
	int err = 0;

	if (span < (size_t)n * CALL_PAGES)
		return protect(r, (uintptr_t)pages[0].start, (uintptr_t)pages[n - 1].end);
	for (unsigned i = 0; i < n && !err; i++)
		err = protect(r, (uintptr_t)pages[i].start, (uintptr_t)pages[i].end);
	return err;
}

/* Clear what was written since the last round, and protect it again. */
static int written(struct round *r, uintptr_t from, uintptr_t end)
{
	struct clp_pages pages[LISTED];
	size_t before = r->cleared;
	uintptr_t at = from;

	while (at < end) {
		int n = clp_scan(r->pagemap, CLP_SCAN_WRITTEN, &at, end, pages, LISTED), err;

		if (n < 0)
			return n;
		for (int i = 0; i < n; i++) {
			uintptr_t first = (uintptr_t)pages[i].start, last = (uintptr_t)pages[i].end;

			if (pages[i].is & CLP_PAGES_PRESENT || !discard(first, last))
				clear(r, first, last);
		}
		if (!n || r->learnt.mode != CLP_LEARN_TRACK)
			continue;
		err = protect_again(r, pages, (unsigned)n);
		if (err)
			return err;
	}
	r->skipped += end - from - (r->cleared - before);
	return 0;
}

static enum clp_tracking why(int error)
{
	switch (error) {
	case -EBUSY:
		return CLP_TRACKING_TAKEN;
	case -ENOSYS:
		return CLP_TRACKING_MISSING;
	default:
		return CLP_TRACKING_DENIED;
	}
}

/* Nothing is known to be clean in it. */
static void track_whole(struct round *r, uintptr_t from, uintptr_t end)
{
	in_place(r, from, end, MISSING_ZERO);
	r->seen.whole = true;
}

static void track_mapping(struct round *r, uintptr_t from, uintptr_t end)
{
	uint64_t start = clp_nanoseconds(CLOCK_MONOTONIC), clear_ns = r->seen.clear_ns;
	size_t cleared = r->cleared, skipped = r->skipped;

	if (written(r, from, end)) {
		r->cleared = cleared;
		r->skipped = skipped;
		track_whole(r, from, end);
	}
	r->seen.whole |= r->learnt.mode != CLP_LEARN_TRACK;
	r->seen.watch_ns += clp_nanoseconds(CLOCK_MONOTONIC) - start - (r->seen.clear_ns - clear_ns);
}

/* False where it can't be tracked: then nothing was done. */
static bool tracked(struct round *r, uintptr_t from, uintptr_t end)
{
	bool fresh = true;
	int err;

	r->seen.pages += (end - from) / clp_cpu_page();
	err = clp_track(r->pagemap, from, end, &fresh);
	if (err) {
		r->tracking = why(err);
		return false;
	}
	r->learnt.listed = true;
	r->fresh |= fresh;
	if (fresh || r->learnt.mode == CLP_LEARN_NEW || r->learnt.mode == CLP_LEARN_REST)
		track_whole(r, from, end);
	else
		track_mapping(r, from, end);
	return true;
}

static void recycle_mapping(struct round *r, uintptr_t from, uintptr_t end, bool anonymous)
{
	if (anonymous && r->release)
		clp_untrack(from, end);
	if (!anonymous) {
		if (r->track)
			r->tracking = CLP_TRACKING_MAPPING;
		clear(r, from, end);
	} else if (r->track && tracked(r, from, end)) {
		return;
	} else if (r->drop) {
		drop(r, from, end);
	} else {
		in_place(r, from, end, MISSING_UNKNOWN);
	}
}

/*
 * Stripe i of the sample; false after the last one. Each lies elsewhere in its share of the region (by multiples of the golden ratio), for programs write to
 * regular places: the heads of buffers, say, at multiples of a power of two.
 */
static bool stripe(const struct round *r, size_t i, uintptr_t *from, uintptr_t *end)
{
	size_t page = clp_cpu_page(), pages = (r->end - r->start) / page, sample = pages / SAMPLED;
	size_t stripes = sample < STRIPES ? sample : STRIPES, len, room;

	if (i >= stripes)
		return false;
	len = sample / stripes;
	room = pages / stripes - len;
	*from = r->start + (i * (pages / stripes) + (uint32_t)(i * 0x9e3779b9u) % (room + 1)) * page;
	*end = *from + len * page;
	return true;
}

/* Bytes of [from, end) that the scan finds; or why it can't. */
static ptrdiff_t found(const struct round *r, enum clp_scan what, uintptr_t from, uintptr_t end)
{
	struct clp_pages pages[LISTED];
	ptrdiff_t bytes = 0;

	while (from < end) {
		int n = clp_scan(r->pagemap, what, &from, end, pages, LISTED);

		if (n < 0)
			return n;
		for (int i = 0; i < n; i++)
			bytes += (ptrdiff_t)(pages[i].end - pages[i].start);
	}
	return bytes;
}

/* Of the sample's pages, those that were not written. */
static size_t clean_sample(const struct round *r)
{
	uintptr_t from, end;
	size_t clean = 0;

	for (size_t i = 0; stripe(r, i, &from, &end); i++) {
		ptrdiff_t bytes = found(r, CLP_SCAN_PROTECTED, from, end);

		if (bytes < 0)
			return 0;
		clean += (size_t)bytes / clp_cpu_page();
	}
	return clean;
}

static int protect_sample(struct round *r)
{
	uintptr_t from, end;
	int err = 0;

	for (size_t i = 0; !err && stripe(r, i, &from, &end); i++)
		err = protect(r, from, end);
	return err;
}

/* What a fault costs: that of the first write to some protected pages, of the zero that is there. They are protected again. */
static int try_faults(struct round *r)
{
	size_t page = clp_cpu_page(), tried = 0;
	struct clp_pages pages[TRIED];
	uintptr_t from, end;
	uint64_t ns = 0;

	for (size_t i = 0; tried < TRIED && stripe(r, i, &from, &end); i++) {
		uintptr_t at = from;
		int n = clp_scan(r->pagemap, CLP_SCAN_PROTECTED, &at, end, pages, TRIED);

		if (n < 0)
			return n;
		for (int k = 0; k < n; k++) {
			uint64_t start = clp_nanoseconds(CLOCK_MONOTONIC);

			for (at = (uintptr_t)pages[k].start; at < pages[k].end && tried < TRIED; at += page, tried++)
				*(volatile char *)at = 0;
			ns += clp_nanoseconds(CLOCK_MONOTONIC) - start;
		}
	}
	if (!tried)
		return 0;
	r->learnt.fault = (float)ns / (float)tried;
	r->learnt.guarded -= (uint32_t)tried;
	return protect_sample(r);
}

/* Guard the region, all of it zero now, as the mode of the next round wants it. */
static int guard(struct round *r, enum clp_learn_mode was)
{
	struct clp_learnt *l = &r->learnt;
	int err = 0;

	switch (l->mode) {
	case CLP_LEARN_TRACK:
		r->tracking = CLP_TRACKING_ON;
		if (was == CLP_LEARN_TRACK && !r->fresh)
			break;
		err = protect(r, r->start, r->end);
		break;
	case CLP_LEARN_SAMPLE:
		r->tracking = CLP_TRACKING_SAMPLE;
		err = protect_sample(r);
		if (!err && l->guarded && !(l->fault > 0))
			err = try_faults(r);
		break;
	default:
		r->tracking = CLP_TRACKING_RESTS;
		if (was == CLP_LEARN_TRACK)
			clp_unprotect(r->start, r->end);
	}
	return err;
}

static bool only_huge(const struct round *r)
{
	struct clp_pages huge;
	uintptr_t at = r->start;

	return !(r->flags & CLP_SPLIT_OK) && clp_scan(r->pagemap, CLP_SCAN_HUGE, &at, r->end, &huge, 1) > 0;
}

/* Protection is a gain, not a duty: what is not protected counts as written. */
static void learn(struct round *r)
{
	enum clp_learn_mode was = (enum clp_learn_mode)r->learnt.mode;
	struct clp_seen *seen = &r->seen;
	int err;

	if (r->fresh)
		seen->guarded = seen->clean = 0;
	else if (was == CLP_LEARN_TRACK)
		seen->clean = seen->guarded > seen->cleared ? seen->guarded - seen->cleared : 0;
	clp_learn_round(&r->learnt, seen);
	if (was == CLP_LEARN_TRACK && r->learnt.mode == CLP_LEARN_TRACK)
		r->learnt.guarded += (uint32_t)seen->clean;
	else
		r->learnt.guarded = 0;
	err = guard(r, was);
	if (err)
		r->tracking = why(err);
	else if (r->learnt.mode == CLP_LEARN_SAMPLE && !r->learnt.guarded && only_huge(r))
		r->tracking = CLP_TRACKING_HUGE;
}

/* 0, or why a store somewhere in [from, end) would fail. */
static int check(struct clp_maps *maps, uintptr_t from, uintptr_t end)
{
	struct clp_mapping m;

	while (from < end) {
		if (!clp_maps_next(maps, from, &m) || m.start > from)
			return -ENOMEM;
		if (!m.writable)
			return -EACCES;
		from = m.end;
	}
	return 0;
}

static void recycle_pages(struct round *r, struct clp_maps *maps)
{
	uintptr_t from = r->start;
	struct clp_mapping m;

	clp_maps_rewind(maps);
	while (from < r->end) {
		/* What is not said of a mapping is taken for the worst. */
		bool known = clp_maps_next(maps, from, &m) && m.start <= from;
		uintptr_t to = known && m.end < r->end ? m.end : r->end;

		recycle_mapping(r, from, to, known && m.anonymous);
		from = to;
	}
}

/* What is in memory, and in huge pages, of the region. */
static void count(const struct round *r, size_t *resident, size_t *huge)
{
	ptrdiff_t bytes = r->pagemap >= 0 ? found(r, CLP_SCAN_HUGE, r->start, r->end) : r->pagemap;

	*resident = clp_resident(r->start, r->end);
	*huge = bytes < 0 ? SIZE_MAX : (size_t)bytes;
}

static void open_round(struct round *r, struct clp_recycler *recycler)
{
	memcpy(&r->learnt, recycler->state, sizeof(r->learnt));
	if (!r->track && r->learnt.listed) {
		r->release = true;
		r->learnt = (struct clp_learnt){ 0 };
	}
	if (r->track && (r->end - r->start) / clp_cpu_page() < TRACKED_LEAST) {
		r->track = false;
		r->tracking = CLP_TRACKING_SMALL;
	}
	r->pagemap = r->track || r->flags & CLP_COUNT ? clp_pagemap_open() : -EBADF;
	if (r->track && r->pagemap < 0) {
		r->track = false;
		r->tracking = why(r->pagemap);
	}
	if (!r->track)
		return;
	r->seen.guarded = r->learnt.guarded;
	if (r->learnt.mode == CLP_LEARN_SAMPLE)
		r->seen.clean = clean_sample(r);
	r->learnt.guarded = 0;
}

static void close_round(struct round *r, struct clp_recycler *recycler)
{
	if (r->track && r->tracking == CLP_TRACKING_UNASKED)
		learn(r);
	memcpy(recycler->state, &r->learnt, sizeof(r->learnt));
	recycler->tracking = r->tracking;
}

static bool refused(const void *addr, size_t len, unsigned flags, const struct clp_recycler *recycler)
{
	return flags & ~RECYCLE_FLAGS || clp_refused(addr, len, flags & CLEAR_FLAGS) || (recycler && recycler->sz < sizeof(*recycler)) ||
	       (!recycler && flags & (CLP_TRACKED | CLP_COUNT)) || (flags & CLP_SPLIT_OK && !(flags & CLP_TRACKED));
}

int clp_recycle(void *addr, size_t len, unsigned flags, struct clp_recycler *recycler)
{
	uintptr_t page = clp_cpu_page(), from = (uintptr_t)addr, end = from + len;
	struct clp_recycler none = { .sz = sizeof(none) }, *c = recycler ? recycler : &none;
	struct round r = { .flags = flags, .track = flags & CLP_TRACKED, .pagemap = -EBADF };
	struct clp_maps maps;
	int was = errno, err;

	if (refused(addr, len, flags, recycler))
		return -EINVAL;
	err = clp_maps_open(&maps);
	if (!err && len) {
		err = check(&maps, from & ~(page - 1), end);
		if (err)
			clp_maps_close(&maps);
	}
	errno = was;
	if (err)
		return err;
	/* The last page of the address space, where rounding up would wrap, is the kernel's. */
	r.start = (from + page - 1) & ~(page - 1);
	r.end = end & ~(page - 1);
	if (r.start >= r.end || !len)
		r.start = r.end = end;
	r.drop = c->threshold && len >= c->threshold;
	r.keep = ((c->keep < len ? c->keep : len) + page - 1) & ~(page - 1);
	open_round(&r, c);
	if (flags & CLP_COUNT)
		count(&r, &c->resident_before, &c->huge_before);
	clear(&r, from, r.start);
	recycle_pages(&r, &maps);
	clp_maps_close(&maps);
	clear(&r, r.end, end);
	clp_drain();
	close_round(&r, c);
	if (flags & CLP_COUNT)
		count(&r, &c->resident_after, &c->huge_after);
	if (r.pagemap >= 0)
		close(r.pagemap);
	c->cleared = r.cleared;
	c->skipped = r.skipped;
	c->dropped = r.dropped;
	errno = was;
	return (r.cleared ? CLP_DID_CLEAR : 0) | (r.skipped ? CLP_DID_SKIP : 0) | (r.dropped ? CLP_DID_DROP : 0);
}

const char *clp_tracking_name(enum clp_tracking tracking)
{
	static const char *const names[] = {
		[CLP_TRACKING_UNASKED] = "unasked", [CLP_TRACKING_ON] = "on",	      [CLP_TRACKING_SAMPLE] = "sample",
		[CLP_TRACKING_RESTS] = "rests",	    [CLP_TRACKING_SMALL] = "small",   [CLP_TRACKING_HUGE] = "huge",
		[CLP_TRACKING_MAPPING] = "mapping", [CLP_TRACKING_TAKEN] = "taken",   [CLP_TRACKING_DENIED] = "denied",
		[CLP_TRACKING_MISSING] = "missing",
	};

	return (size_t)tracking < sizeof(names) / sizeof(names[0]) ? names[tracking] : "unknown";
}
