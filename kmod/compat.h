/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compat.h - all that differs between kernel versions: the hooked functions, their arguments, ftrace's register access.
 *
 * Tested: 6.1 and 6.12. Any other builds only with CLEARPAGES_UNTESTED_KERNEL=1.
 */
#ifndef KMOD_COMPAT_H
#define KMOD_COMPAT_H

#include <linux/ftrace.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/version.h>

#define CLP_KERNEL_IS(major, minor) \
	(LINUX_VERSION_CODE >= KERNEL_VERSION(major, minor, 0) && LINUX_VERSION_CODE < KERNEL_VERSION(major, (minor) + 1, 0))

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "clearpages: this kernel is older than 6.1, the oldest that the module knows"
#elif !CLP_KERNEL_IS(6, 1) && !CLP_KERNEL_IS(6, 12) && !defined(CLEARPAGES_UNTESTED_KERNEL)
#error "clearpages: tested with kernels 6.1 and 6.12 only; to try another, build with CLEARPAGES_UNTESTED_KERNEL=1"
#endif
#ifdef CONFIG_HIGHMEM
#error "clearpages: kernels with HIGHMEM can't map a folio as one extent"
#endif
#ifndef CONFIG_X86_64
#error "clearpages: x86-64 only"
#endif
#if !defined(CONFIG_DYNAMIC_FTRACE_WITH_ARGS) || !defined(CONFIG_KRETPROBES)
#error "clearpages: this kernel lacks CONFIG_DYNAMIC_FTRACE_WITH_ARGS or CONFIG_KRETPROBES"
#endif

/* What is to be cleared: a folio's first byte in the direct map, its size, and the page that is about to be used. */
struct clp_target {
	void *base;
	unsigned long npages;
	unsigned long touched; /* index of the page, below npages */
};

/* The page of the hint in a naturally aligned extent of 2^n pages. */
static __always_inline unsigned long clp_touched(unsigned long hint, unsigned long npages)
{
	return (hint >> PAGE_SHIFT) & (npages - 1);
}

/* CLP_CLEAR_FUNCTION clears every huge folio for user space; CLP_CLEAR_TARGET says what a call of it is to clear. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)

#define CLP_CLEAR_FUNCTION "folio_zero_user"
#define CLP_CLEAR_PARAMS   struct folio *folio, unsigned long hint

#define CLP_CLEAR_TARGET()                                                                    \
	((struct clp_target){ folio_address(folio), folio_nr_pages(folio),                    \
			      clp_touched(hint, folio_nr_pages(folio)) })

static __always_inline unsigned long clp_regs_npages(struct ftrace_regs *fregs)
{
	return folio_nr_pages((struct folio *)ftrace_regs_get_argument(fregs, 0));
}

#else

#define CLP_CLEAR_FUNCTION "clear_huge_page"
#define CLP_CLEAR_PARAMS   struct page *page, unsigned long hint, unsigned int npages

#define CLP_CLEAR_TARGET() ((struct clp_target){ page_address(page), npages, clp_touched(hint, npages) })

static __always_inline unsigned long clp_regs_npages(struct ftrace_regs *fregs)
{
	return regs_get_kernel_argument(&fregs->regs, 2) & UINT_MAX;
}

#endif

static __always_inline void clp_regs_go_to(struct ftrace_regs *fregs, unsigned long ip)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	ftrace_regs_set_instruction_pointer(fregs, ip);
#else
	ftrace_instruction_pointer_set(fregs, ip);
#endif
}

/* Allocates the folios of anonymous faults: (gfp, order, ...), returns struct folio *. Memory allocation profiling renamed it. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#define CLP_ALLOC_FUNCTION "vma_alloc_folio_noprof"
#else
#define CLP_ALLOC_FUNCTION "vma_alloc_folio"
#endif

/* May a long clear be preempted anywhere, so that no reschedule points are needed? */
static inline bool clp_preemptible(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	if (preempt_model_lazy())
		return true;
#endif
	return preempt_model_preemptible();
}

/* kobject_init_and_add() takes a type it does not change; before 6.4 it did not say so. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
#define CLP_KOBJ_TYPE(type) (type)
#else
#define CLP_KOBJ_TYPE(type) ((struct kobj_type *)(type))
#endif

/* The largest order of the page allocator. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
#define CLP_ORDER_LARGEST MAX_PAGE_ORDER
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
#define CLP_ORDER_LARGEST MAX_ORDER
#else
#define CLP_ORDER_LARGEST (MAX_ORDER - 1)
#endif

#endif
