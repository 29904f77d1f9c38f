// SPDX-License-Identifier: GPL-2.0-only
/*
 * order0.c - clears the single pages of anonymous faults, by a return probe on their allocation: it takes __GFP_ZERO away on entry and
 * clears on return.
 *
 * A page whose flag was taken must be cleared, whatever happens: so an entry counts itself, and the probe goes only when all have
 * returned. A probe that finds no free instance is missed on entry already; then the kernel clears as ever.
 */
#include "kmod.h"

#include <asm/msr.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>

/* Allocations may sleep in reclaim, so there can be many more at a time than processors. */
#define INSTANCES_PER_CPU 32

static DEFINE_MUTEX(lock); /* registered, changes of chosen */
static bool registered;
static u8 chosen = CLP_KERNEL;
static DEFINE_PER_CPU(long, in_flight);

static int on_entry(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	gfp_t gfp = (__force gfp_t)regs_get_kernel_argument(regs, 0);
	unsigned int order = regs_get_kernel_argument(regs, 1);
	u8 routine = READ_ONCE(chosen);

	/* Not 0: this return is of no interest. */
	if (order || !(gfp & __GFP_ZERO) || routine == CLP_KERNEL)
		return 1;
	regs->di = (__force unsigned long)(gfp & ~__GFP_ZERO);
	*(u8 *)instance->data = routine;
	this_cpu_inc(in_flight);
	return 0;
}
NOKPROBE_SYMBOL(on_entry);

static int on_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct folio *folio = (struct folio *)regs_return_value(regs);
	enum clp_routine routine = *(u8 *)instance->data;
	bool counting = static_branch_likely(&clp_counting);
	u64 since;

	if (folio) {
		since = counting ? rdtsc_ordered() : 0;
		clp_clear_scalar(routine, folio_address(folio), PAGE_SIZE);
		if (counting)
			clp_count(routine, 0, 1, rdtsc_ordered() - since);
	}
	this_cpu_dec(in_flight);
	return 0;
}
NOKPROBE_SYMBOL(on_return);

static struct kretprobe probe = {
	.kp.symbol_name = CLP_ALLOC_FUNCTION,
	.entry_handler = on_entry,
	.handler = on_return,
	.data_size = sizeof(u8),
};

static int start(enum clp_routine routine)
{
	int err;

	/* A probe that has been registered once keeps what the kernel wrote into it. */
	probe.kp.addr = NULL;
	probe.kp.flags = 0;
	probe.maxactive = INSTANCES_PER_CPU * num_possible_cpus();
	probe.nmissed = 0;
	err = register_kretprobe(&probe);
	if (err)
		pr_warn("order0: '%s': %s can't be probed (error %d)\n", clp_routines[routine].name, CLP_ALLOC_FUNCTION, err);
	registered = !err;
	return err;
}

static void stop(void)
{
	/* First those who have looked at `chosen` and not counted yet: handlers run with preemption off. */
	synchronize_rcu();
	clp_wait_for_none(&in_flight);
	unregister_kretprobe(&probe);
	registered = false;
}

int clp_order0_set(enum clp_routine routine)
{
	int err = 0;

	mutex_lock(&lock);
	if (routine == CLP_KERNEL) {
		WRITE_ONCE(chosen, CLP_KERNEL);
		if (registered)
			stop();
	} else if (want_init_on_alloc(0)) {
		pr_warn("order0: '%s': with init_on_alloc the allocator clears each page whatever its caller asks; boot with init_on_alloc=0\n",
			clp_routines[routine].name);
		err = -EOPNOTSUPP;
	} else {
		if (!registered)
			err = start(routine);
		if (!err)
			WRITE_ONCE(chosen, routine);
	}
	mutex_unlock(&lock);
	return err;
}

enum clp_routine clp_order0_get(void)
{
	return READ_ONCE(chosen);
}

unsigned long clp_order0_missed(void)
{
	/* No instance was free; or another probe was at work on this processor. */
	return READ_ONCE(probe.nmissed) + READ_ONCE(probe.kp.nmissed);
}
