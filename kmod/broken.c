// SPDX-License-Identifier: GPL-2.0-only
/*
 * broken.c - routines that do not clear what they should; in the tests' module alone.
 */
#include <linux/linkage.h>
#include <linux/mm.h>
#include <linux/string.h>

asmlinkage int clp_x86_clear_broken_line(void *addr, unsigned long len);
asmlinkage int clp_x86_clear_broken_all(void *addr, unsigned long len);

/* The line before the last one of a page, so that a look at both ends does not find it. */
asmlinkage int clp_x86_clear_broken_line(void *addr, unsigned long len)
{
	unsigned long at;

	for (at = (unsigned long)addr; at < (unsigned long)addr + len; at += 64)
		if (offset_in_page(at) != PAGE_SIZE - 128)
			memset((void *)at, 0, 64);
	return 0;
}

asmlinkage int clp_x86_clear_broken_all(void *addr, unsigned long len)
{
	return 0;
}
