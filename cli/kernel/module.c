/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * module.c - the module as it is loaded: its files under /sys, its routines, and what it says in the kernel's log.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel.h"

bool module_loaded(void)
{
	return path_exists(at_root("/sys/kernel/clearpages/enabled"));
}

void module_require(void)
{
	if (module_loaded())
		return;
	if (strcmp(kernel_machine(), "x86_64") != 0)
		die(EXIT_FAILED, "the kernel module is for x86_64, and this machine is '%s'", kernel_machine());
	if (!path_exists(at_root("/proc/modules")))
		die(EXIT_FAILED, "this kernel (%s) can't load modules: it was built without CONFIG_MODULES",
		    kernel_release());
	die(EXIT_FAILED, "the module is not loaded; build and load it: clearpages kernel build, then as root "
			 "clearpages kernel load");
}

const char *module_line(const char *file, char *line, size_t size)
{
	return read_line(at_root("/sys/kernel/clearpages/%s", file), line, size);
}

const char *chosen(char *line)
{
	char *open = strchr(line, '['), *close = open ? strchr(open, ']') : NULL;

	if (!close)
		return line;
	*close = '\0';
	return open + 1;
}

int module_write(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY), err = 0;
	char text[256];
	int len = snprintf(text, sizeof(text), "%s\n", value);

	if (fd < 0)
		return -errno;
	/* In one piece: the module takes each write for a whole value. */
	if (write(fd, text, (size_t)len) != len)
		err = errno ? -errno : -EIO;
	close(fd);
	return err;
}

void log_mark(struct log *log)
{
	struct stat about;

	log->fd = open(at_root("/dev/kmsg"), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	/* A file in its place is a test's, and holds what is said next. */
	if (log->fd >= 0 && !fstat(log->fd, &about) && !S_ISREG(about.st_mode))
		lseek(log->fd, 0, SEEK_END);
}

const char *log_last(struct log *log, char *line, size_t size)
{
	static const char ours[] = MODULE_NAME ": ";
	char record[8192 + 1];
	ssize_t n;

	line[0] = '\0';
	while (log->fd >= 0) {
		n = read(log->fd, record, sizeof(record) - 1);
		/* Where the log has overrun us, we go on with what there is. */
		if (n < 0 && errno == EPIPE)
			continue;
		if (n <= 0)
			break;
		record[n] = '\0';
		/* "priority,number,time,flags;words": a record a read, and lines of further fields. */
		for (char *at = record; (at = strchr(at, ';')); at++)
			if (!strncmp(at + 1, ours, sizeof(ours) - 1))
				snprintf(line, size, "%.*s", (int)strcspn(at + sizeof(ours), "\n"), at + sizeof(ours));
	}
	if (log->fd >= 0)
		close(log->fd);
	log->fd = -1;
	return line;
}

void routines_read(struct routines *r)
{
	char *text = read_all(at_root("/sys/kernel/clearpages/routines")), *rest = text, *line;

	*r = (struct routines){ 0 };
	while (rest && (line = strsep(&rest, "\n"))) {
		char *colon = strstr(line, ": ");
		struct routine *routine;

		if (!colon)
			continue;
		*colon = '\0';
		/* Leaving calls to the kernel is no routine of ours. */
		if (!strcmp(line, "kernel"))
			continue;
		r->at = grow(r->at, r->n, &r->room, sizeof(*r->at));
		routine = &r->at[r->n++];
		snprintf(routine->name, sizeof(routine->name), "%s", line);
		routine->why = strcmp(colon + 2, "ok") != 0 ? copy_text(colon + 2) : NULL;
	}
	free(text);
}

void routines_free(struct routines *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->at[i].why);
	free(r->at);
	*r = (struct routines){ 0 };
}

/* What can be used: " kernel mov stosq". To be freed. */
static char *usable(const struct routines *r, bool kernel_too)
{
	char *all = copy_text(kernel_too ? " kernel" : "");

	for (size_t i = 0; i < r->n; i++) {
		char *more = r->at[i].why ? NULL : text_of("%s %s", all, r->at[i].name);

		if (!more)
			continue;
		free(all);
		all = more;
	}
	return all;
}

void routine_check(const struct routines *r, const char *option, const char *name, bool kernel_too)
{
	if (!strcmp(name, "kernel") && kernel_too)
		return;
	for (size_t i = 0; i < r->n; i++) {
		if (strcmp(r->at[i].name, name) != 0)
			continue;
		if (r->at[i].why)
			die(EXIT_FAILED, "%s: '%s' can't be used here: %s; there are:%s", option, name, r->at[i].why,
			    usable(r, kernel_too));
		return;
	}
	die(EXIT_USAGE, "%s: '%s' is no routine of the module; there are:%s", option, name, usable(r, kernel_too));
}
