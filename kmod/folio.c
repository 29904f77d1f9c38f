// SPDX-License-Identifier: GPL-2.0-only
/*
 * folio.c - how a folio is cleared: in extents, in batches, the neighbourhood of the touched page last.
 */
#include "kmod.h"

#include <asm/msr.h>
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/sizes.h>

/* Without preemption: so much between two reschedule points, as mainline's range clearing does (DESIGN, kernel paths). */
#define BATCH_UNPREEMPTED (SZ_32M >> PAGE_SHIFT)

u64 clp_setting_word;

struct part {
	unsigned long first, npages;
};

static void clear_part(const struct clp_target *t, enum clp_routine routine, struct part part, unsigned long batch)
{
	unsigned long n;

	for (; part.npages; part.first += n, part.npages -= n) {
		n = min(part.npages, batch);
		cond_resched();
		clp_clear(routine, t->base + (part.first << PAGE_SHIFT), n << PAGE_SHIFT);
	}
}

/* A call is counted, or not, as it was at its beginning: else a time would be taken from nowhere. */
static u64 now(bool counting)
{
	return counting ? rdtsc_ordered() : 0;
}

static void count(bool counting, enum clp_routine routine, const struct clp_target *t, unsigned long npages, u64 since)
{
	if (counting && npages)
		clp_count(routine, ilog2(t->npages), npages, rdtsc_ordered() - since);
}

/* Right of the neighbourhood, left of it, then itself: it is in the cache when the fault returns. */
static void clear_extents(const struct clp_target *t, union clp_setting s, unsigned long batch)
{
	unsigned long from = t->touched - min_t(unsigned long, t->touched, s.radius);
	unsigned long to = min(t->touched + s.radius + 1, t->npages);
	bool counting = static_branch_likely(&clp_counting);
	u64 since = now(counting);

	if (!s.radius)
		from = to = 0;
	clear_part(t, s.far, (struct part){ to, t->npages - to }, batch);
	clear_part(t, s.far, (struct part){ 0, from }, batch);
	if (s.near != s.far) {
		count(counting, s.far, t, t->npages - (to - from), since);
		since = now(counting);
	}
	clear_part(t, s.near, (struct part){ from, to - from }, batch);
	count(counting, s.near, t, s.near == s.far ? t->npages : to - from, since);
}

static bool is_near(const struct clp_target *t, union clp_setting s, unsigned long page)
{
	return s.radius && page + s.radius >= t->touched && page <= t->touched + s.radius;
}

/*
 * Page by page from the far end, then from both in turn, towards the touched page; what is larger than the allocator's largest order in
 * ascending order. The kernel did so before it had the range primitive.
 */
static void clear_converging(const struct clp_target *t, union clp_setting s)
{
	unsigned long low = 0, high = t->npages, page, near = 0;
	bool ascending = t->npages > 1ul << CLP_ORDER_LARGEST;
	bool counting = static_branch_likely(&clp_counting);
	u64 start = now(counting), in_near = 0, since;

	while (low < high) {
		if (ascending || t->touched - low > high - 1 - t->touched)
			page = low++;
		else
			page = --high;
		cond_resched();
		if (!is_near(t, s, page)) {
			clp_clear(s.far, t->base + (page << PAGE_SHIFT), PAGE_SIZE);
			continue;
		}
		since = now(counting);
		clp_clear(s.near, t->base + (page << PAGE_SHIFT), PAGE_SIZE);
		in_near += now(counting) - since;
		near++;
	}
	if (s.near == s.far) {
		count(counting, s.far, t, t->npages, start);
		return;
	}
	count(counting, s.far, t, t->npages - near, start + in_near);
	count(counting, s.near, t, near, now(counting) - in_near);
}

void clp_clear_target(struct clp_target target)
{
	union clp_setting s = clp_setting_now();

	might_sleep();
	/* Switched to `kernel` after the hook had looked: this call is ours already. */
	if (s.far == CLP_KERNEL)
		s.far = s.near;
	if (s.batch == CLP_BATCH_PAGE)
		clear_converging(&target, s);
	else if (s.batch != CLP_BATCH_AUTO)
		clear_extents(&target, s, s.batch);
	else
		clear_extents(&target, s, clp_preemptible() ? target.npages : BATCH_UNPREEMPTED);
}
