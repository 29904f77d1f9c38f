/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel.c - `kernel`: the subcommands that build, load, switch and read the kernel module.
 */
#include <string.h>

#include "kernel.h"

static const struct command commands[] = {
	{ "build", "compile the module for a kernel", kernel_build },
	{ "load", "load it into the running kernel, and say why if that fails", kernel_load },
	{ "unload", "switch it off and remove it", kernel_unload },
	{ "status", "what is set, what can't be used, and what the kernel hides", kernel_status },
	{ "set", "switch routines, batches, neighbourhood: all or nothing", kernel_set },
	{ "stats", "what was cleared, with what, in how many cycles", kernel_stats },
	{ "bench", "cycles per page in kernel context, routines interleaved", kernel_bench },
	{ "ab", "compare routines under a program, with a verdict", kernel_ab },
	{ "restore", "put back the setting that a killed run of ab left behind", kernel_restore },
	{ 0 },
};

int cmd_kernel(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "ab-switch"))
		return kernel_ab_switch(argc - 1, argv + 1);
	return run_command(commands, "clearpages kernel", argc, argv);
}
