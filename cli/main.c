/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - the clearpages command: its table of subcommands.
 */
#include "cli.h"

static const struct command commands[] = {
	{ "info", "the machine, the routines, and which is chosen when", cmd_info },
	{ "check", "is every routine correct here?", cmd_check },
	{ "bench", "measure clearing, copying, use after clearing, and the policy", cmd_bench },
	{ "ab", "compare a base with candidates: faster, slower, the same, or not known", cmd_ab },
	{ "kernel", "switch and measure how the running kernel clears pages", cmd_kernel },
	{ "run", "run a program as it is, its large clears by the library", cmd_run },
	{ "stats", "what programs under run have cleared, and what they gained", cmd_stats },
	{ "tune", "measure this machine and write a profile for the library", cmd_tune },
	{ "report", "one HTML page of charts and tables from result files", cmd_report },
	{ 0 },
};

int main(int argc, char **argv)
{
	return run_command(commands, "clearpages", argc, argv);
}
