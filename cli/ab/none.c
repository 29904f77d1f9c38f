/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * none.c - `ab` where it was built without what it needs.
 */
#include "cli.h"

int cmd_ab(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	die(EXIT_FAILED, "ab is not in this build, for want of jansson or Rmath (packages libjansson-dev, r-mathlib); "
			 "install them and build again");
}
