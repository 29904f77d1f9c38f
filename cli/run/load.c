/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load.c - the files of counters, read: of processes that run and of such as have ended.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../lib/lib.h"
#include "run.h"

/* Is there a process of that id which began then? Its CPU time so far. */
static bool process_runs(uint64_t pid, uint64_t start, uint64_t *cpu_ns)
{
	char path[64], line[1024], state = 'X';
	unsigned long long began = 0;
	const char *after;
	clockid_t clock;

	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/stat", pid);
	after = strrchr(read_line(path, line, sizeof(line)), ')');
	if (!after || sscanf(after + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu", &state,
			     &began) != 2)
		return false;
	if (began != start || state == 'Z' || state == 'X' || clock_getcpuclockid((pid_t)pid, &clock))
		return false;
	*cpu_ns = clp_nanoseconds(clock);
	return true;
}

/* NULL, or what is wrong with it. */
static const char *read_file(struct preload_file *file, int folder, const char *name)
{
	const char *wrong = NULL;
	char expected[64];
	struct stat about;
	int fd;

	fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return errno == ELOOP ? "it is a symbolic link" : strerror(errno);
	if (fstat(fd, &about))
		wrong = strerror(errno);
	else if (!S_ISREG(about.st_mode) || about.st_size != sizeof(*file) || read(fd, file, sizeof(*file)) != sizeof(*file))
		wrong = "it is of another size";
	close(fd);
	if (wrong)
		return wrong;
	if (memcmp(file->magic, PRELOAD_MAGIC, sizeof(file->magic)) != 0)
		return "it does not begin as one";
	if (file->version != PRELOAD_VERSION || file->size != sizeof(*file))
		return "it is of another version of the library";
	snprintf(expected, sizeof(expected), "%" PRIu64 "-%" PRIu64, file->pid, file->start);
	if (strcmp(name, expected) != 0)
		return "its name is another process's";
	file->name[sizeof(file->name) - 1] = '\0';
	/* It goes to a terminal. */
	for (char *at = file->name; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
	return NULL;
}

void counted_load(struct counted_list *list, const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	uint64_t cpu_ns;

	if (!dir) {
		/* Whoever made it may have removed it. */
		if (errno != ENOENT)
			complain("'%s' can't be read: %s", folder, strerror(errno));
		return;
	}
	while ((entry = readdir(dir))) {
		struct counted *c;
		const char *wrong;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		list->at = grow(list->at, list->n, &list->room, sizeof(*list->at));
		c = &list->at[list->n];
		wrong = read_file(&c->file, dirfd(dir), entry->d_name);
		if (wrong) {
			complain("'%s/%s' is no file of counters, and passed over: %s", folder, entry->d_name, wrong);
			continue;
		}
		c->cpu_ns = c->file.cpu_ns;
		c->runs = process_runs(c->file.pid, c->file.start, &cpu_ns);
		if (c->runs)
			c->cpu_ns = cpu_ns;
		list->n++;
	}
	closedir(dir);
}

void counted_add(struct preload_file *to, const struct preload_file *from)
{
	struct preload_cell *sum = to->cells[0];
	const struct preload_cell *cell = from->cells[0];

	to->adopted += from->adopted;
	to->large = from->large;
	for (size_t i = 0; i < sizeof(to->cells) / sizeof(*sum); i++) {
		sum[i].turn += cell[i].turn;
		sum[i].bytes += cell[i].bytes;
		for (unsigned side = 0; side < PRELOAD_SIDES; side++) {
			sum[i].side[side].calls += cell[i].side[side].calls;
			sum[i].side[side].ns += cell[i].side[side].ns;
		}
		sum[i].pairs.n += cell[i].pairs.n;
		sum[i].pairs.faulted += cell[i].pairs.faulted;
		sum[i].pairs.libc_ns += cell[i].pairs.libc_ns;
		sum[i].pairs.sum += cell[i].pairs.sum;
		sum[i].pairs.squares += cell[i].pairs.squares;
	}
}
