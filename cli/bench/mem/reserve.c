// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reserve.c - huge pages that a run needs: are there enough, and with --reserve: see to it, and leave everything as it was.
 *
 * What is changed is given back by a process of its own, the keeper. It learns each change before it is made, and acts once
 * the command has ended, be it by an error, a second Ctrl-C or SIGKILL: then the pipe between them closes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mem.h"

/* A change to one file, in one write() to the pipe. */
struct change {
	char path[128];
	char before[32];      /* the word to write back, for a switch */
	int64_t pages, added; /* of a pool: before, and on top of it; added 0: a switch */
};
#define CHANGES_MAX 64

static int to_keeper = -1;
static pid_t keeper;

int64_t pool_target(int64_t before, int64_t added, int64_t now)
{
	int64_t target = now - added;

	return target > before ? target : before;
}

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	int err = errno;

	if (fd >= 0)
		close(fd);
	errno = err;
	return good;
}

static bool write_number(const char *path, int64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)number);
	return write_text(path, text);
}

static void give_back(const struct change *c)
{
	int64_t now, target;

	if (!c->added) {
		write_text(c->path, c->before);
		return;
	}
	now = read_number(c->path, c->pages);
	target = pool_target(c->pages, c->added, now);
	/* Never more than there are: someone else may have taken pages away. */
	if (target < now)
		write_number(c->path, target);
}

/* Of its own session, and deaf: what ends the command must not end this one. */
static _Noreturn void keep(int from)
{
	static struct change changes[CHANGES_MAX];
	size_t n = 0;

	setsid();
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	/* Nobody who reads the command's output shall wait for this process. */
	dup2(from, STDIN_FILENO);
	close_range(STDIN_FILENO + 1, ~0u, 0);
	while (n < CHANGES_MAX && read(STDIN_FILENO, &changes[n], sizeof(changes[n])) == (ssize_t)sizeof(changes[n]))
		n++;
	while (n)
		give_back(&changes[--n]);
	_exit(0);
}

static void wait_for_keeper(void)
{
	close(to_keeper);
	while (waitpid(keeper, NULL, 0) < 0 && errno == EINTR)
		continue;
}

static void start_keeper(void)
{
	int ends[2];

	if (to_keeper >= 0)
		return;
	if (pipe2(ends, O_CLOEXEC))
		die(EXIT_FAILED, "--reserve: %s", strerror(errno));
	fflush(NULL);
	keeper = fork();
	if (keeper < 0)
		die(EXIT_FAILED, "--reserve: can't start a process: %s", strerror(errno));
	if (!keeper) {
		close(ends[1]);
		keep(ends[0]);
	}
	close(ends[0]);
	to_keeper = ends[1];
	atexit(wait_for_keeper);
}

static void announce(const struct change *c)
{
	start_keeper();
	if (write(to_keeper, c, sizeof(*c)) != (ssize_t)sizeof(*c))
		die(EXIT_FAILED, "--reserve: the process that gives back has ended: %s", strerror(errno));
}

static int64_t pool(size_t size, const char *what, int64_t otherwise, char *path, size_t room)
{
	snprintf(path, room, "/sys/kernel/mm/hugepages/hugepages-%zukB/%s", size >> 10, what);
	return read_number(path, otherwise);
}

static void pool_add(size_t size, int64_t wanted, int64_t missing)
{
	struct change c = { .added = missing };
	int64_t now;

	c.pages = pool(size, "nr_hugepages", 0, c.path, sizeof(c.path));
	announce(&c);
	if (!write_number(c.path, c.pages + missing))
		die(EXIT_FAILED, "--reserve: '%s' can't be written: %s; run it as root", c.path, strerror(errno));
	now = read_number(c.path, 0);
	if (now < c.pages + missing)
		die(EXIT_FAILED,
		    "--reserve: of %lld huge pages of %s needed, %lld could be had: memory is short or fragmented; choose a "
		    "smaller --size or reserve them at boot",
		    (long long)wanted, page_name(size), (long long)(wanted - (c.pages + missing - now)));
}

static void need_pool(size_t size, int64_t wanted, bool reserve)
{
	char path[128];
	int64_t total = pool(size, "nr_hugepages", 0, path, sizeof(path));
	int64_t unused =
	    pool(size, "free_hugepages", 0, path, sizeof(path)) - pool(size, "resv_hugepages", 0, path, sizeof(path));
	int64_t missing = wanted - unused, enough = total + missing;

	if (missing <= 0)
		return;
	if ((double)missing * (double)size > (double)memory_available())
		die(EXIT_FAILED,
		    "%lld huge pages of %s are needed, %lld are free, and %s of other memory is free; choose a smaller "
		    "--size",
		    (long long)wanted, page_name(size), (long long)unused, format_size(memory_available()));
	if (!reserve)
		die(EXIT_FAILED,
		    "%lld huge pages of %s are needed, %lld are free; reserve them with --reserve, or: echo %lld > "
		    "/sys/kernel/mm/hugepages/hugepages-%zukB/nr_hugepages",
		    (long long)wanted, page_name(size), (long long)unused, (long long)enough, size >> 10);
	pool_add(size, wanted, missing);
}

static void turn(const char *path, const char *word)
{
	struct change c = { 0 };
	char line[128], *from, *to;

	read_line(path, line, sizeof(line));
	from = strchr(line, '[');
	to = from ? strchr(from, ']') : NULL;
	if (!to)
		die(EXIT_FAILED, "--reserve: '%s' does not say what is chosen", path);
	snprintf(c.path, sizeof(c.path), "%s", path);
	snprintf(c.before, sizeof(c.before), "%.*s", (int)(to - from - 1), from + 1);
	announce(&c);
	if (!write_text(path, word))
		die(EXIT_FAILED, "--reserve: '%s' can't be written: %s; run it as root", path, strerror(errno));
}

static void need_transparent(size_t size, bool shared, bool reserve)
{
	const char *what = shared ? " for shared memory" : "", *on = shared ? "advise" : "madvise";
	char path[128];

	if (page_transparent_allowed(size, shared, path, sizeof(path)) == ALLOWED_NO) {
		if (!reserve)
			die(EXIT_FAILED,
			    "transparent huge pages of %s are switched off%s; switch them on with --reserve, "
			    "or: echo %s > %s",
			    page_name(size), what, on, path);
		turn(path, on);
	}
	/* The kernel gives the largest that it may. */
	for (size_t larger = 2 * size; larger <= page_transparent_default(); larger *= 2) {
		if (!page_transparent_exists(larger) ||
		    page_transparent_allowed(larger, shared, path, sizeof(path)) == ALLOWED_NO)
			continue;
		page_transparent_switch(larger, shared, path, sizeof(path));
		if (!reserve)
			die(EXIT_FAILED,
			    "transparent huge pages of %s are on%s, too, and the kernel takes the larger ones; switch them "
			    "off with --reserve, or: echo never > %s",
			    page_name(larger), what, path);
		turn(path, "never");
	}
}

void pages_need(const struct page_size *page, size_t size, unsigned times, bool shared, bool reserve)
{
	size_t length = region_length(size, page);

	if (page->kind == PAGES_HUGETLB) {
		need_pool(page->size, (int64_t)(length / page->size) * times, reserve);
		return;
	}
	if (length > INT64_MAX / times)
		die(EXIT_FAILED, "--size: %u times %s is more than any memory", times, format_size(size));
	memory_require((uint64_t)length * times, "--size");
	if (page->kind == PAGES_TRANSPARENT)
		need_transparent(page->size, shared, reserve);
}
