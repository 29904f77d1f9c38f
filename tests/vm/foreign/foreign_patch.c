// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * foreign_patch.c - a livepatch on the function that our module hooks: the two can't both have it.
 */
#include <linux/highmem.h>
#include <linux/livepatch.h>
#include <linux/module.h>
#include <linux/sched.h>

#include "compat.h"

static void patched(CLEARING_PARAMETERS)
{
	unsigned long i;

	for (i = 0; i < CLEARING_COUNT; i++) {
		cond_resched();
		clear_user_highpage(CLEARING_PAGE(i), (hint & PAGE_MASK) + i * PAGE_SIZE);
	}
}

static struct klp_func functions[] = {
	{ .old_name = CLEARING, .new_func = patched },
	{ }
};

static struct klp_object objects[] = {
	{ .funcs = functions },
	{ }
};

static struct klp_patch patch = {
	.mod = THIS_MODULE,
	.objs = objects,
};

static int __init foreign_patch_init(void)
{
	return klp_enable_patch(&patch);
}

/* A livepatch goes by its sysfs file; this lets the module be removed after that. */
static void __exit foreign_patch_exit(void)
{
}

module_init(foreign_patch_init);
module_exit(foreign_patch_exit);
MODULE_DESCRIPTION("A livepatch of huge-page clearing, for tests");
MODULE_LICENSE("GPL");
MODULE_INFO(livepatch, "Y");
