/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * none.c - `report` where the command was built without what it needs.
 */
#include "../cli.h"

int cmd_report(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	die(EXIT_FAILED,
	    "report: this clearpages was built without jansson; install the package libjansson-dev and build it again");
}
