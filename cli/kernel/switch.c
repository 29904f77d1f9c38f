/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * switch.c - what `kernel ab` has run before each session: the module switched to the op that CLEARPAGES_LABEL names.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ab.h"
#include "kernel.h"

/* As a shell has it: what can't be run. `ab` ends at once then, for it would be so in each session. */
enum { EXIT_CANNOT = 126 };

int kernel_ab_switch(int argc, char **argv)
{
	const char *label = getenv("CLEARPAGES_LABEL"), *run = getenv(RUN_VARIABLE);
	struct setting kept = { 0 }, wanted;
	struct routines routines;
	const struct op *op;
	struct ops ops;
	pid_t pid = 0;
	char *why;

	if (argc != 2 || !label)
		die(EXIT_USAGE, "ab-switch is for 'clearpages kernel ab', which runs it");
	if (kept_look(&kept, &pid) != KEPT_LIVE || !run || strtol(run, NULL, 10) != pid)
		die(EXIT_CANNOT,
		    "nothing would put the module's setting back: go on with this run through 'clearpages kernel ab', "
		    "as it was begun, and --resume");
	if (!module_loaded())
		die(EXIT_CANNOT, "the module is not loaded any more");
	routines_read(&routines);
	ops_parse(&ops, argv[1], &routines);
	op = ops_find(&ops, label);
	if (!op)
		die(EXIT_USAGE, "'%s' is none of '%s'", label, argv[1]);
	op_setting(&wanted, op, &kept);
	why = setting_apply(&wanted);
	if (why)
		die(EXIT_FAILED, "%s", why);
	if (!sessions_note(label))
		die(EXIT_FAILED, "'%s' can't be written: %s", sessions_path(), strerror(errno));
	ops_free(&ops);
	routines_free(&routines);
	return EXIT_OK;
}
