// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - the checker's subcommands and what they share: options, messages, the end in case of trouble.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checker.h"

static const struct {
	const char *name;
	int (*run)(char **argv);
	const char *usage;
} commands[] = {
	{ "cells", cmd_cells, "[--kinds LIST] [--routines LIST] [--quick] [--bare] [--broken] [--seed N]" },
	{ "split", cmd_split, "[--kinds LIST]: the pages that the far and the near routine got" },
	{ "load", cmd_load, "--until FILE [--kinds LIST] [--processes N] [--seed N]" },
	{ "switch", cmd_switch, "[--changes N] [--kinds LIST] [--processes N] [--order0] [--patch] [--seed N]" },
	{ "calls", cmd_calls, "which ways to huge pages come to the hook" },
	{ "write", cmd_write, "[--user] [--read] FILE VALUE [ERRNO]" },
	{ "insmod", cmd_insmod, "FILE PARAMETERS [ERRNO]" },
	{ "rmmod", cmd_rmmod, "NAME [ERRNO]" },
	{ "ticks", cmd_ticks, "KIND FAULTS, or --calibrate" },
	{ "oom", cmd_oom, "fault until the kernel kills the process" },
};

void die(const char *format, ...)
{
	int error = errno;
	va_list args;

	fflush(stdout);
	printf("# checker: ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("%s%s\n", error ? ": " : "", error ? strerror(error) : "");
	fflush(stdout);
	exit(2);
}

/* A line of TAP; the host gives it its number. */
bool say(bool good, const char *format, ...)
{
	va_list args;

	printf("%s - ", good ? "ok" : "not ok");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	return good;
}

const char *option(char **argv, const char *name, const char *otherwise)
{
	for (; *argv; argv++) {
		if (!strcmp(*argv, name) && argv[1])
			return argv[1];
	}
	return otherwise;
}

bool flag(char **argv, const char *name)
{
	for (; *argv; argv++) {
		if (!strcmp(*argv, name))
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(*commands); i++) {
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argv + 2);
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		printf("# checker %s %s\n", commands[i].name, commands[i].usage);
	return 2;
}
