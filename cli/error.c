/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error.c - errors as a person reads them: one line on stderr that names the value and the remedy.
 */
#include <stdarg.h>
#include <stdlib.h>

#include "cli.h"

static __attribute__((format(printf, 1, 0))) void line(const char *format, va_list args)
{
	progress_clear();
	fputs("clearpages: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

void die(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	line(format, args);
	va_end(args);
	exit(status);
}

void complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	line(format, args);
	va_end(args);
}
