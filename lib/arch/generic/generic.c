/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * generic.c - clear and copy in portable C: the reference for every other routine and the fall-back everywhere.
 *
 * Built with -ffreestanding -fno-tree-loop-distribute-patterns, so that the compiler does not turn the loops into calls of
 * memset or memcpy.
 */
#include <stdint.h>

#include "../../variant.h"

typedef uint64_t word __attribute__((may_alias, aligned(1)));

clp_clear_fn clp_generic_clear;
clp_copy_fn clp_generic_copy;

int clp_generic_clear(void *addr, unsigned long len)
{
	unsigned char *p = addr;
	unsigned char *end = p + len;

	for (; len >= 32; len -= 32, p += 32) {
		((word *)p)[0] = 0;
		((word *)p)[1] = 0;
		((word *)p)[2] = 0;
		((word *)p)[3] = 0;
	}
	while (p < end)
		*p++ = 0;
	return 0;
}

void clp_generic_copy(void *dst, const void *src, unsigned long len)
{
	unsigned char *d = dst;
	const unsigned char *s = src;
	unsigned char *end = d + len;

	for (; len >= 32; len -= 32, d += 32, s += 32) {
		((word *)d)[0] = ((const word *)s)[0];
		((word *)d)[1] = ((const word *)s)[1];
		((word *)d)[2] = ((const word *)s)[2];
		((word *)d)[3] = ((const word *)s)[3];
	}
	while (d < end)
		*d++ = *s++;
}
