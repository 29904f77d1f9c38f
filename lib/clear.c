/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * clear.c - the entry points that clear: a short way for what one routine serves at once, and the long way for the rest.
 */
#include <errno.h>

#include "choose.h"
#include "lib.h"
#include "run.h"

/* One routine and the fence. */
static inline void clear_by(unsigned row, void *addr, size_t len, unsigned flags)
{
	const struct clp_variant *v = &clp_variants[row];

	clp_run_clear(v, addr, len);
	if (v->traits & CLP_TRAIT_WEAK && !(flags & CLP_NODRAIN))
		clp_cpu_drain();
}

/* Before the first store, once a call: the probe stores too. */
static inline void announce(void *addr, size_t len)
{
	if (unlikely(load(clp_policy.slow) & CLP_SLOW_SANITIZER))
		clp_sanitizer_write(addr, len);
}

/* One routine and the fence, counted. */
static __attribute__((noinline)) void clear_watched(unsigned row, void *addr, size_t len, unsigned flags)
{
	uint32_t slow = load(clp_policy.slow);
	uint64_t start = clp_counters_begin(slow);

	clear_by(row, addr, len, flags);
	if (slow & CLP_SLOW_COUNTERS)
		clp_counters_add(slow, row, len, start);
}

static inline void clear_row(unsigned row, void *addr, size_t len, unsigned flags)
{
	if (unlikely(load(clp_policy.slow)))
		clear_watched(row, addr, len, flags);
	else
		clear_by(row, addr, len, flags);
}

static __attribute__((noinline)) int clear_probed(void *addr, size_t len, unsigned flags)
{
	bool resident = clp_probe_ticks(addr, len) <= load(clp_policy.probe_limit);

	if (likely(resident && len <= load(clp_policy.cached_max[flags & CLP_HOT])))
		return load(clp_policy.fast)(addr, len);
	clear_row(clp_policy_row(clp_policy_plan(CLP_OP_CLEAR, flags, true, resident), len), addr, len, flags);
	return 0;
}

/* flags: known ones. */
static __attribute__((noinline)) int clear_long(void *addr, size_t len, unsigned flags)
{
	if ((flags & CLP_HINTS) == CLP_HINTS || clp_wraps(addr, len))
		return -EINVAL;
	if (!len)
		return 0;
	clp_policy_ensure();
	announce(addr, len);
	if (clp_policy_probes(len, flags))
		return clear_probed(addr, len, flags);
	clear_row(clp_policy_row(clp_policy_plan(CLP_OP_CLEAR, flags, false, false), len), addr, len, flags);
	return 0;
}

typedef char vector __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t word __attribute__((aligned(1), may_alias));
typedef uint32_t half __attribute__((aligned(1), may_alias));
typedef uint16_t quarter __attribute__((aligned(1), may_alias));

/* 1 to 128 bytes in stores that may overlap: a jump to the routine would cost as much as this. */
static inline __attribute__((always_inline)) int clear_tiny(char *at, size_t len)
{
	char *end = at + len;

	if (len > 64) {
		*(vector *)(at + 32) = (vector){ 0 };
		*(vector *)(at + 48) = (vector){ 0 };
		*(vector *)(end - 64) = (vector){ 0 };
		*(vector *)(end - 48) = (vector){ 0 };
	}
	if (len > 32) {
		*(vector *)(at + 16) = (vector){ 0 };
		*(vector *)(end - 32) = (vector){ 0 };
	}
	if (len >= 16) {
		*(vector *)at = (vector){ 0 };
		*(vector *)(end - 16) = (vector){ 0 };
	} else if (len >= 8) {
		*(word *)at = 0;
		*(word *)(end - 8) = 0;
	} else if (len >= 4) {
		*(half *)at = 0;
		*(half *)(end - 4) = 0;
	} else {
		at[0] = 0;
		if (len > 1)
			*(quarter *)(end - 2) = 0;
	}
	return 0;
}

int clp_clear(void *addr, size_t len, unsigned flags)
{
	uint32_t max = load(clp_policy.fast_max[0]);

	if (unlikely(flags)) {
		if (flags > CLP_FLAGS)
			return -EINVAL;
		max = load(clp_policy.fast_max[flags & CLP_HINTS]);
	}
	/* len - 1: a length of 0 goes the long way, which checks the flags. The call is a jump: it returns 0 for us. */
	if (likely(len - 1 < max && !clp_wraps(addr, len))) {
		if (len <= 128)
			return clear_tiny(addr, len);
		return load(clp_policy.fast)(addr, len);
	}
	return clear_long(addr, len, flags);
}

int clp_clear_pages(void *addr, size_t npages, unsigned flags)
{
	size_t page = clp_cpu_page();
	size_t len;

	if ((uintptr_t)addr & (page - 1))
		return -EINVAL;
	if (__builtin_mul_overflow(npages, page, &len))
		return -EOVERFLOW;
	return clp_clear(addr, len, flags);
}

int clp_clear_explicit(void *addr, size_t len)
{
	if (clp_wraps(addr, len))
		return -EINVAL;
	clp_policy_ensure();
	announce(addr, len);
	/* The routine is reached through a table that no compiler sees through, and the barrier claims to read the bytes. */
	if (len)
		clear_row(clp_policy_row(clp_policy_plan(CLP_OP_CLEAR, 0, false, false), len), addr, len, 0);
	__asm__ volatile("" : : "r"(addr) : "memory");
	clp_cpu_fence();
	return 0;
}

void clp_drain(void)
{
	clp_cpu_drain();
}

int clp_clear_with(unsigned index, void *addr, size_t len, unsigned flags)
{
	int row;

	if (flags & ~(CLP_NODRAIN | CLP_NOPROBE) || clp_wraps(addr, len))
		return -EINVAL;
	clp_policy_ensure();
	row = clp_variant_row(CLP_OP_CLEAR, index);
	if (row < 0)
		return row;
	if (!clp_policy_usable((unsigned)row))
		return -ENOTSUP;
	announce(addr, len);
	if (len)
		clear_row((unsigned)row, addr, len, flags);
	return 0;
}
