// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - clearpages.ko: the kernel's clearing of huge pages, switched, counted and measured at run time.
 */
#include "kmod.h"

#include <linux/init.h>
#include <linux/module.h>

static int __init clearpages_init(void)
{
	int err;

	err = clp_routines_init();
	if (err)
		return err;
	err = clp_counters_init();
	if (err)
		return err;
	err = clp_sysfs_init();
	if (err) {
		clp_counters_exit();
		return err;
	}
	clp_bench_init();
	return 0;
}

static void __exit clearpages_exit(void)
{
	clp_bench_exit();
	clp_sysfs_exit();
	clp_order0_set(CLP_KERNEL);
	clp_hook_exit();
	clp_counters_exit();
}

module_init(clearpages_init);
module_exit(clearpages_exit);

MODULE_DESCRIPTION("Clears huge pages by page ranges: routines switched, counted and measured at run time");
MODULE_VERSION(CLEARPAGES_VERSION);
MODULE_LICENSE("GPL");
