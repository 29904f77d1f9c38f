/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - `clearpages check` as a program of its own, for emulators of whole processors to run.
 */
#include "cli.h"

int main(int argc, char **argv)
{
	static char name[] = "clearpages check";

	argv[0] = name;
	return cmd_check(argc, argv);
}
