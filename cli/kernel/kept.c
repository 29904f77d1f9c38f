/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kept.c - the setting that was before a run of `kernel ab`, in /run/clearpages/kernel-setting: "KEY=VALUE" lines and the
 * run's "pid=N". The run holds a lock on the file, which goes with it however it ends; so a file without one is of a run
 * that was killed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "kernel.h"

static const char *path(void)
{
	return at_root("/run/clearpages/kernel-setting");
}

static void parse_line(const char *line, struct setting *s, pid_t *pid)
{
	const char *value = strchr(line, '=');
	size_t len = value ? (size_t)(value - line) : 0;

	if (!value)
		return;
	if (len == 3 && !strncmp(line, "pid", len) && pid)
		*pid = (pid_t)strtol(value + 1, NULL, 10);
	for (enum key key = 0; key < KEYS && s; key++)
		if (len == strlen(key_names[key]) && !strncmp(line, key_names[key], len))
			snprintf(s->value[key], WORD_SIZE, "%s", value + 1);
}

enum kept kept_look(struct setting *s, pid_t *pid)
{
	int fd = open(path(), O_RDONLY | O_CLOEXEC);
	char *text, *rest, *line;
	enum kept kept;

	if (fd < 0 && errno != ENOENT)
		die(EXIT_FAILED, "'%s' can't be read: %s", path(), strerror(errno));
	if (fd < 0)
		return KEPT_NONE;
	kept = flock(fd, LOCK_SH | LOCK_NB) ? KEPT_LIVE : KEPT_STALE;
	close(fd);
	if (s)
		*s = (struct setting){ 0 };
	text = rest = read_all(path());
	while (rest && (line = strsep(&rest, "\n")))
		parse_line(line, s, pid);
	free(text);
	return kept;
}

void kept_refuse(void)
{
	pid_t pid = 0;

	switch (kept_look(NULL, &pid)) {
	case KEPT_LIVE:
		die(EXIT_FAILED,
		    "a run of 'clearpages kernel ab' is switching the module: process %d; wait for its end, or end it",
		    (int)pid);
	case KEPT_STALE:
		die(EXIT_FAILED,
		    "a run of 'clearpages kernel ab' (process %d) was killed, and the module is still as it left it; "
		    "first put its setting back: clearpages kernel restore",
		    (int)pid);
	default:
		return;
	}
}

/* Whole, locked and under its name, or not there at all. */
void kept_write(const struct setting *s)
{
	char *name = copy_text(at_root("/run/clearpages/kernel-setting.%d", (int)getpid()));
	/* Never closed: the lock lasts as long as this process. */
	static FILE *f;
	bool good;

	f = make_folders(at_root("/run/clearpages")) ? fopen(name, "wxe") : NULL;
	good = f && !flock(fileno(f), LOCK_EX);
	for (enum key key = 0; key < KEYS && good; key++)
		good = fprintf(f, "%s=%s\n", key_names[key], s->value[key]) > 0;
	good = good && fprintf(f, "pid=%d\n", (int)getpid()) > 0 && !fflush(f) && !link(name, path());
	if (!good && errno == EEXIST) {
		unlink(name);
		kept_refuse();
	}
	if (!good)
		die(EXIT_FAILED, "'%s' can't be written: %s; without it nothing is switched", path(), strerror(errno));
	unlink(name);
	free(name);
	unlink(sessions_path());
}

void kept_remove(void)
{
	unlink(sessions_path());
	if (unlink(path()) && errno != ENOENT)
		complain("'%s' can't be removed: %s", path(), strerror(errno));
}
