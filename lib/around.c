/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * around.c - clear a region of which one place is used at once: all else first, past the cache, that place's neighbourhood last, into it.
 *
 * The order is that of Linux's folio_zero_user(): right of the neighbourhood, left of it, itself (docs/policy.md).
 */
#include <errno.h>

#include "lib.h"

/* First and end of the neighbourhood: whole pages around the touched one, as far as they lie in the region. */
static void neighbourhood(uintptr_t base, size_t len, uintptr_t touch, size_t reach, uintptr_t *first, uintptr_t *end)
{
	size_t page = clp_cpu_page();
	uintptr_t at = touch & ~(uintptr_t)(page - 1);

	*first = at < base || at - base < reach ? base : at - reach;
	*end = base + len - at <= page + reach ? base + len : at + page + reach;
}

int clp_clear_around(void *base, size_t len, const void *touch, unsigned flags, unsigned radius)
{
	unsigned hinted = flags & CLP_HINTS, far = flags | CLP_NODRAIN, near = flags | CLP_NODRAIN;
	uintptr_t start = (uintptr_t)base, at = (uintptr_t)touch, first, end;

	if (clp_refused(base, len, flags) || radius > CLP_RADIUS_MAX)
		return -EINVAL;
	if (!len)
		return 0;
	if (at < start || at - start >= len)
		return -EINVAL;
	if (!hinted) {
		far |= CLP_COLD;
		near |= CLP_HOT;
	}
	first = end = start;
	if (radius)
		neighbourhood(start, len, at, radius * clp_cpu_page(), &first, &end);
	clp_clear((char *)base + (end - start), start + len - end, far);
	clp_clear(base, first - start, far);
	clp_clear((char *)base + (first - start), end - first, near);
	if (!(flags & CLP_NODRAIN))
		clp_drain();
	return 0;
}
