/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target.h - what is executed for a command as the user writes it: this very program, or a shell.
 */
#ifndef TARGET_H
#define TARGET_H

#include <wordexp.h>

#include "command.h"

struct target {
	struct command_line line;
	wordexp_t words; /* of our own commands */
	char *shell[4];
};

/*
 * A command is one of ours where it begins with "bench" or "clearpages bench", and asks nothing of a shell. Dies with status
 * 2 where it says itself where its results go.
 */
bool target_is_ours(const char *command);
/* results: our own commands write what they measure to RESULTS_PATH. */
void target_open(struct target *t, const char *command, bool results, int pin);
void target_close(struct target *t);

#endif
