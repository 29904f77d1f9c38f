/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kmod.h - what the module's files share: the routines, the setting, the counters, and each file's way in and out.
 */
#ifndef KMOD_H
#define KMOD_H

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/build_bug.h>
#include <linux/jump_label.h>
#include <linux/kobject.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "compat.h"
#include "lib/variant.h"

/*
 * Routines. `kernel` leaves the kernel's own code to do it; the others are the clearing rows of lib/arch/x86/variants.def, and in the
 * tests' module those of broken.def.
 */
#define CLP_NONTEMPORAL 1
#define CLP_WEAK        2
#define CLP_STRING      4
#define CLP_VECTOR      8
#define NONTEMPORAL CLP_NONTEMPORAL
#define WEAK        CLP_WEAK
#define STRING      CLP_STRING
#define VECTOR      CLP_VECTOR

enum clp_routine {
	CLP_KERNEL,
#define ID_clear(name) CLP_##name,
#define ID_copy(name)
#define VARIANT(name, op, ...) ID_##op(name)
#include "lib/arch/x86/variants.def"
#ifdef CLEARPAGES_TEST
#include "broken.def"
#endif
#undef VARIANT
	CLP_ROUTINES
};

struct clp_routine_facts {
	const char *name;
	const char *unusable; /* why it can't be used here, or NULL */
	u8 needs;
	u8 traits;
	u8 granule; /* lengths are multiples of it */
	u8 alignment;
};
extern struct clp_routine_facts clp_routines[CLP_ROUTINES];

int clp_routines_init(void);
/* The routine of that name, or -EINVAL. */
int clp_routine_find(const char *name);
enum clp_routine clp_default_far(void);
enum clp_routine clp_default_near(void);

/*
 * Clear with that routine. addr and len: multiples of its alignment and granule. All stores are ordered before whatever follows. Vector
 * routines need process context.
 */
void clp_clear(enum clp_routine routine, void *addr, size_t len);
/* One that uses no vector register: it may run anywhere. */
void clp_clear_scalar(enum clp_routine routine, void *addr, size_t len);

int clp_selftest(void);

/*
 * The setting, in one word so that a call sees all of it from one moment.
 */
#define CLP_BATCH_AUTO 0u
#define CLP_BATCH_PAGE U32_MAX /* page by page, converging on the touched one, as kernels before the range primitive */
#define CLP_RADIUS_MAX 512u

union clp_setting {
	struct {
		u8 far;     /* enum clp_routine; CLP_KERNEL: the call is left alone */
		u8 near;
		u16 radius; /* pages each side of the touched one; 0: no neighbourhood */
		u32 batch;  /* pages, or CLP_BATCH_... */
	};
	u64 word;
};
extern u64 clp_setting_word;

static __always_inline union clp_setting clp_setting_now(void)
{
	return (union clp_setting){ .word = READ_ONCE(clp_setting_word) };
}

void clp_clear_target(struct clp_target target);

/* hook.c: take over the kernel's function, and leave it again. */
int clp_hook_enable(void);
int clp_hook_disable(void);
enum clp_hook_state { CLP_HOOK_OFF, CLP_HOOK_ON, CLP_HOOK_MUTE /* on, while kernel.ftrace_enabled is 0 */ };
enum clp_hook_state clp_hook_state(void);
void clp_hook_exit(void); /* until no call is in our code */

/* order0.c: clear the pages of small faults with that routine, or, with CLP_KERNEL, don't. */
int clp_order0_set(enum clp_routine routine);
enum clp_routine clp_order0_get(void);
unsigned long clp_order0_missed(void);

/*
 * Counters, for each processor: calls, pages and TSC cycles by routine and order, and how long calls took.
 */
enum clp_count { CLP_CALLS, CLP_PAGES, CLP_CYCLES, CLP_COUNTS };
#define CLP_SLOTS   11 /* orders 0, 2 to 10, 18 */
#define CLP_BUCKETS 40 /* of the histogram: 2^n to 2^(n+1) - 1 cycles a call; the last one has all above */

struct clp_counters {
	u64 count[CLP_ROUTINES][CLP_SLOTS][CLP_COUNTS];
	u64 histogram[CLP_ROUTINES][CLP_BUCKETS];
};
static_assert(sizeof(struct clp_counters) <= 16 << 10);

DECLARE_STATIC_KEY_TRUE(clp_counting);
void clp_count(enum clp_routine routine, unsigned int order, unsigned long npages, u64 cycles);
/* A call that was left to the kernel: not timed. */
void clp_count_left(unsigned long npages);
unsigned int clp_slot_order(unsigned int slot);

/* Sleeps until a counter that goes up on one processor and down on another is 0 in all. */
void clp_wait_for_none(const long __percpu *in_flight);

int clp_counters_init(void);
void clp_counters_exit(void);
void clp_counters_reset(void);
/* The counter at that offset of struct clp_counters, over all processors, since the last reset. */
u64 clp_counters_read(size_t at);

/* sysfs.c, tree.c (stats/), bench.c (debugfs) */
int clp_sysfs_init(void);
void clp_sysfs_exit(void);
int clp_tree_init(struct kobject *parent);
void clp_tree_exit(void);
void clp_bench_init(void);
void clp_bench_exit(void);

#endif
