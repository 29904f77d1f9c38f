/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress.c - one line on a terminal that says how far long work has come.
 */
#include <time.h>
#include <unistd.h>

#include "cli.h"

static bool shown;

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void progress(double done, double total, const char *what)
{
	static int terminal = -1;
	static double start, last;
	double now;

	if (terminal < 0) {
		terminal = isatty(STDERR_FILENO);
		start = seconds();
	}
	if (!terminal)
		return;
	now = seconds();
	if (now - start < 2 || now - last < 0.2)
		return;
	last = now;
	fprintf(stderr, "\r\033[K%3.0f%%  %.60s", total > 0 ? 100 * done / total : 0, what);
	fflush(stderr);
	shown = true;
}

void progress_clear(void)
{
	if (!shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	shown = false;
}
