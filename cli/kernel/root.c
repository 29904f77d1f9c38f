/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * root.c - where the kernel's files are; files read as a whole; and the few facts about this process that go with them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "kernel.h"

/* A program that runs with more rights than its user takes no such hint from the user. */
static const char *root(void)
{
	const char *moved = secure_getenv("CLEARPAGES_KERNEL_ROOT");

	return moved ? moved : "";
}

bool root_moved(void)
{
	return *root();
}

const char *at_root(const char *format, ...)
{
	static char ring[8][PATH_MAX];
	static unsigned next;
	char *path = ring[next++ % 8];
	va_list args;
	int len = snprintf(path, PATH_MAX, "%s", root());

	va_start(args, format);
	if (len >= 0 && len < PATH_MAX)
		vsnprintf(path + len, PATH_MAX - (size_t)len, format, args);
	va_end(args);
	return path;
}

char *read_all(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t n = 0, room = 0, got;

	if (!f)
		return NULL;
	do {
		/* Room for a block and a NUL. */
		while (room < n + 4097)
			text = grow(text, room, &room, 1);
		got = fread(text + n, 1, 4096, f);
		n += got;
	} while (got);
	text[n] = '\0';
	fclose(f);
	return text;
}

bool path_exists(const char *path)
{
	struct stat about;

	return !stat(path, &about);
}

static const char *fact(const char *path, const char *otherwise, char *text, size_t size)
{
	if (root_moved())
		read_line(path, text, size);
	if (!*text)
		snprintf(text, size, "%s", otherwise);
	return text;
}

const char *kernel_release(void)
{
	static char text[128];
	struct utsname os;

	uname(&os);
	return *text ? text : fact(at_root("/proc/sys/kernel/osrelease"), os.release, text, sizeof(text));
}

const char *kernel_machine(void)
{
	static char text[128];
	struct utsname os;

	uname(&os);
	return *text ? text : fact(at_root("/proc/sys/kernel/arch"), os.machine, text, sizeof(text));
}

bool is_root(void)
{
	return !geteuid();
}

char *add_quoted(char *text, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,:=+-@%";
	const char *blank = text && *text ? " " : "";
	char *all, *at;

	if (!text)
		text = copy_text("");
	if (*word && !word[strspn(word, plain)]) {
		all = text_of("%s%s%s", text, blank, word);
	} else {
		/* In the worst case each character becomes four. */
		all = text_of("%s%s'%*s", text, blank, (int)(4 * strlen(word) + 2), "");
		at = all + strlen(text) + strlen(blank) + 1;
		for (; *word; word++)
			at = *word == '\'' ? stpcpy(at, "'\\''") : (*at = *word, at + 1);
		strcpy(at, "'");
	}
	free(text);
	return all;
}

bool make_folders(const char *path)
{
	char *copy = copy_text(path);
	bool made = true;

	for (char *at = strchr(copy + 1, '/'); made; at = strchr(at + 1, '/')) {
		if (at)
			*at = '\0';
		made = !mkdir(copy, 0755) || errno == EEXIST;
		if (!at)
			break;
		*at = '/';
	}
	free(copy);
	return made;
}
