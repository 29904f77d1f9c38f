/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path.c - where programs are: this one, and those that PATH leads to.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

const char *own_path(void)
{
	static char path[PATH_MAX];

	if (!*path && readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		die(EXIT_FAILED, "/proc/self/exe can't be read: %s", strerror(errno));
	return path;
}

/* A folder may be "executed" as well. */
static bool is_executable(const char *path)
{
	struct stat about;

	return !access(path, X_OK) && !stat(path, &about) && S_ISREG(about.st_mode);
}

char *find_in_path(const char *program)
{
	char *path = copy_text(getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin"), *rest = path, *folder, *file = NULL;

	while (!file && (folder = strsep(&rest, ":"))) {
		file = text_of("%s/%s", *folder ? folder : ".", program);
		if (!is_executable(file)) {
			free(file);
			file = NULL;
		}
	}
	free(path);
	return file;
}
