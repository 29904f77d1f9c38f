/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interrupt.c - SIGINT and SIGTERM ask the work to end with what it has; the second one ends it at once.
 */
#include "cli.h"

volatile sig_atomic_t interrupted;

static void note(int signal)
{
	interrupted = signal;
}

void catch_interrupts(void)
{
	struct sigaction action = { .sa_handler = note, .sa_flags = (int)SA_RESETHAND };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}
