// SPDX-License-Identifier: GPL-2.0-only
/*
 * counters.c - what was cleared, by whom, how long it took: counters of each processor, added up when they are read.
 *
 * Resetting remembers the sums instead of writing zeros under those who count.
 */
#include "kmod.h"

#include <linux/log2.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>

DEFINE_STATIC_KEY_TRUE(clp_counting);

/* A per-CPU pointer: its members are only ever reached through this_cpu_ and per_cpu_ptr(). */
static struct clp_counters __percpu *counters;
static struct clp_counters *before; /* the sums at the last reset */
static DEFINE_MUTEX(reset_lock);

static int slot_of(unsigned int order)
{
	if (order == 0)
		return 0;
	if (order >= 2 && order <= 10)
		return order - 1;
	return order == 18 ? 10 : -1;
}

unsigned int clp_slot_order(unsigned int slot)
{
	if (slot == 0)
		return 0;
	return slot == CLP_SLOTS - 1 ? 18 : slot + 1;
}

void clp_count(enum clp_routine routine, unsigned int order, unsigned long npages, u64 cycles)
{
	int slot = slot_of(order);

	if (slot < 0)
		return;
	/* It began on another processor, of which the time stamp counter is ahead. */
	if ((s64)cycles < 0)
		cycles = 0;
	this_cpu_inc(counters->count[routine][slot][CLP_CALLS]);
	this_cpu_add(counters->count[routine][slot][CLP_PAGES], npages);
	this_cpu_add(counters->count[routine][slot][CLP_CYCLES], cycles);
	this_cpu_inc(counters->histogram[routine][min_t(unsigned int, ilog2(cycles | 1), CLP_BUCKETS - 1)]);
}

void clp_count_left(unsigned long npages)
{
	int slot = slot_of(ilog2(npages));

	if (slot < 0)
		return;
	this_cpu_inc(counters->count[CLP_KERNEL][slot][CLP_CALLS]);
	this_cpu_add(counters->count[CLP_KERNEL][slot][CLP_PAGES], npages);
}

/* `at`: an offset into struct clp_counters. */
static u64 sum(size_t at)
{
	u64 total = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		total += READ_ONCE(*(u64 *)((void *)per_cpu_ptr(counters, cpu) + at));
	return total;
}

u64 clp_counters_read(size_t at)
{
	/* First: counters only grow, so a reset meanwhile can't make the difference negative. */
	u64 base = READ_ONCE(*(u64 *)((void *)before + at));

	return sum(at) - base;
}

void clp_counters_reset(void)
{
	size_t at;

	mutex_lock(&reset_lock);
	for (at = 0; at < sizeof(*before); at += sizeof(u64))
		WRITE_ONCE(*(u64 *)((void *)before + at), sum(at));
	mutex_unlock(&reset_lock);
}

void clp_wait_for_none(const long __percpu *in_flight)
{
	long sum;
	int cpu;

	do {
		schedule_timeout_uninterruptible(1);
		sum = 0;
		for_each_possible_cpu(cpu)
			sum += READ_ONCE(*per_cpu_ptr(in_flight, cpu));
	} while (sum);
}

int clp_counters_init(void)
{
	before = kzalloc(sizeof(*before), GFP_KERNEL);
	counters = alloc_percpu(struct clp_counters);
	if (before && counters)
		return 0;
	clp_counters_exit();
	return -ENOMEM;
}

void clp_counters_exit(void)
{
	free_percpu(counters);
	kfree(before);
}
