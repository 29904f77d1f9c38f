/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * run.h - run one routine over a region of any alignment and length: what its granule and alignment leave over goes to
 * the short-length routine (clear) or to the portable one (copy).
 * Inline: a call that has not run for a while pays for every cache line of code on its way.
 */
#ifndef CLP_RUN_H
#define CLP_RUN_H

#include "lib.h"

/* Split a region into head, body and tail, so that the body fits the routine. */
static inline size_t clp_body_of(const struct clp_variant *v, uintptr_t addr, size_t len, size_t *head)
{
	*head = (size_t)-addr & (v->alignment - 1);
	if (*head >= len) {
		*head = len;
		return 0;
	}
	return (len - *head) & ~((size_t)v->granule - 1);
}

/* Leaves weakly ordered stores pending. */
static inline void clp_run_clear(const struct clp_variant *v, void *addr, size_t len)
{
	clp_clear_fn *fast = load(clp_policy.fast);
	char *p = addr;
	size_t head, body, tail;

	body = clp_body_of(v, (uintptr_t)addr, len, &head);
	tail = len - head - body;
	if (unlikely(head))
		fast(p, head);
	v->fn.clear(p + head, body);
	if (unlikely(tail))
		fast(p + head + body, tail);
}

/* Leaves weakly ordered stores pending. */
static inline void clp_run_copy(const struct clp_variant *v, void *dst, const void *src, size_t len)
{
	const char *s = src;
	char *d = dst;
	size_t head, body, tail;

	body = clp_body_of(v, (uintptr_t)dst, len, &head);
	tail = len - head - body;
	if (unlikely(head))
		clp_generic_copy(d, s, head);
	v->fn.copy(d + head, s + head, body);
	if (unlikely(tail))
		clp_generic_copy(d + head + body, s + head + body, tail);
}

#endif
