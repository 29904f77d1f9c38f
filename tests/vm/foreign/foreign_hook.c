// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * foreign_hook.c - the least that a hook can be. With `empty=1` huge pages are not cleared at all: the checker has to find
 * that, and it is what a fault costs without any clearing. With `empty=0` the call goes on to the true function: what the
 * tracer itself costs.
 */
#include <linux/ftrace.h>
#include <linux/module.h>

#include "compat.h"

static bool empty;
module_param(empty, bool, 0444);
MODULE_PARM_DESC(empty, "clear nothing");

static void nothing(CLEARING_PARAMETERS)
{
}

static void notrace on_call(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, struct ftrace_regs *regs)
{
	if (empty)
		ftrace_get_regs(regs)->ip = (unsigned long)nothing;
}

static struct ftrace_ops hook = {
	.func = on_call,
	.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY,
};

static int __init foreign_hook_init(void)
{
	int error = ftrace_set_filter(&hook, CLEARING, sizeof(CLEARING) - 1, 1);

	return error ? error : register_ftrace_function(&hook);
}

static void __exit foreign_hook_exit(void)
{
	unregister_ftrace_function(&hook);
	ftrace_free_filter(&hook);
}

module_init(foreign_hook_init);
module_exit(foreign_hook_exit);
MODULE_DESCRIPTION("The least hook on huge-page clearing, for tests");
MODULE_LICENSE("GPL");
