/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folder.c - where counters are kept: a folder for each run, in one that is the user's and that nobody else can write to or look into.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run.h"

static const char prefix[] = "run.";

static bool is_folder(const char *path)
{
	struct stat about;

	return !stat(path, &about) && S_ISDIR(about.st_mode);
}

static char *base_path(void)
{
	const char *named = getenv("XDG_RUNTIME_DIR");
	char *path, *usual;

	if (named && *named == '/')
		return text_of("%s/clearpages", named);
	usual = text_of("/run/user/%u", (unsigned)geteuid());
	path = is_folder(usual) ? text_of("%s/clearpages", usual) : text_of("/tmp/clearpages-%u", (unsigned)geteuid());
	free(usual);
	return path;
}

/* In /tmp anybody may have made one of that name before. */
static const char *unsafe(const char *path)
{
	struct stat about;

	if (lstat(path, &about))
		return strerror(errno);
	if (S_ISLNK(about.st_mode))
		return "it is a symbolic link";
	if (!S_ISDIR(about.st_mode))
		return "it is not a folder";
	if (about.st_uid != geteuid())
		return "it belongs to another user";
	return about.st_mode & 077 ? "others can look into it (chmod 700)" : NULL;
}

static void check_base(const char *base)
{
	const char *why = unsafe(base);

	if (why)
		die(EXIT_FAILED, "'%s' can't hold counters: %s; or set XDG_RUNTIME_DIR to a folder of yours", base, why);
}

char *counts_folder_make(void)
{
	char *base = base_path(), *folder = text_of("%s/%s%d.XXXXXX", base, prefix, (int)getpid());

	if (mkdir(base, 0700) && errno != EEXIST)
		die(EXIT_FAILED, "'%s' can't be made: %s; or set XDG_RUNTIME_DIR to a folder of yours", base, strerror(errno));
	check_base(base);
	if (!mkdtemp(folder))
		die(EXIT_FAILED, "'%s': no folder can be made in it: %s", base, strerror(errno));
	free(base);
	return folder;
}

char **counts_folders(size_t *n)
{
	char *base = base_path(), **folders = NULL;
	struct dirent *entry;
	size_t room = 0;
	DIR *dir;

	*n = 0;
	dir = opendir(base);
	if (!dir && errno == ENOENT) {
		free(base);
		return NULL;
	}
	check_base(base);
	if (!dir)
		die(EXIT_FAILED, "'%s' can't be read: %s", base, strerror(errno));
	while ((entry = readdir(dir))) {
		if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
			continue;
		folders = grow(folders, *n, &room, sizeof(*folders));
		folders[(*n)++] = text_of("%s/%s", base, entry->d_name);
	}
	closedir(dir);
	free(base);
	return folders;
}

bool counts_folder_begins(const char *folder)
{
	long pid = strtol(strrchr(folder, '/') + 1 + strlen(prefix), NULL, 10);

	return pid > 0 && (!kill((pid_t)pid, 0) || errno == EPERM);
}

void counts_folder_remove(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	if (rmdir(folder))
		complain("'%s' can't be removed: %s", folder, strerror(errno));
}
