/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files.h - what `kernel build` and `kernel load` share: where the module is built, and programs that are run.
 */
#ifndef KERNEL_FILES_H
#define KERNEL_FILES_H

#include "kernel.h"

/* The module's source as it is installed, for DKMS and for `build`. */
static inline const char *installed_source(void)
{
	return path_exists(KERNEL_INSTALLED_SOURCE) ? KERNEL_INSTALLED_SOURCE : "/usr/src/clearpages-" KERNEL_VERSION;
}

/* Where `build` puts the module of a kernel if it is not told; to be freed. */
char *build_folder(const char *release);

/*
 * program.c: runs a program to its end, its input empty. to_stderr: what it prints goes to our errors. Its status, as a
 * shell has it.
 */
int run_program(char *const *words, bool to_stderr);

#endif
