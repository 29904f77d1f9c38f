/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ab.h - what the files of `kernel ab` share.
 */
#ifndef KERNEL_AB_H
#define KERNEL_AB_H

#include "kernel.h"

/* In the environment of a run's children: the process that restores the setting. */
#define RUN_VARIABLE "CLEARPAGES_KERNEL_RUN"

/*
 * advise.c: says on stderr where a comparison under this command would show little or nothing. small: pages of order 0 are
 * cleared by what is compared.
 */
void advise(char *const *words, bool small);

/*
 * child.c: this very program with other arguments, in a process group of its own, to its end, however that comes; SIGINT,
 * SIGTERM, SIGHUP and SIGQUIT are handed on to it, and don't end us. They stay blocked. Its status, as a shell has it.
 */
void child_block_signals(void);
int child_run(char **words);

#endif
