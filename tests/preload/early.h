/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * early.h - what early_library.c has found, 0: all well. The memory is to be freed by whoever is left.
 */
extern int early_constructor_bad;
extern char *early_memory;
int early_resolver_bad(void);
