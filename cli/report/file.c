/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.c - the report's file: written beside the old one, then put in its place, so that nobody ever sees a part.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../cli.h"
#include "report.h"

static _Noreturn void unwritable(const char *path, int error)
{
	die(EXIT_FAILED, "--output: '%s' can't be written: %s", path, strerror(error));
}

/* A link is followed, and what is no regular file (a pipe, /dev/null) is written as it is. */
static const char *target(const char *path, char *real, struct stat *st, bool *replaced)
{
	bool there = realpath(path, real) && !stat(real, st);

	*replaced = !there || S_ISREG(st->st_mode);
	if (there)
		return real;
	st->st_mode = umask(0);
	umask(st->st_mode);
	st->st_mode = 0666 & ~st->st_mode;
	return path;
}

static int temporary_beside(const char *where, const char *path, char *name, size_t size)
{
	int fd;

	if ((size_t)snprintf(name, size, "%s.XXXXXX", where) >= size)
		unwritable(path, ENAMETOOLONG);
	fd = mkstemp(name);
	if (fd < 0)
		unwritable(path, errno);
	return fd;
}

static bool write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0) {
			text += n;
			len -= (size_t)n;
		}
	}
	return true;
}

void file_check(const char *path)
{
	char real[PATH_MAX], name[PATH_MAX + 8];
	const char *where;
	struct stat st;
	bool replaced;

	if (!strcmp(path, "-"))
		return;
	where = target(path, real, &st, &replaced);
	if (S_ISDIR(st.st_mode))
		unwritable(path, EISDIR);
	if (!replaced && access(where, W_OK))
		unwritable(path, errno);
	if (!replaced)
		return;
	close(temporary_beside(where, path, name, sizeof(name)));
	unlink(name);
}

static void write_there(const char *path, const char *text, size_t len)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "we") : stdout;

	if (!f || fwrite(text, 1, len, f) != len || fflush(f) || (f != stdout && fclose(f)))
		unwritable(f == stdout ? "standard output" : path, errno);
}

void file_write(const char *path, const char *text, size_t len)
{
	char real[PATH_MAX], name[PATH_MAX + 8];
	const char *where = path;
	bool replaced = false;
	struct stat st;
	int fd;

	if (strcmp(path, "-") != 0)
		where = target(path, real, &st, &replaced);
	if (!replaced) {
		write_there(path, text, len);
		return;
	}
	fd = temporary_beside(where, path, name, sizeof(name));
	if (!write_all(fd, text, len) || fchmod(fd, st.st_mode & 0777) || fsync(fd) || close(fd) || rename(name, where)) {
		int error = errno;

		unlink(name);
		unwritable(path, error);
	}
}

char *file_temporary(const char *text, size_t len)
{
	/* The ending tells a browser what it is. */
	char name[] = "/tmp/clearpages-XXXXXX.html";
	int fd = mkstemps(name, (int)strlen(".html"));

	if (fd < 0 || !write_all(fd, text, len) || close(fd))
		die(EXIT_FAILED, "--png: '%s' can't be written: %s", name, strerror(errno));
	return copy_text(name);
}
