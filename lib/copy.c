/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * copy.c - the entry points that copy.
 */
#include <errno.h>

#include "choose.h"
#include "lib.h"
#include "run.h"

static void copy_row(unsigned row, void *dst, const void *src, size_t len, unsigned flags)
{
	const struct clp_variant *v = &clp_variants[row];
	uint32_t slow = load(clp_policy.slow);
	uint64_t start = 0;

	if (unlikely(slow & CLP_SLOW_SANITIZER))
		clp_sanitizer_copy(dst, src, len);
	if (unlikely(slow & CLP_SLOW_COUNTERS))
		start = clp_counters_begin(slow);
	clp_run_copy(v, dst, src, len);
	if (v->traits & CLP_TRAIT_WEAK && !(flags & CLP_NODRAIN))
		clp_cpu_drain();
	if (unlikely(slow & CLP_SLOW_COUNTERS))
		clp_counters_add(slow, row, len, start);
}

static bool overlap(const void *a, const void *b, size_t len)
{
	uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

	return len && (x > y ? x - y : y - x) < len;
}

int clp_copy_pages(void *dst, const void *src, size_t npages, unsigned flags)
{
	size_t page = clp_cpu_page();
	size_t len;

	if (flags & ~CLP_FLAGS || (flags & CLP_HINTS) == CLP_HINTS || ((uintptr_t)dst | (uintptr_t)src) & (page - 1))
		return -EINVAL;
	if (__builtin_mul_overflow(npages, page, &len))
		return -EOVERFLOW;
	if (clp_wraps(dst, len) || clp_wraps(src, len) || overlap(dst, src, len))
		return -EINVAL;
	if (!len)
		return 0;
	clp_policy_ensure();
	copy_row(clp_policy_row(clp_policy_plan(CLP_OP_COPY, flags, false, false), len), dst, src, len, flags);
	return 0;
}

int clp_copy_with(unsigned index, void *dst, const void *src, size_t len, unsigned flags)
{
	int row;

	if (flags & ~(CLP_NODRAIN | CLP_NOPROBE) || clp_wraps(dst, len) || clp_wraps(src, len) || overlap(dst, src, len))
		return -EINVAL;
	clp_policy_ensure();
	row = clp_variant_row(CLP_OP_COPY, index);
	if (row < 0)
		return row;
	if (!clp_policy_usable((unsigned)row))
		return -ENOTSUP;
	if (len)
		copy_row((unsigned)row, dst, src, len, flags);
	return 0;
}
